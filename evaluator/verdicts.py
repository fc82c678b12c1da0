"""Tool outcomes sorted into model outcomes and infrastructure outcomes; pure.

A model outcome is the configuration's doing and final. An infrastructure outcome is
our own trouble: it is tried again and never scores.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class InfraReason(StrEnum):
    """Why a stage has to be run again. None of these ever counts as a fail."""

    WORKER_LOST = "worker_lost"
    DRAIN = "drain"
    DEADLINE = "deadline"
    TOOL_MISSING = "tool_missing"
    SANDBOX = "sandbox_setup"
    DISK_FULL = "disk_full"
    STORAGE = "storage_error"
    DEVICE_LOST = "device_lost"
    HDC = "hdc_error"
    INSTALL = "install_refused"
    NO_REPORT = "no_report"
    RUNNER_CRASH = "runner_crash"
    CHECK_BROKEN = "check_broken"
    NOT_SIMULATED = "not_simulated"
    WORKSPACE = "workspace_error"
    INTERNAL = "internal_error"


class FailReason(StrEnum):
    """Why a task run is not completed: the configuration's doing, final."""

    NO_CHANGE = "no_change"
    PATCH_REJECTED = "patch_rejected"
    PATCH_DOES_NOT_APPLY = "patch_does_not_apply"
    BUILD_FAILED = "build_failed"
    INSTALL_FAILED = "install_failed"
    CHECK_FAILED = "check_failed"
    TIMED_OUT = "timed_out"


@dataclass(frozen=True, slots=True)
class Trouble:
    """An infrastructure outcome: a reason from the closed list and what was seen."""

    reason: InfraReason
    detail: str


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """A bad end that the submission or our own trouble may have caused.

    A control run decides: where the reference does well on the same worker and device,
    in the same lease, it is a model outcome.
    """

    reason_if_model: FailReason
    trouble_if_ours: Trouble


# --- doubts -------------------------------------------------------------

# A project can keep the compiler busy for ever, or make it crash.
_DOUBTFUL_BUILDS = {
    InfraReason.DEADLINE: FailReason.TIMED_OUT,
    InfraReason.RUNNER_CRASH: FailReason.BUILD_FAILED,
}
# An app can hang, or be built so that no device takes it.
_DOUBTFUL_CHECKS = {
    InfraReason.DEADLINE: FailReason.TIMED_OUT,
    InfraReason.INSTALL: FailReason.INSTALL_FAILED,
}
# An interface of the framework raised: the component is missing, the app does not
# start, or the device does not answer. The code is the same for all of them.
_INTERFACE_RAISED = "0203002"


def doubt_about_build(trouble: Trouble) -> Ambiguous | None:
    """Whether the project may have caused the trouble of its build."""
    reason = _DOUBTFUL_BUILDS.get(trouble.reason)
    return Ambiguous(reason, trouble) if reason is not None else None


def doubt_about_checks(
    trouble: Trouble | None, failures: Sequence[str]
) -> Ambiguous | None:
    """Whether the app or the device is to blame for the end of its checks.

    ``failures`` are the messages of the failed F-points.
    """
    if trouble is not None:
        reason = _DOUBTFUL_CHECKS.get(trouble.reason)
        return Ambiguous(reason, trouble) if reason is not None else None
    for message in failures:
        if any(code == _INTERFACE_RAISED for _, code in _CAUSE.findall(message)):
            ours = Trouble(InfraReason.RUNNER_CRASH, _one_line(message))
            return Ambiguous(FailReason.CHECK_FAILED, ours)
    return None


# --- hdc ----------------------------------------------------------------

# The package's own doing, whatever device it meets: a profile with a field missing,
# a permission that the signing profile does not grant, an SDK or capability the
# device lacks, a module or native library that is not there.
_PACKAGE_FAULTS = frozenset({9568259, 9568289, 9568297, 9568305, 9568347, 9568413})

_INSTALL_CODE = re.compile(r"\bcode:\s*(\d{7})\b")


def install_fault(answer: str) -> FailReason | Trouble | None:
    """Judge what ``hdc install`` printed; None means installed.

    The exit status says nothing. A refusal with a code that is not known to be the
    package's own fault (a missing or strange signature, for one), or none, leaves a
    doubt that a control run decides.
    """
    if "install bundle successfully" in answer:
        return None
    code = _INSTALL_CODE.search(answer)
    if code and int(code[1]) in _PACKAGE_FAULTS:
        return FailReason.INSTALL_FAILED
    return Trouble(InfraReason.INSTALL, "hdc install: " + _one_line(answer))


# --- Hypium reports -----------------------------------------------------

PASSED, FAILED = "Passed", "Failed"

_CAUSE = re.compile(r"\[([A-Za-z]+)-(\d{7})\]")
_BROKEN_CHECK = {"0203001", "0203016", "0101014"}
_DEVICE_TROUBLE = ("0101021", "0202", "03")


class MethodReport(NamedTuple):
    """One test method in a report; ``kind`` is Passed, Failed, Blocked, Ignored, ..."""

    name: str
    kind: str
    message: str = ""
    seconds: float = 0.0


class CaseReport(NamedTuple):
    """One test class in a report.

    ``kind`` is the class's own result; without ``methods`` its setup failed.
    """

    name: str
    kind: str
    message: str = ""
    methods: tuple[MethodReport, ...] = ()


class MethodVerdict(NamedTuple):
    """What a report says about one expected method."""

    passed: bool
    message: str = ""
    seconds: float = 0.0


Expected = tuple[str, str]
"""A test class and one of its methods."""


def trouble_in_message(message: str) -> Trouble | None:
    """Our own trouble, if a report's message begins with a code that stands for it.

    The code at the very start is the framework's; what follows may quote the app.
    """
    cause = _CAUSE.match(message.lstrip())
    if cause is None:
        return None
    category, code = cause[1], cause[2]
    if code in _BROKEN_CHECK:
        reason = InfraReason.CHECK_BROKEN
    elif code.startswith(_DEVICE_TROUBLE):
        reason = InfraReason.DEVICE_LOST
    elif category == "Environment" or code.startswith("01"):
        reason = InfraReason.RUNNER_CRASH
    else:
        return None
    return Trouble(reason, _one_line(message))


def judge_report(
    cases: Sequence[CaseReport], expected: Sequence[Expected]
) -> Mapping[Expected, MethodVerdict] | Trouble:
    """Decide every expected method from one report, or say why that is impossible.

    A method passes only if it is there exactly once and Passed. A class that failed
    without any method failed in its setup: an app that does not start or show what
    it must is the model's doing, so its methods fail; the caller has made sure that
    the device was alive before and after, and the package installed.
    """
    if trouble := _trouble_in(cases, expected):
        return trouble
    verdicts: dict[Expected, MethodVerdict] = {}
    for case in cases:
        for method in case.methods:
            verdicts[case.name, method.name] = MethodVerdict(
                method.kind == PASSED, method.message, method.seconds
            )
        if not case.methods:
            message = f"setup failed: {case.message}".strip()
            for pair in expected:
                if pair[0] == case.name:
                    verdicts[pair] = MethodVerdict(passed=False, message=message)
    return verdicts


def _trouble_in(
    cases: Sequence[CaseReport], expected: Sequence[Expected]
) -> Trouble | None:
    for part in [part for case in cases for part in _parts(case)]:
        if part.kind != PASSED and (trouble := trouble_in_message(part.message)):
            return trouble
    wanted = list(dict.fromkeys(case for case, _ in expected))
    found = [case.name for case in cases]
    if sorted(wanted) != sorted(found):
        detail = f"cases expected: {_list(wanted)}; reported: {_list(found)}"
        return Trouble(InfraReason.NO_REPORT, detail)
    for case in cases:
        if trouble := _trouble_in_case(
            case, [m for c, m in expected if c == case.name]
        ):
            return trouble
    return None


def _trouble_in_case(case: CaseReport, wanted: Sequence[str]) -> Trouble | None:
    for part in _parts(case):
        if part.kind not in {PASSED, FAILED}:
            detail = f"{part.name} was {part.kind}: {_one_line(part.message)}"
            return Trouble(InfraReason.RUNNER_CRASH, detail)
    if not case.methods and case.kind == FAILED:
        return None
    found = [method.name for method in case.methods]
    if sorted(found) != sorted(wanted):
        detail = f"methods of {case.name} expected: {_list(wanted)}; "
        return Trouble(InfraReason.CHECK_BROKEN, f"{detail}reported: {_list(found)}")
    all_passed = all(method.kind == PASSED for method in case.methods)
    if all_passed != (case.kind == PASSED):
        detail = f"{case.name} is {case.kind}, which its methods contradict"
        return Trouble(InfraReason.RUNNER_CRASH, detail)
    return None


def _parts(case: CaseReport) -> list[CaseReport | MethodReport]:
    return [case, *case.methods]


def _list(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def _one_line(text: str) -> str:
    return " ".join(text.split())[:500] or "no answer"
