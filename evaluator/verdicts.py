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

from evaluator.fault_codes import BLAME, Blame, Cause, install_meaning, message_cause


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
    DEVICE_FAULT = "device_fault"
    HDC = "hdc_error"
    INSTALL = "install_refused"
    NO_REPORT = "no_report"
    RUNNER_CRASH = "runner_crash"
    MODEL_ENDPOINT = "model_endpoint"
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

# A project can keep the compiler busy for ever, make it crash, or ask for an SDK that
# is not there.
_DOUBTFUL_BUILDS = {
    InfraReason.DEADLINE: FailReason.TIMED_OUT,
    InfraReason.RUNNER_CRASH: FailReason.BUILD_FAILED,
}
# An app can hang, or be built so that no device takes it.
_DOUBTFUL_CHECKS = {
    InfraReason.DEADLINE: FailReason.TIMED_OUT,
    InfraReason.INSTALL: FailReason.INSTALL_FAILED,
}
_SETUP_FAILED = "setup failed: "


def doubt_about_build(trouble: Trouble) -> Ambiguous | None:
    """Whether the project may have caused the trouble of its build."""
    reason = _DOUBTFUL_BUILDS.get(trouble.reason)
    return Ambiguous(reason, trouble) if reason is not None else None


def doubt_about_checks(
    trouble: Trouble | None, failures: Sequence[str]
) -> Ambiguous | None:
    """Whether the app or the device is to blame for the end of its checks.

    ``failures`` are the messages of the failed F-points. An interface of the framework
    that raised has one code for a component that is missing, an app that does not start
    and a device that does not answer; a code that nobody knows may be anything.
    """
    if trouble is not None:
        reason = _DOUBTFUL_CHECKS.get(trouble.reason)
        return Ambiguous(reason, trouble) if reason is not None else None
    for message in failures:
        cause = _cause_of(message.removeprefix(_SETUP_FAILED))
        if cause is not None and BLAME[cause] is Blame.UNCLEAR:
            ours = Trouble(InfraReason.RUNNER_CRASH, _one_line(message))
            return Ambiguous(FailReason.CHECK_FAILED, ours)
    return None


# --- hdc ----------------------------------------------------------------

_INSTALL_CODE = re.compile(r"\bcode:\s*(\d{7})\b")


class Refused(NamedTuple):
    """A package that no device would take; ``detail`` says why."""

    detail: str


def install_fault(answer: str) -> Refused | Trouble | None:
    """Judge what ``hdc install`` printed; None means installed.

    The exit status says nothing. A refusal that may be the package's fault or the
    device's (a missing or strange signature, for one) leaves a doubt that a control run
    decides.
    """
    if "install bundle successfully" in answer:
        return None
    code = _INSTALL_CODE.search(answer)
    if code is None:
        return Trouble(InfraReason.INSTALL, "hdc install: " + _one_line(answer))
    meaning = install_meaning(int(code[1]))
    if meaning.blame is Blame.MODEL:
        return Refused(f"the device refused the package ({code[1]}): {meaning.text}")
    ours = meaning.blame is Blame.OURS
    reason = InfraReason.DEVICE_FAULT if ours else InfraReason.INSTALL
    return Trouble(reason, f"hdc install: {meaning.text}. {_one_line(answer)}")


# --- Hypium reports -----------------------------------------------------

PASSED, FAILED = "Passed", "Failed"

_CAUSE = re.compile(r"\[([A-Za-z]+)-(\d{7})\]")
_OUR_CAUSES = {
    Cause.SCRIPT: InfraReason.CHECK_BROKEN,
    Cause.DEVICE: InfraReason.DEVICE_LOST,
    Cause.RUNNER: InfraReason.RUNNER_CRASH,
}


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
    cause = _cause_of(message)
    reason = None if cause is None else _OUR_CAUSES.get(cause)
    return None if reason is None else Trouble(reason, _one_line(message))


def _cause_of(message: str) -> Cause | None:
    found = _CAUSE.match(message.lstrip())
    return None if found is None else message_cause(found[1], found[2])


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
            message = f"{_SETUP_FAILED}{case.message}".strip()
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
