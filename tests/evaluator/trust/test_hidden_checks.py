"""Hidden checks and reference solutions stay hidden until the check stage.

Compared by digest: no file that a stage or a sandboxed command can reach equals one of
them. The check stage itself shows that the sweep would have found them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from pathlib import Path

import pytest
from django.conf import settings as django_settings

from evaluator import capability, worker
from evaluator.models import JobState, Stage
from evaluator.sandbox import (
    BubblewrapSandbox,
    Privacy,
    SandboxError,
    SandboxUnavailableError,
    open_sandbox,
)
from evaluator.toolchains.hvigor import HvigorBuilder
from leaderboard.snapshots import package_folder
from tests.evaluator.stubs import interpreter_folders, write_tool
from tests.evaluator.trust.bench import artifact
from tests.evaluator.trust.toolchains import FakeBuilder, good_toolchain

WALK = r"""
import hashlib
sizes = set(map(int, os.environ["SIZES"].split(",")))
seen = {}
for top, folders, names in os.walk("/"):
    if top in {"/proc", "/sys"}:
        folders.clear()
    for name in names:
        path = os.path.join(top, name)
        try:
            if os.path.isfile(path) and os.path.getsize(path) in sizes:
                with open(path, "rb") as stream:
                    seen[path] = hashlib.sha256(stream.read()).hexdigest()
        except OSError:
            continue
for path, digest in seen.items():
    print("SEEN", digest, path)
print("> hvigor BUILD FAILED in 1 s")
sys.exit(255)
"""


def digests(
    folders: Iterable[Path], *, sizes: Collection[int] | None = None
) -> dict[str, Path]:
    """The digests of every file below ``folders``, with one place for each.

    With ``sizes`` only files of those sizes are read: no other can be equal.
    """
    return {
        hashlib.sha256(path.read_bytes()).hexdigest(): path
        for folder in folders
        for path in ([folder] if folder.is_file() else folder.rglob("*"))
        if path.is_file()
        and not path.is_symlink()
        and (sizes is None or path.stat().st_size in sizes)
    }


def sizes_of(files: Iterable[Path]) -> set[int]:
    return {path.stat().st_size for path in files}


@pytest.fixture
def hidden(bench) -> dict[str, Path]:
    """The check scripts and all patches of every task, by digest."""
    top = package_folder(bench.snapshot)
    names = ("checks", "wrong", "reference.patch")
    found = digests(path for name in names for path in top.glob(f"tasks/*/{name}"))
    assert len(found) == 15
    return found


@pytest.fixture
def sandbox(walls, settings, monkeypatch) -> BubblewrapSandbox:
    """The worker's own sandbox, with this test's data folder as the private one."""
    opened = open_sandbox("bwrap", privacy=capability.privacy())
    monkeypatch.setattr(capability, "worker_sandbox", lambda: opened)
    monkeypatch.setattr("evaluator.pipeline.workspace.worker_sandbox", lambda: opened)
    return opened


def test_no_stage_before_the_checks_has_a_hidden_file_in_its_folder(
    bench, hidden, monkeypatch
):
    swept: dict[str, set[str]] = {}
    for stage, handler in list(worker.HANDLERS.items()):

        def watched(work, stage=stage, handler=handler):
            report = handler(work)
            swept[stage] = hidden.keys() & digests([work.folder])
            return report

        monkeypatch.setitem(worker.HANDLERS, stage, watched)

    job = bench.finish(bench.start_changed())

    assert job.state == JobState.SCORED
    assert swept == {stage: set() for stage in Stage}


def test_no_build_has_a_hidden_file_in_reach(bench, hidden, plug):
    seen: list[dict[str, Path]] = []

    def look(workspace: Path, scratch: Path) -> None:
        seen.append(digests([workspace, scratch, django_settings.WORK_DIR]))

    plug.append(good_toolchain(builder=FakeBuilder(look)))
    bench.step_to(bench.start_changed(), Stage.CHECKS)

    assert len(seen) == 2  # the first and the final build
    base = digests([bench.package() / "base"])
    for found in seen:
        assert not hidden.keys() & found
        assert base.keys() <= found.keys()


def test_the_sweep_finds_the_scripts_where_they_may_be(bench, hidden, tmp_path):
    """Without this the other tests might sweep in the wrong place."""
    copied = tmp_path / "project" / "testcases"
    copied.mkdir(parents=True)
    script = next(iter((bench.package() / "checks").glob("*.py")))
    (copied / script.name).write_bytes(script.read_bytes())

    assert hidden.keys() & digests([tmp_path / "project"])


@pytest.mark.sandbox
def test_nothing_hidden_is_bound_into_a_sandbox_before_the_checks(
    bench, hidden, sandbox, monkeypatch, plug, tmp_path
):
    bound: list[dict[str, Path]] = []
    popen = BubblewrapSandbox.popen

    def watched(self, argv, **options):
        paths = [*options.get("readable", ()), *options.get("writable", ())]
        bound.append(digests(paths, sizes=sizes_of(hidden.values())))
        return popen(self, argv, **options)

    monkeypatch.setattr(BubblewrapSandbox, "popen", watched)
    tool = write_tool(
        tmp_path / "tools" / "hvigorw",
        "print('> hvigor BUILD FAILED in 1 s'); sys.exit(255)",
    )
    builder = HvigorBuilder(tool, sandbox, {}, readable=interpreter_folders())
    plug.append(good_toolchain(builder=builder))

    job = bench.finish(bench.start_changed())

    assert (job.state, job.reason) == (JobState.SCORED, "build_failed")
    # Two patches in the diff stage, and a gate and a build for each of two builds.
    assert len(bound) == 6
    assert not any(hidden.keys() & found for found in bound)


@pytest.mark.sandbox
def test_a_build_that_walks_the_whole_file_system_sees_nothing_hidden(
    bench, hidden, sandbox, plug, tmp_path
):
    tool = write_tool(tmp_path / "tools" / "hvigorw", WALK)
    ordinary = bench.package() / "base" / "build-profile.json5"
    sizes = sizes_of([*hidden.values(), ordinary])
    builder = HvigorBuilder(
        tool,
        sandbox,
        {"SIZES": ",".join(map(str, sizes))},
        readable=interpreter_folders(),
    )
    plug.append(good_toolchain(builder=builder))

    job = bench.finish(bench.start_changed())

    log = artifact(job, "build_final.log").decode()
    seen = {line.split()[1] for line in log.splitlines() if line.startswith("SEEN")}
    assert hashlib.sha256(ordinary.read_bytes()).hexdigest() in seen
    assert not seen & hidden.keys()
    assert str(django_settings.DATA_DIR / "snapshots") not in log


# --- a mistaken setting must not show what is private --------------------


@pytest.mark.sandbox
@pytest.mark.parametrize("place", ["", "snapshots", "artifacts/ab", "work"])
def test_a_sandbox_refuses_to_show_the_data_folder(walls, data_dir, place):
    folder = data_dir / place
    folder.mkdir(parents=True, exist_ok=True)
    sandbox = open_sandbox("bwrap", privacy=capability.privacy())

    for asked in ({"readable": [folder]}, {"writable": [folder]}):
        with pytest.raises(SandboxError, match=f"{folder} must not be bound"):
            sandbox.popen(["true"], cwd=Path("/"), env={}, **asked)


@pytest.mark.sandbox
def test_a_link_to_the_data_folder_is_refused_too(walls, data_dir, tmp_path):
    (tmp_path / "kit").symlink_to(data_dir)
    sandbox = open_sandbox("bwrap", privacy=capability.privacy())

    with pytest.raises(SandboxError, match="is private"):
        sandbox.popen(["true"], cwd=Path("/"), env={}, readable=[tmp_path / "kit"])


@pytest.mark.sandbox
def test_what_shows_the_fixtures_is_refused(walls):
    sandbox = open_sandbox("bwrap", privacy=capability.privacy())

    with pytest.raises(SandboxError, match="fixtures is private"):
        sandbox.popen(
            ["true"], cwd=Path("/"), env={}, readable=[django_settings.BASE_DIR]
        )


def test_a_checkout_below_a_system_folder_gets_no_sandbox():
    closed = Privacy(closed=(Path("/usr/src/bench/var"),))

    with pytest.raises(SandboxUnavailableError, match=r"lies in /usr.*Move it"):
        open_sandbox("bwrap", privacy=closed)

    assert not open_sandbox("auto", privacy=closed).isolates


def test_a_folder_of_one_job_may_be_shown(data_dir, settings):
    folder = settings.WORK_DIR / "j1-x" / "workspace"
    folder.mkdir(parents=True)

    capability.privacy().check([folder])


def test_the_settings_of_the_device_name_what_apps_may_not_see(settings):
    privacy = capability.toolchain_settings().privacy

    assert {settings.DATA_DIR, settings.BASE_DIR / "fixtures"} <= {*privacy.closed}
