"""Limits for a whole tree of processes: control groups, real ones and made-up ones.

A folder stands for version 2 of the kernel's interface, so that these tests run where
it is not set up or belongs to somebody else.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator.sandbox import (
    Limits,
    SandboxUnavailableError,
    bubblewrap,
    excess_of,
    open_ways_out,
    probe,
    probes,
)
from evaluator.sandbox.bubblewrap import BubblewrapSandbox
from evaluator.sandbox.cgroups import KINDS, WORKER_GROUP, Groups, find_groups
from tests.requirements import require

MIB = 1024 * 1024
OWN = "system.slice/ohb.service"
WAIT_SECONDS = 300
CHILD, STRANGER = 70_001, 70_002


class Kernel:
    """A made-up /sys/fs/cgroup and /proc; this process is in the group ``OWN``."""

    def __init__(self, folder: Path) -> None:
        self.root, self.proc = folder / "cgroup", folder / "proc"
        self.own = self.root / OWN
        self.own.mkdir(parents=True)
        self.belongs_to(f"0::/{OWN}")
        self.process(os.getpid(), parent=1)
        self.process(CHILD, parent=os.getpid())
        self.process(STRANGER, parent=1)

    def version_2(
        self,
        *,
        offers: str = "cpu io memory pids",
        enabled: str = "",
        holds: tuple[int, ...] = (),
    ) -> None:
        (self.root / "cgroup.controllers").write_text("cpu io memory pids\n")
        (self.own / "cgroup.type").write_text("domain\n")
        (self.own / "cgroup.controllers").write_text(f"{offers}\n")
        (self.own / "cgroup.subtree_control").write_text(enabled)
        pids = "".join(f"{pid}\n" for pid in holds or (os.getpid(),))
        (self.own / "cgroup.procs").write_text(pids)

    def belongs_to(self, *lines: str) -> None:
        (self.proc / "self").mkdir(parents=True, exist_ok=True)
        (self.proc / "self" / "cgroup").write_text("\n".join(lines) + "\n")

    def process(self, pid: int, *, parent: int) -> None:
        (self.proc / str(pid)).mkdir(parents=True)
        (self.proc / str(pid) / "stat").write_text(f"{pid} (a) b) S {parent} 1 1")

    def find(self) -> Groups:
        return find_groups(self.root, self.proc)


@pytest.fixture
def kernel(tmp_path: Path) -> Kernel:
    return Kernel(tmp_path)


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_delegated_group_limits_everything(kernel):
    kernel.version_2()

    groups = kernel.find()

    assert groups.missing == ()
    assert groups.describe() == "memory, processes and processor time limited in total"
    words = (kernel.own / "cgroup.subtree_control").read_text().split()
    assert set(words) == {"+memory", "+pids", "+cpu"}


def test_the_limits_of_a_command_are_written_into_a_group_of_its_own(kernel):
    kernel.version_2()
    groups = kernel.find()

    one, other = (
        groups.make(Limits(processes=24, total_memory_bytes=64 * MIB, processors=0.5))
        for _ in range(2)
    )

    (folder,) = one.folders
    assert folder.parent == kernel.own
    assert one.folders != other.folders
    written = {path.name: path.read_text() for path in folder.iterdir()}
    assert written == {
        "memory.max": str(64 * MIB),
        "memory.oom.group": "1",
        "pids.max": "32",
        "cpu.max": "50000 100000",
    }


def test_swap_is_no_way_around_the_limit_of_memory(kernel, monkeypatch):
    kernel.version_2()
    groups = kernel.find()
    mkdir = Path.mkdir

    def as_a_kernel_that_counts_swap(path: Path, *args: object, **more: object) -> None:
        mkdir(path, *args, **more)
        (path / "memory.swap.max").write_text("max")

    monkeypatch.setattr(Path, "mkdir", as_a_kernel_that_counts_swap)
    (folder,) = groups.make(Limits()).folders

    assert (folder / "memory.swap.max").read_text() == "0"


def test_the_worker_makes_room_for_groups_and_takes_its_children_along(kernel):
    """A group of version 2 has either processes or limited groups below it."""
    kernel.version_2(holds=(os.getpid(), CHILD))

    kernel.find()

    leaf = kernel.own / WORKER_GROUP
    assert (leaf / "cgroup.procs").read_text() == str(CHILD)  # the last one written


def test_a_worker_that_is_the_first_process_of_a_container_makes_room_too(
    kernel, monkeypatch
):
    monkeypatch.setattr(os, "getpid", lambda: 1)
    kernel.process(1, parent=0)
    kernel.version_2(holds=(1, STRANGER))  # a child of its own here

    groups = kernel.find()

    assert groups.missing == ()


def test_a_group_that_others_are_in_is_left_alone_and_that_is_said(kernel):
    kernel.version_2(holds=(os.getpid(), STRANGER))

    groups = kernel.find()

    assert set(groups.missing) == set(KINDS.values())
    assert "memory, processes and processor time only per process" in groups.describe()
    assert f"shared with process {STRANGER}, not delegated" in groups.describe()
    assert not (kernel.own / WORKER_GROUP).exists()
    assert (kernel.own / "cgroup.subtree_control").read_text() == ""


def test_a_process_that_the_worker_started_finds_the_same_place(kernel):
    """A simulated device opens a sandbox of its own."""
    kernel.version_2(enabled="cpu memory pids")
    (kernel.own / WORKER_GROUP).mkdir()
    kernel.belongs_to(f"0::/{OWN}/{WORKER_GROUP}")

    groups = kernel.find()

    assert set(groups.parents.values()) == {kernel.own}


def test_what_is_not_delegated_is_said_to_hold_per_process(kernel):
    kernel.version_2(offers="cpu pids")

    groups = kernel.find()

    assert groups.missing == ("memory is limited together",)
    assert groups.describe().startswith(
        "processes and processor time limited in total, memory only per process"
    )


@pytest.mark.parametrize(
    "error", [OSError(30, "Read-only file system"), PermissionError(13, "denied")]
)
def test_where_nothing_can_be_written_the_sandbox_does_without(
    kernel, monkeypatch, error
):
    kernel.version_2(enabled="cpu memory pids")

    def refuse(path: Path, *_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(Path, "mkdir", refuse)
    groups = kernel.find()

    assert set(groups.missing) == set(KINDS.values())
    assert error.strerror in groups.describe()
    assert groups.make(Limits()).words() == []


def test_a_machine_without_control_groups_is_borne(tmp_path):
    groups = find_groups(tmp_path / "nothing", tmp_path / "nothing")

    assert "version 2 are not set up here" in groups.describe()
    assert groups.make(Limits()).words() == []


def test_version_1_limits_processes_and_processor_time(kernel):
    kernel.belongs_to("4:memory:/mine", "3:cpu,cpuacct:/mine", "2:pids:/", "0::/")
    for name in ("cpu/mine", "pids", "memory/mine"):
        (kernel.root / name).mkdir(parents=True)

    groups = kernel.find()

    assert groups.missing == ("memory is limited together",)
    assert groups.parents == {
        "cpu": kernel.root / "cpu" / "mine",
        "pids": kernel.root / "pids",
    }


def test_a_group_that_a_dead_worker_left_goes_with_the_next_command(kernel):
    kernel.version_2()
    groups = kernel.find()
    dead = subprocess.Popen(["true"])
    dead.wait()
    left, alive = (kernel.own / f"ohb-box-{pid}-1" for pid in (dead.pid, os.getppid()))
    left.mkdir()
    alive.mkdir()

    groups.make(Limits())

    assert not left.exists()
    assert alive.exists()


# --- in a sandbox -----------------------------------------------------------


def opened(groups: Groups | None = None) -> BubblewrapSandbox:
    try:
        return BubblewrapSandbox(groups=groups)
    except SandboxUnavailableError as error:
        require("sandbox", False, str(error))
        raise


@pytest.mark.sandbox
def test_a_command_joins_its_group_before_anything_else(kernel):
    kernel.version_2()

    with opened(kernel.find()).popen(["cat"], cwd=Path("/"), env={}) as cat:
        (folder,) = cat.group.folders
        # The real kernel would turn the 0 into the number of the process.
        wait_until((folder / "cgroup.procs").exists)
        cat.kill()

    assert (folder / "cgroup.procs").read_text() == "0\n"


@pytest.mark.sandbox
def test_a_command_that_the_kernel_ended_for_its_memory_is_told_apart(kernel):
    kernel.version_2()
    limits = Limits(total_memory_bytes=64 * MIB)
    sandbox = opened(kernel.find())

    with sandbox.popen(["cat"], cwd=Path("/"), env={}, limits=limits) as killed:
        events = killed.group.folders[0] / "memory.events"
        events.write_text("low 0\noom 3\noom_kill 0\n")
        assert excess_of(killed) == ""
        events.write_text("low 0\noom 3\noom_kill 2\noom_group_kill 1\n")
        killed.kill()

    assert excess_of(killed) == "used more than 64 MiB of memory"


@pytest.mark.sandbox
def test_a_sandbox_without_control_groups_works_and_says_so():
    sandbox = opened(Groups(reason="nothing to be had"))

    assert open_ways_out(sandbox) == []
    assert set(KINDS.values()) <= set(sandbox.gaps)
    assert "only per process (nothing to be had)" in sandbox.describe()
    found = {result.name: result.detail for result in probe(sandbox) if not result.ok}
    assert found["memory is limited together"] == "only for each process"


@pytest.mark.sandbox
def test_a_group_that_cannot_be_joined_is_found_by_the_probes(kernel, monkeypatch):
    """As where the folder is writable and its file of processes is not."""
    kernel.version_2()
    monkeypatch.setattr(probes, "_JOIN_SECONDS", 0.2)
    sandbox = opened(kernel.find())

    found = {result.name for result in open_ways_out(sandbox)}

    assert found == set(KINDS.values())


@pytest.fixture
def real() -> BubblewrapSandbox:
    """A sandbox with what control groups the machine itself gives, perhaps none."""
    return opened()


@pytest.mark.sandbox
def test_the_probes_find_what_the_machine_limits_in_total(real):
    held = {result.name for result in probe(real) if result.ok}

    assert held & set(KINDS.values()) == set(KINDS.values()) - set(real.gaps)
    assert open_ways_out(real) == []


@pytest.mark.sandbox
def test_processes_are_counted_in_the_group_too(real, monkeypatch):
    """Where the machine has no such groups, the user's own limit has to do."""
    words, alone = bubblewrap.prlimit_words, KINDS["pids"] in real.gaps
    monkeypatch.setattr(
        bubblewrap, "prlimit_words", lambda limits: words(limits, processes=alone)
    )
    bomb = (
        "import os, signal\n"
        "count = 0\n"
        "try:\n"
        "    while count < 200:\n"
        "        if os.fork() == 0: signal.pause()\n"
        "        count += 1\n"
        "except BlockingIOError: pass\n"
        "print(count, flush=True)\n"
    )
    limits = Limits(processes=24)

    with real.popen(
        ["/usr/bin/python3", "-c", bomb], cwd=Path("/"), env={}, limits=limits
    ) as process:
        count = int(process.stdout.readline())
        process.kill()

    assert 0 < count <= 32


def test_a_process_of_another_namespace_is_nobody_to_be_ended(kernel):
    """It is listed as 0, and kill(0) would end the worker's whole process group."""
    kernel.version_2()
    group = kernel.find().make(Limits())
    child = subprocess.Popen(["sleep", "1000"])
    listed = f"0\n{child.pid}\n0\n"
    (group.folders[0] / "cgroup.procs").write_text(listed)

    group.close()

    assert child.wait() == -9


@pytest.mark.sandbox
def test_processor_time_is_shared_by_all_processes_of_a_command(real):
    if KINDS["cpu"] in real.gaps:
        assert "processor time only per process" in real.describe()
        return
    busy = "while :; do :; done & while :; do :; done"

    with real.popen(
        ["sh", "-c", busy], cwd=Path("/"), env={}, limits=Limits(processors=0.1)
    ) as process:
        folder = real._groups.parents["cpu"] / process.group.folders[0].name
        wait_until(lambda: _throttled(folder / "cpu.stat") >= 3)
        process.kill()


def _throttled(path: Path) -> int:
    pairs = dict(line.split() for line in path.read_text().splitlines())
    return int(pairs["nr_throttled"])


@pytest.mark.sandbox
def test_the_group_of_a_command_goes_with_it(real):
    with real.popen(["cat"], cwd=Path("/"), env={}, stdin=subprocess.PIPE) as process:
        folders = process.group.folders
        assert all(folder.is_dir() for folder in folders)
        process.kill()
    del process

    def gone() -> bool:
        real._groups.make(Limits()).close()  # takes what was still dying along
        return not any(folder.exists() for folder in folders)

    wait_until(gone)
