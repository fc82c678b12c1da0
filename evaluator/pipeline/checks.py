"""Stage ``checks``: install, launch, and every hidden check on one device."""

from __future__ import annotations

from evaluator.artifacts import NewArtifact
from evaluator.pipeline.work import StageReport, StageWork
from evaluator.queue import ModelOutcome
from evaluator.toolchains.base import ChecksOutcome
from evaluator.verdicts import FailReason
from leaderboard.blobs import read_blob


def run(work: StageWork) -> StageReport:
    """Decide every F-point of the task; all of them passed means completed."""
    package = work.folder / "app.hap"
    package.write_bytes(read_blob(work.job.facts["package"]))
    scratch = work.folder / "checks"
    scratch.mkdir()
    device_folder = work.folder / "device"
    device_folder.mkdir()
    with work.toolchain.devices.lease(scratch=device_folder) as device:
        found = work.toolchain.checks.run(
            package, work.suite(), device, scratch=scratch, deadline=work.deadline
        )
        serial = device.serial
    artifacts = [
        NewArtifact(name, _kind(name), content) for name, content in found.files.items()
    ]
    if found.trouble is not None:
        return StageReport(found.trouble, artifacts)
    facts = {
        "device": serial,
        "f_points": {
            each.f_point: {
                "passed": each.passed,
                "message": each.message,
                "milliseconds": round(each.seconds * 1000),
            }
            for each in found.outcomes
        },
    }
    reason = fail_reason(found, empty=work.job.facts.get("empty", False))
    detail = "; ".join(
        f"{each.f_point}: {each.message}" for each in found.outcomes if not each.passed
    )
    return StageReport(ModelOutcome(reason, detail[:2000], facts), artifacts)


def fail_reason(found: ChecksOutcome, *, empty: bool) -> FailReason | None:
    """Why the task run is not completed; None when every F-point passed."""
    if found.install_ok and all(each.passed for each in found.outcomes):
        return None
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
