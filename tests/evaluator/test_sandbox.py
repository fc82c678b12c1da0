"""The sandbox, tried from inside; the walls need bubblewrap, the rest does not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator import processes
from evaluator.sandbox import (
    Limits,
    Sandbox,
    SandboxError,
    SandboxUnavailableError,
    bubblewrap,
    excess_of,
    open_sandbox,
    open_ways_out,
    probe,
    probes,
    slots,
    unshare,
    was_set_up,
)
from tests.evaluator.simulator.arkts import NODE
from tests.requirements import require

PROJECT = Path(__file__).parents[2]
MIB = 1024 * 1024


def opened(mode: str) -> Sandbox:
    try:
        return open_sandbox(mode)
    except SandboxUnavailableError as error:
        if os.environ.get("OHB_TEST_REQUIRE") == "all":
            pytest.fail(f"OHB_TEST_REQUIRE=all, but: {error}")
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def bwrap() -> Sandbox:
    return opened("bwrap")


@pytest.fixture(scope="module", params=["bwrap", "unshare"])
def sandbox(request) -> Sandbox:
    """Each kind of sandbox that isolates."""
    return opened(request.param)


@pytest.fixture
def box(tmp_path: Path) -> Path:
    folder = tmp_path / "box"
    folder.mkdir()
    return folder


def run(sandbox, *argv, cwd, **options):
    env = options.pop("env", {})
    with sandbox.popen(argv, cwd=cwd, env=env, **options) as process:
        output, _ = process.communicate(timeout=300)
    return process.returncode, output.decode()


@pytest.mark.sandbox
def test_every_known_way_out_is_shut(sandbox):
    results = probe(sandbox)

    assert open_ways_out(sandbox) == []
    assert {result.name for result in results if not result.ok} == {*sandbox.gaps}
    assert len(results) >= 20


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("left_out", "opened"),
    [
        (("--unshare-net",), "no connection to the host's loopback"),
        (("--unshare-net",), "no connection to the host's abstract sockets"),
        (("--unshare-pid",), "only its own processes are visible"),
        (("--unshare-ipc",), "every namespace is its own"),
        (("--unshare-cgroup",), "every namespace is its own"),
        (("--remount-ro", "/"), "system folders are read-only"),
        (("--remount-ro", "/dev"), "system folders are read-only"),
    ],
)
def test_each_wall_is_really_tried(bwrap, monkeypatch, left_out, opened):
    whole = bubblewrap.BubblewrapSandbox._options

    def without(self, *arguments, **options):
        words = list(whole(self, *arguments, **options))
        at = list(zip(*(words[n:] for n in range(len(left_out))), strict=False))
        del words[at.index(left_out) : at.index(left_out) + len(left_out)]
        return iter(words)

    monkeypatch.setattr(bubblewrap.BubblewrapSandbox, "_options", without)

    assert opened in {result.name for result in probe(bwrap) if not result.ok}


@pytest.mark.sandbox
def test_user_namespaces_are_shut_twice(bwrap, monkeypatch):
    monkeypatch.setattr(bubblewrap.seccomp, "compile_filter", lambda: None)
    unfiltered = open_sandbox(bwrap.name)

    opened = {result.name for result in probe(unfiltered) if not result.ok}

    assert opened - {*bwrap.gaps} == {"system calls are filtered"}
    assert "install libseccomp2" in unfiltered.describe()


@pytest.mark.sandbox
def test_an_open_way_out_is_reported(sandbox, monkeypatch):
    class Leaky:
        name, isolates, describe, gaps = "leaky", True, sandbox.describe, sandbox.gaps

        def popen(self, argv, **options):
            options["readable"] = (*options["readable"], Path("/etc"))
            return sandbox.popen(argv, **options)

    opened = {result.name for result in open_ways_out(Leaky())}

    assert opened == {"host files are invisible"}


@pytest.mark.sandbox
def test_each_limit_is_really_set_by_the_limits_asked_for(sandbox, monkeypatch):
    tight = probes._LIMITS
    loose = Limits(30, 1024 * MIB, 200, 64 * MIB, 256, 16 * MIB)

    class Generous:
        name, isolates, describe = "generous", True, sandbox.describe
        gaps = sandbox.gaps

        def popen(self, argv, **options):
            return sandbox.popen(argv, **{**options, "limits": loose})

    assert loose != tight
    opened = {result.name for result in open_ways_out(Generous())}

    assert opened == {
        "temporary folders are small",
        "files are limited in size",
        "memory is limited",
        "a fork bomb is limited",
    }


@pytest.mark.sandbox
def test_nothing_of_the_worker_is_in_the_processes_inside(sandbox, box, monkeypatch):
    monkeypatch.setenv("OHB_SECRET_KEY", "canary-7f3a")

    _, seen = run(sandbox, "sh", "-c", "cat /proc/*/environ /proc/*/cmdline", cwd=box,
                  env={"GIVEN": "yes"}, writable=[box])  # fmt: skip

    assert "GIVEN=yes" in seen
    assert "canary-7f3a" not in seen
    assert "OHB_" not in seen


@pytest.mark.sandbox
def test_paths_appear_inside_where_they_are_outside(sandbox, box, tmp_path):
    kit = tmp_path / "a kit"
    kit.mkdir()
    (kit / "version").write_text("23")

    code, seen = run(
        sandbox,
        *["sh", "-c", 'cat "$0/version" > copied && ls "$1"', kit, tmp_path],
        cwd=box,
        readable=[kit],
        writable=[box],
    )

    assert (code, seen.split("\n")[:2]) == (0, ["a kit", "box"])
    assert (box / "copied").read_text() == "23"


@pytest.mark.sandbox
def test_a_readable_folder_inside_a_writable_one_stays_read_only(sandbox, box):
    (box / "oh_modules").mkdir()

    code, seen = run(
        sandbox,
        *["sh", "-c", "touch ok && touch oh_modules/bad"],
        cwd=box,
        readable=[box / "oh_modules"],
        writable=[box],
    )

    assert code != 0
    assert "Read-only file system" in seen
    assert [path.name for path in sorted(box.iterdir())] == ["oh_modules", "ok"]


@pytest.mark.sandbox
def test_a_node_of_the_system_or_from_elsewhere_runs_inside_and_within_its_memory(
    sandbox, box, tmp_path
):
    require("node", NODE is not None, "run `make setup`")
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    node = tmp_path / "venv" / "bin" / "node"
    shutil.copy(NODE.resolve(), node)
    of_the_system = [path for path in [Path("/usr/bin/node")] if path.exists()]
    greedy = "const a = []; for (;;) a.push(Buffer.alloc(1 << 24, 1))"
    given = {
        "cwd": box,
        "readable": [tmp_path / "venv"],
        "writable": [box],
        "limits": Limits(memory_bytes=512 * MIB),
    }

    for each in (node, *of_the_system):
        code, seen = run(sandbox, each, "-p", "new Array(1e6).fill(7).length", **given)
        assert (code, seen) == (0, "1000000\n")
    ended, _ = run(sandbox, node, "-e", greedy, **given)
    assert ended != 0


# It stops in the end, lest it fill a disk before a busy machine has looked, and waits.
WRITER = """
i=0
while [ $i -lt 256 ]; do dd if=/dev/zero of=f$i bs=1M count=4; i=$((i + 1)); done
exec sleep 1000
"""


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("command", "limits", "said"),
    [
        (WRITER, Limits(written_bytes=64 * MIB), "wrote more than 64 MiB"),
        (
            "i=0; while :; do : > f$i; i=$((i + 1)); done",
            Limits(written_files=300),
            "made more than 300 files",
        ),
        (
            "i=0; while :; do mkdir d; cd d; i=$((i + 1)); done",
            Limits(written_files=200),
            "made more than 200 files",
        ),
        # Gone before anybody has looked, but measured all the same.
        (
            "dd if=/dev/zero of=f bs=1M count=65 2>/dev/null",
            Limits(written_bytes=64 * MIB),
            "wrote more than 64 MiB",
        ),
    ],
    ids=["many files", "empty files", "folders", "at once"],
)
def test_what_a_command_writes_in_all_is_limited(sandbox, box, command, limits, said):
    process = sandbox.popen(
        ["sh", "-c", command], cwd=box, env={}, writable=[box], limits=limits
    )

    finished = processes.finish(process, deadline=time.monotonic() + 600)

    assert excess_of(process) == said
    assert not finished.timed_out


@pytest.mark.sandbox
def test_what_was_there_before_a_command_counts_for_nothing(sandbox, box):
    (box / "base").write_bytes(bytes(8 * MIB))
    limits = Limits(written_bytes=4 * MIB, written_files=1)
    process = sandbox.popen(
        ["sh", "-c", "cat base | head -c 1000000 > made; sleep 0.5"],
        cwd=box,
        env={},
        writable=[box],
        limits=limits,
    )

    finished = processes.finish(process, deadline=time.monotonic() + 600)

    assert (finished.exit_code, excess_of(process)) == (0, "")


@pytest.mark.sandbox
def test_a_file_with_holes_costs_what_it_takes(sandbox, box):
    process = sandbox.popen(
        ["truncate", "--size=512M", "holes"],
        cwd=box,
        env={},
        writable=[box],
        limits=Limits(written_bytes=64 * MIB),
    )
    processes.finish(process, deadline=time.monotonic() + 600)

    assert (box / "holes").stat().st_size == 512 * MIB
    assert excess_of(process) == ""


DAEMON = "(setsid sh -c 'while :; do date >> beat; sleep 0.05; done' &)"
WAIT_SECONDS = 120


def beats(box: Path) -> bool:
    """Whether the daemon writes; waits for it."""
    before = written(box)
    return comes_true(lambda: written(box) > before)


def falls_silent(box: Path) -> bool:
    """Whether the daemon has written and writes no more; waits for its end."""

    def is_silent() -> bool:
        before = written(box)
        time.sleep(1)
        return written(box) == before > 0

    return comes_true(is_silent)


def written(box: Path) -> int:
    beat = box / "beat"
    return beat.stat().st_size if beat.exists() else 0


def comes_true(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + WAIT_SECONDS
    while not (found := condition()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


@pytest.mark.sandbox
def test_what_a_command_leaves_running_ends_with_it(sandbox, box):
    command = f"{DAEMON}; while [ ! -s beat ]; do sleep 0.05; done"
    process = sandbox.popen(["sh", "-c", command], cwd=box, env={}, writable=[box])

    finished = processes.finish(process, deadline=time.monotonic() + 600)

    assert finished.exit_code == 0
    assert falls_silent(box)


@pytest.mark.sandbox
def test_a_command_out_of_time_is_gone_with_its_daemons(sandbox, box):
    command = f"{DAEMON}; sleep 1000"
    process = sandbox.popen(["sh", "-c", command], cwd=box, env={}, writable=[box])
    assert beats(box)

    finished = processes.finish(process, deadline=time.monotonic())

    assert finished.timed_out
    assert falls_silent(box)


@pytest.mark.sandbox
def test_a_sandbox_dies_with_a_killed_worker(sandbox, box):
    worker = (
        "import sys; from pathlib import Path\n"
        "from evaluator.sandbox import open_sandbox\n"
        "box = Path(sys.argv[1]); command = ['sh', '-c', sys.argv[2]]\n"
        "sandbox = open_sandbox(sys.argv[3])\n"
        "sandbox.popen(command, cwd=box, env={}, writable=[box]).wait()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", worker, box, f"{DAEMON}; sleep 1000", sandbox.name],
        cwd=PROJECT,
    ) as process:
        assert beats(box)
        process.kill()

    assert falls_silent(box)


@pytest.mark.sandbox
def test_a_command_that_fails_is_told_from_a_sandbox_that_fails(sandbox, box):
    lying = "echo 'bwrap: cannot create namespace' >&2; exit 1"
    failed = sandbox.popen(["sh", "-c", lying], cwd=box, env={}, writable=[box])
    failed.communicate()
    broken = sandbox.popen(["true"], cwd=Path("/nowhere"), env={})
    broken.communicate()

    assert failed.returncode == broken.returncode == 1
    assert was_set_up(failed)
    assert not was_set_up(broken)


@pytest.mark.sandbox
def test_a_killed_command_was_set_up_all_the_same(sandbox, box):
    process = sandbox.popen(["sh", "-c", "kill -9 $$"], cwd=box, env={}, writable=[box])
    process.communicate()

    assert process.returncode == 128 + 9
    assert was_set_up(process)


@pytest.mark.sandbox
def test_processor_time_runs_out(sandbox, box):
    code, _ = run(
        sandbox,
        *["sh", "-c", "while :; do :; done"],
        cwd=box,
        writable=[box],
        limits=Limits(cpu_seconds=1),
    )

    assert code == 128 + 9


@pytest.mark.sandbox
def test_a_path_that_is_missing_is_named(sandbox, box):
    with pytest.raises(SandboxError, match=f"Cannot bind {box}/sdk: No such file"):
        run(sandbox, "true", cwd=box, readable=[box / "sdk"])


@pytest.mark.sandbox
def test_a_relative_path_is_refused(sandbox, box):
    with pytest.raises(SandboxError, match="sdk is not"):
        run(sandbox, "true", cwd=box, readable=[Path("sdk")])


@pytest.mark.sandbox
def test_a_nul_in_the_environment_does_not_become_an_option(sandbox, box):
    with pytest.raises(SandboxError, match="NUL"):
        run(sandbox, "true", cwd=box, env={"A": "x\0--share-net"}, writable=[box])


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="root drops to a slot user")


@needs_root
@pytest.mark.sandbox
def test_root_gives_every_open_sandbox_a_user_of_its_own(bwrap, box):
    other = open_sandbox("bwrap")

    seen = {
        run(each, "id", "-u", cwd=Path("/"), writable=[box])[1]
        for each in (bwrap, other)
    }

    assert len(seen) == 2
    assert all(int(uid) >= 60100 for uid in seen)


@needs_root
@pytest.mark.sandbox
def test_root_hands_over_writable_folders_and_can_still_remove_them(sandbox, box):
    (box / "src").mkdir(mode=0o700)
    (box / "src" / "a.ets").write_text("old")
    (box / "src" / "a.ets").chmod(0o600)
    (box / "out").symlink_to("/etc/hostname")
    owner_of_the_host_file = Path("/etc/hostname").stat().st_uid

    code, seen = run(
        sandbox, "sh", "-c", "echo new > src/a.ets", cwd=box, writable=[box]
    )

    assert (code, seen) == (0, "")
    assert (box / "src" / "a.ets").read_text() == "new\n"
    assert (box / "src").stat().st_uid >= 60100
    assert Path("/etc/hostname").stat().st_uid == owner_of_the_host_file


@needs_root
@pytest.mark.sandbox
def test_a_single_file_can_be_writable(sandbox, box):
    (box / "one").write_text("")
    (box / "other").write_text("")

    code, _ = run(
        sandbox,
        *["sh", "-c", 'echo yes > "$0"; test ! -e "$1"', box / "one", box / "other"],
        cwd=Path("/"),
        writable=[box / "one"],
    )

    assert code == 0
    assert (box / "one").read_text() == "yes\n"


@needs_root
def test_when_all_slot_users_are_taken_the_error_says_so(monkeypatch):
    monkeypatch.setattr(slots, "SLOT_COUNT", 0)

    with pytest.raises(SandboxUnavailableError, match="Run fewer workers"):
        slots.Slot()


def test_a_closed_slot_is_free_again(monkeypatch):
    monkeypatch.setattr(slots, "LOCK_NAME", f"ohb-test-slot-{os.getpid()}")
    first, second = slots.Slot(), slots.Slot()
    uid = first.uid
    first.close()
    first.close()

    again = slots.Slot()

    assert again.uid == uid != second.uid
    again.close()
    second.close()


@pytest.mark.parametrize("module", ["sandbox", "patches", "workspaces"])
def test_the_module_works_without_django(module):
    script = f"import sys, evaluator.{module}; print('django' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=PROJECT, capture_output=True, check=True
    )

    assert done.stdout == b"False\n"


@needs_root
@pytest.mark.sandbox
def test_root_is_told_when_a_readable_folder_is_private(sandbox, box):
    box.chmod(0o700)

    with pytest.raises(SandboxError, match=r"private to its owner.*chmod o\+rX"):
        run(sandbox, "true", cwd=Path("/"), readable=[box])


@needs_root
@pytest.mark.sandbox
def test_an_ordinary_user_gets_the_same_walls(bwrap):
    if not Path("/usr/bin/python3").exists():
        pytest.skip("needs a Python that every user may run")
    script = (
        "from evaluator.sandbox import *; s = open_sandbox('bwrap');"
        "bad = [r for r in probe(s) if not r.ok and 'together' not in r.name];"
        "print(s.describe(), bad)"
    )
    done = subprocess.run(
        [
            *["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"],
            *["/usr/bin/python3", "-B", "-c", script],
        ],
        cwd=PROJECT,
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr == ""
    assert done.stdout.startswith("bwrap: as the worker's own user")
    assert done.stdout.endswith(" []\n")


def test_without_bubblewrap_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(bubblewrap.shutil, "which", lambda tool, path=None: (
        None if tool == "bwrap" else f"/usr/bin/{tool}"
    ))  # fmt: skip

    with pytest.raises(SandboxUnavailableError, match="apt-get install bubblewrap"):
        open_sandbox("bwrap")


def test_an_old_bubblewrap_is_refused(monkeypatch, tmp_path):
    old = tmp_path / "bwrap"
    old.write_text("#!/bin/sh\necho bubblewrap 0.6.1\n")
    old.chmod(0o755)
    monkeypatch.setitem(bubblewrap.OUTER_ENVIRONMENT, "PATH", f"{tmp_path}:/usr/bin")

    with pytest.raises(SandboxUnavailableError, match=r"0\.6\.1 is too old; 0\.8"):
        open_sandbox("bwrap")


@pytest.mark.sandbox
def test_a_bubblewrap_that_cannot_work_here_says_why(bwrap, monkeypatch):
    monkeypatch.setattr(bubblewrap, "system_folders", lambda: iter(["--no-such-thing"]))

    with pytest.raises(
        SandboxUnavailableError, match="does not work here: bwrap: Unknown option"
    ):
        open_sandbox("bwrap")


@pytest.fixture
def no_bubblewrap(monkeypatch) -> None:
    def missing() -> str:
        raise SandboxUnavailableError("bubblewrap (bwrap) is not installed.")

    monkeypatch.setattr(bubblewrap, "_find_bubblewrap", missing)


@needs_root
@pytest.mark.sandbox
def test_root_without_bubblewrap_gets_the_second_best_with_a_warning(no_bubblewrap):
    sandbox = open_sandbox("auto")

    assert (sandbox.name, sandbox.isolates) == ("unshare", True)
    assert "WARNING: no system call filter. Install bubblewrap" in sandbox.describe()
    assert open_ways_out(sandbox) == []


def test_anybody_else_without_bubblewrap_gets_no_sandbox(no_bubblewrap, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)

    sandbox = open_sandbox("auto")

    assert (sandbox.name, sandbox.isolates) == ("none", False)
    assert "bubblewrap (bwrap) is not installed" in sandbox.describe()


def test_without_either_the_reasons_are_told(no_bubblewrap, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(unshare.shutil, "which", lambda tool, path: (
        None if tool == "pivot_root" else tool
    ))  # fmt: skip

    sandbox = open_sandbox("auto")

    assert (sandbox.name, sandbox.isolates) == ("none", False)
    assert "bubblewrap (bwrap) is not installed" in sandbox.describe()
    assert "needs pivot_root on PATH" in sandbox.describe()


def test_the_sandbox_of_util_linux_is_for_root(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)

    with pytest.raises(SandboxUnavailableError, match="for root only"):
        open_sandbox("unshare")


@needs_root
@pytest.mark.sandbox
def test_an_unshare_that_cannot_work_here_says_why(monkeypatch):
    monkeypatch.setattr(unshare, "_ROOT", "/no-such-place")

    with pytest.raises(SandboxUnavailableError, match="unshare does not work here: "):
        open_sandbox("unshare")


@needs_root
@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("left_out", "opened"),
    [
        ("net", "no connection to the host's loopback"),
        ("pid", "only its own processes are visible"),
        ("ipc", "every namespace is its own"),
        ("cgroup", "every namespace is its own"),
    ],
)
def test_each_wall_of_util_linux_is_really_tried(monkeypatch, left_out, opened):
    sandbox = open_sandbox("unshare")
    spaces = tuple(space for space in unshare._SPACES if space != left_out)
    monkeypatch.setattr(unshare, "_SPACES", spaces)

    assert opened in {result.name for result in open_ways_out(sandbox)}


@needs_root
@pytest.mark.sandbox
def test_words_for_the_walls_are_never_read_by_a_shell(box, tmp_path):
    nasty = tmp_path / "$(touch made)'; touch made; '"
    nasty.mkdir()
    given = 'a\'b "c" $(touch /tmp/made) `touch /tmp/made`\nd'

    code, seen = run(
        open_sandbox("unshare"),
        *["sh", "-c", 'printf %s "$GIVEN"; ls -d "$0"; ls /tmp', nasty],
        cwd=nasty,
        env={"GIVEN": given},
        writable=[nasty],
    )

    assert code == 0
    assert seen.startswith(given)
    assert "/made" not in seen.removeprefix(given).replace(str(nasty), "")


def test_an_unknown_mode_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"'docker'.*bwrap, unshare, none"):
        open_sandbox("docker")


def test_the_host_sandbox_runs_with_the_given_environment_only(box, monkeypatch):
    monkeypatch.setenv("OHB_SECRET_KEY", "canary-7f3a")

    code, seen = run(open_sandbox("none"), "env", cwd=box, env={"GIVEN": "yes"})

    assert code == 0
    assert "GIVEN=yes" in seen
    assert "canary" not in seen


def test_the_host_sandbox_is_never_probed_and_never_passes():
    assert [result.ok for result in probe(open_sandbox("none"))] == [False]
