"""Hidden checks through the real Hypium: install, run xdevice, read its report.

xdevice exits with 0 whatever happened, and a device that is lost looks like a failed
assertion. So the report is judged, and only between two moments at which the device
was alive.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from evaluator.processes import Finished, finish, start
from evaluator.toolchains.base import (
    CheckOutcome,
    ChecksOutcome,
    CheckSuite,
    Device,
)
from evaluator.toolchains.hdc import Hdc, HdcError
from evaluator.toolchains.hidden_lines import without_hidden_lines
from evaluator.toolchains.hypium_project import Project, ProjectError
from evaluator.toolchains.hypium_report import (
    ReportError,
    check_record,
    is_complete,
    read_report,
)
from evaluator.verdicts import (
    InfraReason,
    MethodVerdict,
    Refused,
    Trouble,
    judge_report,
)

# A device that is not there within this time never comes; xdevice would wait 60 s.
ENVIRONMENT_SECONDS = 10

_WATCH_SECONDS = 0.1
_MESSAGE_LENGTH = 2000


class _StageTroubleError(Exception):
    def __init__(self, reason: InfraReason, detail: str) -> None:
        self.trouble = Trouble(reason, detail)
        super().__init__(detail)


@dataclass(frozen=True, slots=True)
class HypiumRunner:
    """Runs check suites with the Hypium that ``python`` has installed.

    ``environment`` needs a PATH with hdc, ps and grep. ``stop`` ends a run early.
    ``rehearses`` has the app started once before its checks, which then meet it as if
    it had never been: in a first meeting that tells an app that does not start from
    checks that fail. Evaluations leave the first start to the checks. ``entry`` is what
    starts xdevice, after the interpreter.
    """

    python: Path
    hdc: Path
    environment: Mapping[str, str]
    stop: threading.Event | None = None
    rehearses: bool = False
    entry: tuple[str | Path, ...] = ("-m", "xdevice")

    def run(
        self,
        package: Path,
        suite: CheckSuite,
        device: Device,
        *,
        scratch: Path,
        deadline: float,
    ) -> ChecksOutcome:
        """Decide every F-point of ``suite`` against ``package`` on ``device``."""
        began = time.monotonic()
        project = Project(scratch.absolute())
        try:
            outcome = self._run(package, suite, device, project, deadline=deadline)
        except HdcError as error:
            outcome = ChecksOutcome(trouble=self._timely(deadline, str(error)))
        except (ProjectError, _StageTroubleError) as error:
            outcome = ChecksOutcome(trouble=error.trouble)
        files = {
            f"checks/{name}": data.replace(str(project.top).encode(), b"/evaluation")
            for name, data in project.files().items()
        }
        files = without_hidden_lines(files, suite.folder)
        seconds = time.monotonic() - began
        return replace(outcome, files=files, seconds=seconds)

    def _run(
        self,
        package: Path,
        suite: CheckSuite,
        device: Device,
        project: Project,
        *,
        deadline: float,
    ) -> ChecksOutcome:
        self._need_tools()
        project.prepare(suite, device)
        hdc = Hdc(
            self.hdc,
            device,
            folder=project.folder,
            environment={**self.environment, "HOME": str(project.home)},
            deadline=deadline,
            stop=self.stop,
        )
        before = hdc.health()
        if not before.alive:
            raise _StageTroubleError(InfraReason.DEVICE_LOST, before.detail)
        with _installed(hdc, package, suite.bundle_name) as refusal:
            if refusal is not None:
                return _refused(suite, refusal)
            if self.rehearses:
                _start_once(hdc, suite.bundle_name)
            known_crashes = hdc.crash_logs(suite.bundle_name)
            finished = self._run_xdevice(suite, device, project, deadline=deadline)
            if not is_complete(project.report):
                _need_time(finished)
            after = hdc.health()
            if not after.same_device_as(before):
                detail = after.detail or f"{device.serial} restarted during the checks"
                raise _StageTroubleError(InfraReason.DEVICE_LOST, detail)
            crashes = hdc.crash_logs(suite.bundle_name) - known_crashes
        _need_a_good_end(finished, project)
        return _judge(suite, project, crashed=bool(crashes))

    def _need_tools(self) -> None:
        for tool, setting in ((self.python, "OHB_HYPIUM_PYTHON"), (self.hdc, "PATH")):
            if not tool.is_file():
                detail = f"{tool} is missing; run `make setup` or set {setting}"
                raise _StageTroubleError(InfraReason.TOOL_MISSING, detail)

    def _run_xdevice(
        self, suite: CheckSuite, device: Device, project: Project, *, deadline: float
    ) -> Finished:
        """Run xdevice until its report is complete, it ends, or time is up.

        After the report it only waits and sleeps, so it is ended then.
        """
        words = ["run", "-l", ";".join(suite.cases), "-rp", str(project.report)]
        words += ["--env_check_timeout", str(ENVIRONMENT_SECONDS)]
        process = start(
            [self.python, *self.entry, *words],
            cwd=project.folder,
            env={
                "LANG": "C.UTF-8",
                **self.environment,
                **_places(project),
                "OHOS_HDC_SERVER_PORT": str(device.server_port),
                "PYTHONUNBUFFERED": "1",
                # xdevice looks for a running hdc in what ps prints, else waits 1 s.
                "COLUMNS": "4096",
            },
        )
        enough = threading.Event()
        watch = threading.Thread(
            target=_watch, args=(project.report, enough, self.stop), daemon=True
        )
        watch.start()
        finished = finish(process, deadline=deadline, stop=enough)
        enough.set()
        watch.join()
        project.console.write_bytes(finished.output)
        return finished

    def _timely(self, deadline: float, detail: str) -> Trouble:
        if self.stop is not None and self.stop.is_set():
            return Trouble(InfraReason.DRAIN, detail)
        late = time.monotonic() >= deadline
        return Trouble(InfraReason.DEADLINE if late else InfraReason.HDC, detail)


def _places(project: Project) -> Mapping[str, str]:
    """Home and temporary folder of one run, by the names of every system."""
    home, temporary = str(project.home), str(project.temporary)
    return {
        "HOME": home,
        "USERPROFILE": home,
        "TMPDIR": temporary,
        "TEMP": temporary,
        "TMP": temporary,
    }


def _watch(report: Path, enough: threading.Event, stop: threading.Event | None) -> None:
    while not enough.wait(_WATCH_SECONDS):
        if is_complete(report) or (stop is not None and stop.is_set()):
            enough.set()


@contextmanager
def _installed(hdc: Hdc, package: Path, bundle: str) -> Iterator[str | None]:
    """Have ``package`` installed on a clean device, and gone afterwards.

    Yields None, or what the device held against the package. Raises for our trouble.
    """
    hdc.remove(bundle)
    others = hdc.bundles()
    fault = hdc.install(package)
    if isinstance(fault, Trouble):
        raise _StageTroubleError(fault.reason, fault.detail)
    try:
        if isinstance(fault, Refused):
            yield fault.detail
        elif not hdc.has_bundle(bundle):
            yield f"the package does not install as {bundle}"
        else:
            yield None
    finally:
        # What stays on a device that is lost goes before the next run on it.
        with suppress(HdcError):
            for stray in {bundle, *(hdc.bundles() - others)} & hdc.bundles():
                hdc.remove(stray)


def _start_once(hdc: Hdc, bundle: str) -> None:
    ability = hdc.home_ability(bundle)
    if ability is None:
        raise HdcError(f"bm dump -n {bundle} names no ability to start")
    if fault := hdc.start_ability(bundle, ability):
        raise HdcError(fault)
    hdc.reset(bundle)


def _refused(suite: CheckSuite, message: str) -> ChecksOutcome:
    outcomes = tuple(
        CheckOutcome(check.f_point, passed=False, message=message)
        for check in suite.expected
    )
    return ChecksOutcome(outcomes, install_ok=False)


def _need_time(finished: Finished) -> None:
    """Raise if xdevice was ended from outside."""
    if finished.timed_out:
        detail = f"the checks did not end within {finished.seconds:.0f} s"
        raise _StageTroubleError(InfraReason.DEADLINE, detail)
    if finished.stopped:
        raise _StageTroubleError(InfraReason.DRAIN, "told to stop during the checks")


def _need_a_good_end(finished: Finished, project: Project) -> None:
    """Raise unless xdevice came to an end that its report can be believed after."""
    if is_complete(project.report):
        return
    if finished.exit_code != 0:
        detail = f"xdevice ended with status {finished.exit_code}"
        raise _StageTroubleError(InfraReason.RUNNER_CRASH, detail)
    lines = finished.output.decode("utf-8", "replace").splitlines()
    detail = f"xdevice left no report: {lines[-1][-300:] if lines else 'no output'}"
    raise _StageTroubleError(InfraReason.NO_REPORT, detail)


def _judge(suite: CheckSuite, project: Project, *, crashed: bool) -> ChecksOutcome:
    project.need_an_unbroken_seal()
    try:
        cases = read_report(project.report)
        check_record(project.report, cases)
    except ReportError as error:
        raise _StageTroubleError(InfraReason.NO_REPORT, str(error)) from None
    expected = [(check.case, check.method) for check in suite.expected]
    verdicts = judge_report(cases, expected)
    if isinstance(verdicts, Trouble):
        return ChecksOutcome(trouble=verdicts)
    return ChecksOutcome(
        tuple(
            _outcome(check.f_point, verdicts[check.case, check.method], crashed=crashed)
            for check in suite.expected
        )
    )


def _outcome(f_point: str, verdict: MethodVerdict, *, crashed: bool) -> CheckOutcome:
    message = verdict.message[:_MESSAGE_LENGTH]
    if crashed and not verdict.passed:
        message += " (the app crashed during the checks)"
    return CheckOutcome(f_point, verdict.passed, message.strip(), verdict.seconds)
