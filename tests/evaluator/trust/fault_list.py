"""Every way in which a stage may be disturbed, and what has to come of it.

A fault arranges the disturbance in a :class:`World`; the job stands before its stage
then. ``ends`` is an infrastructure reason or a model reason: its type is the class of
the outcome.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from evaluator.models import Stage
from evaluator.patches import repository
from evaluator.sandbox import HostSandbox, SandboxError
from evaluator.sandbox.cgroups import MEMORY, Group
from evaluator.toolchains.base import (
    BuildOutcome,
    CheckOutcome,
    ChecksOutcome,
    DeviceUnavailableError,
    Toolchain,
)
from evaluator.toolchains.hvigor import HvigorBuilder
from evaluator.toolchains.hypium import HypiumRunner
from evaluator.toolchains.registry import toolchain_for
from evaluator.toolchains.simulated import SimulatedChecks, SimulatedDevicePool
from evaluator.verdicts import FailReason, InfraReason, Trouble
from leaderboard.blobs import _name, _storage
from tests.evaluator.simulator.apps import (
    ENVIRONMENT,
    HDC,
    PROFILE,
    device_pool,
    write_package,
)
from tests.evaluator.stubs import write_tool
from tests.evaluator.trust.bench import Bench
from tests.evaluator.trust.toolchains import (
    FakeBuilder,
    FakeChecks,
    FakeDevices,
    good_toolchain,
)

BUNDLE = "com.example.ohbdemo.chat"
REFUSAL = "print('> hvigor ERROR: BUILD FAILED in 1 s'); sys.exit(255)"
XDEVICE = Path(__file__).parent / "honest_xdevice.py"
HONEST = XDEVICE.read_text("utf-8")
RUN_HONEST = f"import runpy; runpy.run_path({str(XDEVICE)!r}, run_name='__main__')\n"


@dataclass
class World:
    """What a fault may touch."""

    bench: Bench
    plug: list[Toolchain]
    monkeypatch: Any
    folder: Path
    settings: Any
    job: Any = None

    def build_with(self, body: str, **parts: Any) -> None:
        """Builds run a stand-in for hvigorw; a control run gets a good one."""
        tool = write_tool(self.folder / "tools" / "hvigorw", body)
        self.builder(HvigorBuilder(tool, HostSandbox(), {}), **parts)

    def builder(self, builder: Any, *, control_is_well: bool = True) -> None:
        good = FakeBuilder()

        class Both:
            def build(self, workspace: Path, **options: Any) -> BuildOutcome:
                control = control_is_well and "control" in workspace.parts
                return (good if control else builder).build(workspace, **options)

        self.plug.append(good_toolchain(builder=Both()))

    def check_with(self, body: str) -> None:
        """Checks run a stand-in for xdevice on a simulated device."""
        python = write_tool(self.folder / "python", body)
        self.checks(python=python, hdc=HDC, pool=device_pool())

    def checks(self, *, python: Path, hdc: Path, pool: SimulatedDevicePool) -> None:
        runner = HypiumRunner(python, hdc, ENVIRONMENT)
        app = write_package(
            self.folder / "app.hap",
            profile={**PROFILE, "app": {"bundleName": BUNDLE}},
        )

        def build(workspace: Path, scratch: Path) -> BuildOutcome:
            return BuildOutcome(ok=True, package=app, log=b"built")

        checks = SimulatedChecks(runner, pool)
        self.plug.append(Toolchain(FakeBuilder(build), pool, checks))

    def limit(self, seconds: float) -> None:
        """Give every stage so little time; control runs keep theirs."""
        self.monkeypatch.setattr(
            "evaluator.queue.time_limit", lambda *_, **__: timedelta(seconds=seconds)
        )

    def forget(self, digest: str) -> None:
        """Lose the bytes of a digest."""
        _storage().delete(_name(digest))

    def report(self, outcome: ChecksOutcome) -> None:
        """The checks end like this, but for a control run, which does well."""

        def act(scratch: Path, suite: Any) -> ChecksOutcome | None:
            return None if "control" in scratch.parts else outcome

        self.plug.append(good_toolchain(checks=FakeChecks(act=act)))


class Fault(NamedTuple):
    """``arranged_at`` is the stage before which the disturbance begins."""

    name: str
    stage: Stage
    ends: InfraReason | FailReason
    arrange: Callable[[World], None]
    arranged_at: Stage
    needs_root: bool


FAULTS: list[Fault] = []


def fault(
    stage: Stage,
    ends: InfraReason | FailReason,
    *,
    from_build: bool = False,
    needs_root: bool = False,
) -> Callable[[Callable[[World], None]], Callable[[World], None]]:
    """List a fault; one ``from_build`` on has a package of its own."""

    def add(arrange: Callable[[World], None]) -> Callable[[World], None]:
        at = Stage.BUILD_FINAL if from_build else stage
        FAULTS.append(Fault(arrange.__name__, stage, ends, arrange, at, needs_root))
        return arrange

    return add


# --- what the worker needs ----------------------------------------------


@fault(Stage.BUILD_FINAL, InfraReason.TOOL_MISSING)
def hvigorw_is_missing(world: World) -> None:
    world.builder(HvigorBuilder(world.folder / "nothing", HostSandbox(), {}))


@fault(Stage.BUILD_FINAL, InfraReason.TOOL_MISSING)
def hvigorw_lacks_its_interpreter(world: World) -> None:
    world.build_with("")
    tool = world.folder / "tools" / "hvigorw"
    tool.write_text("#!/bin/sh\nexec no-such-java -jar hvigor.jar\n")


@fault(Stage.BUILD_FIRST, InfraReason.TOOL_MISSING)
def node_is_missing(world: World) -> None:
    world.settings.OHB_TOOLCHAIN = f"{toolchain_for.__module__}.toolchain_for"
    world.settings.OHB_NODE = str(world.folder / "node")


@fault(Stage.CHECKS, InfraReason.TOOL_MISSING, from_build=True)
def hypium_is_missing(world: World) -> None:
    world.checks(python=world.folder / "python", hdc=HDC, pool=device_pool())


@fault(Stage.CHECKS, InfraReason.TOOL_MISSING, from_build=True)
def hdc_is_missing(world: World) -> None:
    python = write_tool(world.folder / "python", HONEST)
    world.checks(python=python, hdc=world.folder / "hdc", pool=device_pool())


@fault(Stage.DIFF, InfraReason.WORKSPACE)
def git_is_missing(world: World) -> None:
    world.monkeypatch.setattr(repository, "_HARDENED", ["no-such-git"])


@fault(Stage.BUILD_FINAL, InfraReason.SANDBOX)
def the_sandbox_refuses(world: World) -> None:
    class Refusing(HostSandbox):
        def popen(self, *_: Any, **__: Any) -> subprocess.Popen[bytes]:
            raise SandboxError("no user namespaces")

    tool = write_tool(world.folder / "tools" / "hvigorw", REFUSAL)
    world.builder(HvigorBuilder(tool, Refusing(), {}))


@fault(Stage.BUILD_FINAL, InfraReason.SANDBOX)
def the_sandbox_is_not_set_up(world: World) -> None:
    """It ends with the status of a failed build, but never reached the build."""

    class Broken(HostSandbox):
        def popen(self, *_: Any, **__: Any) -> subprocess.Popen[bytes]:
            words = ["sh", "-c", "echo '> hvigor ERROR: BUILD FAILED in 1 s'; exit 255"]
            process = subprocess.Popen(
                words, stdout=subprocess.PIPE, start_new_session=True
            )
            process.was_set_up = lambda: False  # type: ignore[attr-defined]  # as bubblewrap's
            return process

    tool = write_tool(world.folder / "tools" / "hvigorw", REFUSAL)
    world.builder(HvigorBuilder(tool, Broken(), {}))


@fault(Stage.DIFF, InfraReason.SANDBOX)
def the_gate_has_no_sandbox(world: World) -> None:
    class Refusing(HostSandbox):
        def popen(self, *_: Any, **__: Any) -> subprocess.Popen[bytes]:
            raise SandboxError("no user namespaces")

    world.monkeypatch.setattr(
        "evaluator.pipeline.workspace.worker_sandbox", lambda: Refusing()
    )


# --- disk and data -------------------------------------------------------


@fault(Stage.BUILD_FINAL, InfraReason.DISK_FULL)
def the_disk_fills_up_during_the_build(world: World) -> None:
    world.build_with(REFUSAL)
    usage = shutil.disk_usage(world.folder)._replace(free=1024)
    world.monkeypatch.setattr(
        "evaluator.toolchains.hvigor.shutil.disk_usage", lambda path: usage
    )


@fault(Stage.BUILD_FINAL, InfraReason.DISK_FULL, needs_root=True)
def the_work_folder_is_full(world: World) -> None:
    """For real: a file system of some pages, in which no workspace finds room."""
    world.settings.WORK_DIR = mounted(world, "size=40k")


@fault(Stage.CHECKS, InfraReason.DISK_FULL, needs_root=True)
def no_file_can_be_made(world: World) -> None:
    world.settings.WORK_DIR = mounted(world, "nr_inodes=1")


def mounted(world: World, options: str) -> Path:
    """A file system of its own; the test takes it away again."""
    folder = world.folder / "full"
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", options, "full", str(folder)]
    subprocess.run(words, check=True)
    return folder


@fault(Stage.BUILD_FINAL, InfraReason.DISK_FULL)
def the_storage_is_full(world: World) -> None:
    def full(content: bytes) -> None:
        raise OSError(28, "No space left on device")

    world.monkeypatch.setattr("evaluator.artifacts.store_blob", full)


@fault(Stage.DIFF, InfraReason.STORAGE)
def the_patch_is_not_in_the_storage(world: World) -> None:
    world.forget(world.job.facts["final_patch"])


@fault(Stage.CHECKS, InfraReason.STORAGE)
def the_package_is_not_in_the_storage(world: World) -> None:
    world.forget(world.job.facts["package"])


@fault(Stage.BUILD_FINAL, InfraReason.WORKSPACE)
def the_base_is_not_the_one_of_the_snapshot(world: World) -> None:
    (world.bench.package() / "base" / "more.txt").write_text("changed")


@fault(Stage.DIFF, InfraReason.WORKSPACE)
def the_task_package_is_not_on_this_worker(world: World) -> None:
    shutil.rmtree(world.bench.package().parents[1])


# --- builds --------------------------------------------------------------


@fault(Stage.BUILD_FINAL, InfraReason.NOT_SIMULATED)
def the_build_needs_what_is_not_simulated(world: World) -> None:
    world.build_with("print('> hvigor ERROR: not simulated: native code'); sys.exit(3)")


@fault(Stage.BUILD_FINAL, FailReason.BUILD_FAILED)
def the_build_fails(world: World) -> None:
    world.build_with(REFUSAL)


@fault(Stage.BUILD_FINAL, FailReason.BUILD_FAILED)
def the_build_prints_without_end_and_fails(world: World) -> None:
    flood = "for _ in range(40): sys.stdout.write('x' * (1 << 20) + '\\n')\n"
    world.build_with(flood + REFUSAL)


@fault(Stage.BUILD_FINAL, FailReason.TIMED_OUT)
def the_build_hangs_where_the_reference_builds(world: World) -> None:
    world.build_with("time.sleep(600)")
    world.limit(2)


@fault(Stage.BUILD_FINAL, InfraReason.DEADLINE)
def the_build_hangs_for_the_reference_too(world: World) -> None:
    hangs = Trouble(InfraReason.DEADLINE, "did not end")
    outcome = BuildOutcome(False, None, b"", trouble=hangs)
    world.builder(FakeBuilder(lambda *_: outcome), control_is_well=False)


@fault(Stage.BUILD_FINAL, FailReason.BUILD_FAILED)
def the_project_crashes_the_compiler(world: World) -> None:
    world.build_with("os.kill(os.getpid(), 11)")


@fault(Stage.BUILD_FINAL, InfraReason.RUNNER_CRASH)
def the_compiler_crashes_on_anything(world: World) -> None:
    crashed = Trouble(InfraReason.RUNNER_CRASH, "ended with status 139")
    outcome = BuildOutcome(False, None, b"", trouble=crashed)
    world.builder(FakeBuilder(lambda *_: outcome), control_is_well=False)


class Starved(HostSandbox):
    """Whatever runs in it, the kernel ends it for want of memory in its group."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._group = Group((folder,), 64 << 20, frozenset({MEMORY}))
        folder.mkdir()
        (folder / "memory.events").write_text("oom 1\noom_kill 1\n")

    def popen(self, *words: Any, **options: Any) -> subprocess.Popen[bytes]:
        process = super().popen(*words, **options)
        process.group = self._group  # type: ignore[attr-defined]
        return process


KILLED = "os.kill(os.getpid(), 9)"


@fault(Stage.BUILD_FINAL, FailReason.BUILD_FAILED)
def the_project_needs_more_memory_than_there_is(world: World) -> None:
    tool = write_tool(world.folder / "tools" / "hvigorw", KILLED)
    world.builder(HvigorBuilder(tool, Starved(world.folder / "group"), {}))


@fault(Stage.BUILD_FINAL, InfraReason.RUNNER_CRASH)
def the_reference_needs_more_memory_than_there_is_too(world: World) -> None:
    tool = write_tool(world.folder / "tools" / "hvigorw", KILLED)
    starved = HvigorBuilder(tool, Starved(world.folder / "group"), {})
    world.builder(starved, control_is_well=False)


@fault(Stage.BUILD_FIRST, InfraReason.INTERNAL)
def the_builder_has_a_bug(world: World) -> None:
    def broken(*_: Any) -> None:
        raise KeyError("outputs")

    world.plug.append(good_toolchain(builder=FakeBuilder(broken)))


# --- devices and checks --------------------------------------------------


@fault(Stage.CHECKS, InfraReason.DEVICE_LOST)
def no_device_is_to_be_had(world: World) -> None:
    def none() -> None:
        raise DeviceUnavailableError("all devices are suspect")

    world.plug.append(good_toolchain(devices=FakeDevices(none)))


@fault(Stage.CHECKS, InfraReason.DEVICE_LOST, from_build=True)
def the_device_never_starts(world: World) -> None:
    python = write_tool(world.folder / "python", HONEST)
    pool = SimulatedDevicePool(world.folder / "no-node", "none", ENVIRONMENT)
    world.checks(python=python, hdc=HDC, pool=pool)


NO_ROOM = (
    "[Info]App install path:app.hap msg:error: failed to install bundle. code:9568288 "
    "error: install failed due to insufficient disk memory.\nAppMod finish"
)


@fault(Stage.CHECKS, InfraReason.DEVICE_FAULT, from_build=True)
def the_device_has_no_room_left(world: World) -> None:
    python = write_tool(world.folder / "python", HONEST)
    hdc = write_tool(
        world.folder / "tools" / "hdc",
        f"if 'install' in sys.argv:\n    print({NO_ROOM!r})\n    sys.exit()\n"
        f"os.execv({str(HDC)!r}, [{str(HDC)!r}, *sys.argv[1:]])\n",
    )
    world.checks(python=python, hdc=hdc, pool=device_pool())


KILL_DEVICE = """
import subprocess
root = Path.cwd().parents[1] / "device" / "device"
listed = subprocess.run(["ps", "-eo", "pid=,args="], capture_output=True, text=True)
for line in listed.stdout.splitlines():
    pid, _, words = line.strip().partition(" ")
    if "evaluator.simulator.device" in words and str(root) in words:
        os.kill(int(pid), 9)
"""


@fault(Stage.CHECKS, InfraReason.DEVICE_LOST, from_build=True)
def the_device_is_killed_in_the_middle(world: World) -> None:
    """What the report says afterwards looks like any failed check."""
    world.check_with(KILL_DEVICE + "os.environ['BLIND'] = '1'\n" + RUN_HONEST)


@fault(Stage.CHECKS, InfraReason.NO_REPORT, from_build=True)
def xdevice_leaves_no_report(world: World) -> None:
    world.check_with("print('all is well')")


@fault(Stage.CHECKS, InfraReason.RUNNER_CRASH, from_build=True)
def xdevice_is_killed(world: World) -> None:
    world.check_with("os.kill(os.getpid(), 9)")


@fault(Stage.CHECKS, InfraReason.NO_REPORT, from_build=True)
def xdevice_leaves_a_torn_report(world: World) -> None:
    torn = HONEST.replace("json.dumps(told)", "json.dumps(told)[:20]")
    world.check_with(torn)


@fault(Stage.CHECKS, InfraReason.DEADLINE)
def xdevice_hangs_for_the_reference_too(world: World) -> None:
    hangs = Trouble(InfraReason.DEADLINE, "the checks did not end")

    def act(*_: Any) -> ChecksOutcome:
        return ChecksOutcome(trouble=hangs)

    world.plug.append(good_toolchain(checks=FakeChecks(act=act)))


@fault(Stage.CHECKS, FailReason.TIMED_OUT)
def the_app_hangs_where_the_reference_does_not(world: World) -> None:
    hangs = Trouble(InfraReason.DEADLINE, "the checks did not end")
    world.report(ChecksOutcome(trouble=hangs))


@fault(Stage.CHECKS, InfraReason.CHECK_BROKEN, from_build=True)
def a_check_script_is_missing(world: World) -> None:
    for script in (world.bench.package() / "checks").glob("*.py"):
        script.unlink()
    world.check_with(HONEST)


@fault(Stage.CHECKS, InfraReason.CHECK_BROKEN, from_build=True)
def a_check_script_does_not_load(world: World) -> None:
    broken = HONEST.replace("[Script-0203003] nothing", "[Script-0203001] cannot load")
    world.check_with(broken)


@fault(Stage.CHECKS, InfraReason.CHECK_BROKEN, from_build=True)
def a_check_script_lacks_a_method(world: World) -> None:
    (script,) = (world.bench.package() / "checks").glob("*.py")
    text = script.read_text("utf-8")
    script.write_text(text.replace("test_send_appends", "test_other"), "utf-8")
    world.check_with(HONEST)


@fault(Stage.CHECKS, InfraReason.NOT_SIMULATED, from_build=True)
def the_app_needs_what_is_not_simulated(world: World) -> None:
    world.check_with(HONEST)
    write_package(
        world.folder / "app.hap",
        "not_simulated",
        profile={**PROFILE, "app": {"bundleName": BUNDLE}},
    )


@fault(Stage.CHECKS, InfraReason.SANDBOX, from_build=True)
def the_process_for_apps_cannot_run(world: World) -> None:
    world.check_with(HONEST)
    write_package(
        world.folder / "app.hap",
        "host_broken",
        profile={**PROFILE, "app": {"bundleName": BUNDLE}},
    )


@fault(Stage.CHECKS, FailReason.INSTALL_FAILED, from_build=True)
def the_package_lacks_its_name(world: World) -> None:
    world.check_with(HONEST)
    write_package(world.folder / "app.hap", profile={"app": {}, "module": {}})


@fault(Stage.CHECKS, FailReason.CHECK_FAILED, from_build=True)
def a_check_fails(world: World) -> None:
    world.check_with(HONEST)


@fault(Stage.CHECKS, FailReason.CHECK_FAILED, from_build=True)
def the_app_crashes(world: World) -> None:
    world.check_with(HONEST)
    write_package(
        world.folder / "app.hap",
        "crash_on_start",
        profile={**PROFILE, "app": {"bundleName": BUNDLE}},
    )


@fault(Stage.CHECKS, InfraReason.INTERNAL)
def the_check_runner_has_a_bug(world: World) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError

    world.plug.append(good_toolchain(checks=FakeChecks(act=broken)))


@fault(Stage.CHECKS, InfraReason.INTERNAL)
def a_verdict_names_an_unknown_f_point(world: World) -> None:
    world.report(ChecksOutcome((CheckOutcome("FP-99", passed=True),)))
