"""Control runs: a doubt is decided by what the task's reference does at the same place.

The reference is known to build and to pass every check (that is what opened its
snapshot). Where it does so on this worker and device, in the same lease, a bad end was
the submission's doing; where it does not, the trouble is ours.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from evaluator import devices
from evaluator.models import AgentKind, Job, JobState
from evaluator.pipeline.work import StageTroubleError, StageWork
from evaluator.pipeline.workspace import prepare
from evaluator.queue import ModelOutcome, StageOutcome
from evaluator.toolchains.base import BuildOutcome, ChecksOutcome, Device
from evaluator.verdicts import Ambiguous, InfraReason, Trouble
from leaderboard.blobs import BlobMissingError, read_blob

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Control:
    """How the reference did. ``decided`` is False when it could not be tried."""

    well: bool
    detail: str
    decided: bool = True


def has_doubts(work: StageWork) -> bool:
    """Whether control runs apply: the built-in agents are themselves controls."""
    return work.job.agent in {AgentKind.REPLAY, AgentKind.CONFIGURED}


def decide(
    work: StageWork,
    doubt: Ambiguous,
    run_control: Callable[[StageWork], Control],
    *,
    if_model: ModelOutcome,
    device: Device | None = None,
) -> StageOutcome:
    """Run the control in a folder of its own and say whose doing the bad end was.

    A device on which the reference fails becomes suspect.
    """
    try:
        control = run_control(apart(work, "control"))
    except StageTroubleError as error:
        control = Control(well=False, detail=str(error))
    if work.stop.is_set():
        control = replace(control, well=False, decided=False)
    logger.info(
        "job %s: control run of %s: %s (%s)",
        *(work.job.pk, work.job.stage, control, doubt.trouble_if_ours.detail),
    )
    if control.well:
        facts = {**if_model.facts, "control": control.detail}
        return replace(if_model, facts=facts)
    if control.decided and device is not None:
        devices.suspect(device.serial, reason=f"control run: {control.detail}")
    ours = doubt.trouble_if_ours
    return replace(ours, detail=f"{ours.detail} (control run: {control.detail})")


def apart(work: StageWork, name: str) -> StageWork:
    """The same work in a folder of its own, with the time of control runs."""
    folder = work.folder / name
    folder.mkdir()
    return replace(work, folder=folder, deadline=work.control_deadline)


def build_reference(work: StageWork) -> Control:
    """Build the reference in ``work.folder``."""
    return _of_build(_build(work, _reference_patch(work)))


def check_reference(work: StageWork, device: Device) -> Control:
    """Run the task's checks against the reference's package on ``device``."""
    package = _package(work, AgentKind.REFERENCE, _reference_patch(work))
    if isinstance(package, Control):
        return package
    found = _check(work, package, device)
    if found.trouble is not None:
        return _troubled(found.trouble)
    failed = [each for each in found.outcomes if not each.passed]
    if not found.install_ok or failed:
        what = "; ".join(f"{each.f_point}: {each.message}" for each in failed)
        return Control(well=False, detail=f"the reference failed: {what[:500]}")
    return Control(well=True, detail="the reference passed every check")


def prove_device(work: StageWork, device: Device) -> Control:
    """Whether the reference passes on ``device`` and the unchanged base fails."""
    reference = check_reference(apart(work, "reference"), device)
    if not reference.well:
        return reference
    base = apart(work, "base")
    package = _package(base, AgentKind.NOOP, b"")
    if isinstance(package, Control):
        return package
    found = _check(base, package, device)
    if found.trouble is not None:
        return _troubled(found.trouble)
    if found.install_ok and all(each.passed for each in found.outcomes):
        return Control(well=False, detail="the unchanged base passed every check")
    return Control(well=True, detail="the reference passed and the base failed")


def _reference_patch(work: StageWork) -> bytes:
    return (work.package / "reference.patch").read_bytes()


def _build(work: StageWork, patch: bytes) -> BuildOutcome:
    workspace, gate = prepare(work, patch)
    if not workspace.is_dir():
        raise StageTroubleError(
            InfraReason.WORKSPACE, f"The gate refuses our own patch: {gate.fail_reason}"
        )
    scratch = work.folder / "build"
    scratch.mkdir()
    return work.toolchain.builder.build(
        workspace, scratch=scratch, deadline=work.deadline
    )


def _check(work: StageWork, package: bytes, device: Device) -> ChecksOutcome:
    path = work.folder / "app.hap"
    path.write_bytes(package)
    scratch = work.folder / "checks"
    scratch.mkdir()
    return work.toolchain.checks.run(
        path, work.suite(), device, scratch=scratch, deadline=work.deadline
    )


def _of_build(built: BuildOutcome) -> Control:
    if built.trouble is not None:
        return _troubled(built.trouble)
    if not built.ok:
        first = next((each.message for each in built.diagnostics), "no message")
        return Control(well=False, detail=f"our own patch does not build: {first}")
    detail = f"the reference was built in {built.seconds:.0f} s"
    return Control(well=True, detail=detail)


def _troubled(trouble: Trouble) -> Control:
    # A device worker may have no SDK: that it cannot build says nothing.
    decided = trouble.reason not in {InfraReason.DRAIN, InfraReason.TOOL_MISSING}
    return Control(well=False, detail=trouble.detail, decided=decided)


def _package(work: StageWork, agent: AgentKind, patch: bytes) -> bytes | Control:
    """The package that a baseline was proved with, else one built here and now."""
    known = _known_package(work, agent)
    if known is not None:
        return known
    built = _build(work, patch)
    if built.package is None or not built.ok or built.trouble is not None:
        return _of_build(built)
    return built.package.read_bytes()


def _known_package(work: StageWork, agent: AgentKind) -> bytes | None:
    """The package of the last decided baseline, if this worker can read it."""
    decided = Job.objects.filter(task=work.task, agent=agent, state=JobState.SCORED)
    if agent == AgentKind.REFERENCE:
        decided = decided.filter(reason="")
    for facts in decided.order_by("-pk").values_list("facts", flat=True)[:1]:
        try:
            return read_blob(facts["package"])
        except (KeyError, BlobMissingError):
            return None
    return None
