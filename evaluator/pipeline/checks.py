"""Stage ``checks``: install, launch, and every hidden check on one device."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from evaluator import devices
from evaluator.artifacts import NewArtifact
from evaluator.pipeline.control import (
    apart,
    check_reference,
    decide,
    has_doubts,
    prove_device,
)
from evaluator.pipeline.visual import judged_screens
from evaluator.pipeline.work import StageReport, StageTroubleError, StageWork
from evaluator.queue import ModelOutcome, StageOutcome
from evaluator.toolchains.base import ChecksOutcome, Device
from evaluator.verdicts import FailReason, InfraReason, doubt_about_checks
from leaderboard.blobs import read_blob

_BROKEN_DEVICE = (InfraReason.DEVICE_LOST, InfraReason.DEVICE_FAULT)


def run(work: StageWork) -> StageReport:
    """Decide every F-point of the task; all required ones passed means completed."""
    package = work.folder / "app.hap"
    package.write_bytes(read_blob(work.job.facts["package"]))
    scratch = work.folder / "checks"
    scratch.mkdir()
    device_folder = work.folder / "device"
    device_folder.mkdir()
    with work.toolchain.devices.lease(
        scratch=device_folder, avoid=devices.less_wanted_devices(work.job)
    ) as device:
        _hold(work, device)
        found = work.toolchain.checks.run(
            package, work.suite(), device, scratch=scratch, deadline=work.deadline
        )
        _suspect_if_broken(work, found, device)
        outcome = _outcome(work, found, device)
    if isinstance(outcome, ModelOutcome):
        facts = {**outcome.facts, **judged_screens(work, found.files)}
        outcome = replace(outcome, facts=facts)
    artifacts = [
        NewArtifact(name, _kind(name), content) for name, content in found.files.items()
    ]
    return StageReport(outcome, artifacts)


def _hold(work: StageWork, device: Device) -> None:
    """Have the device to ourselves; a suspect one has to pass a canary first."""
    try:
        devices.hold(work.job, device.serial)
    except devices.DeviceRefusedError as error:
        raise StageTroubleError(InfraReason.DEVICE_LOST, str(error)) from None
    suspicion = devices.suspicion_of(device.serial)
    if suspicion is None:
        return
    canary = prove_device(apart(work, "canary"), device)
    if not canary.well:
        detail = f"{device.serial} is suspect ({suspicion.reason}): {canary.detail}"
        raise StageTroubleError(InfraReason.DEVICE_LOST, detail)
    devices.clear(device.serial, reason=f"canary: {canary.detail}")


def _suspect_if_broken(work: StageWork, found: ChecksOutcome, device: Device) -> None:
    """Take a device out of use that was lost or broke; work goes to the others.

    A simulated one is gone after its lease anyway.
    """
    if work.task.snapshot.device_profile_simulated or found.trouble is None:
        return
    if found.trouble.reason in _BROKEN_DEVICE:
        devices.suspect(device.serial, reason=found.trouble.detail)


def _outcome(work: StageWork, found: ChecksOutcome, device: Device) -> StageOutcome:
    """What the checks decide; in doubt the reference is checked on the same device."""
    failures = [each.message for each in found.outcomes if not each.passed]
    doubt = doubt_about_checks(found.trouble, failures)
    if doubt is None or not has_doubts(work):
        return found.trouble or _decided(work, found, device)
    if found.trouble is None:
        if_model = _decided(work, found, device)
    else:
        facts = {"device": device.serial, "check_seed": work.seed}
        if_model = ModelOutcome(doubt.reason_if_model, found.trouble.detail, facts)
    control = partial(check_reference, device=device)
    return decide(work, doubt, control, if_model=if_model, device=device)


def _decided(work: StageWork, found: ChecksOutcome, device: Device) -> ModelOutcome:
    facts = {
        "device": device.serial,
        "check_seed": work.seed,
        "f_points": {
            each.f_point: {
                "passed": each.passed,
                "message": each.message,
                "milliseconds": round(each.seconds * 1000),
            }
            for each in found.outcomes
        },
    }
    if work.suite().satisfied(found):
        return ModelOutcome(None, "", facts)
    reason = _fail_reason(found, empty=work.job.facts.get("empty", False))
    detail = "; ".join(
        f"{each.f_point}: {each.message}" for each in found.outcomes if not each.passed
    )
    return ModelOutcome(reason, detail[:2000], facts)


def _fail_reason(found: ChecksOutcome, *, empty: bool) -> FailReason:
    if empty:
        return FailReason.NO_CHANGE
    return FailReason.CHECK_FAILED if found.install_ok else FailReason.INSTALL_FAILED


def _kind(name: str) -> str:
    suffix = name.rpartition(".")[2].lower()
    return {
        "xml": "report",
        "json": "report",
        "png": "screenshot",
        "jpeg": "screenshot",
    }.get(suffix, "log")
