"""Stage ``agent``: who changes the workspace, and the patches that come of it."""

from __future__ import annotations

from evaluator.models import AgentKind
from evaluator.pipeline import configured
from evaluator.pipeline.work import StageReport, StageWork
from evaluator.queue import ModelOutcome, Passed
from evaluator.verdicts import FailReason
from leaderboard.blobs import store_blob


def run(work: StageWork) -> StageReport:
    """Take the submitted patches, those of a built-in agent, or have one made."""
    match work.job.agent:
        case AgentKind.CONFIGURED:
            return configured.run_agent(work)
        case AgentKind.REPLAY:
            return StageReport(Passed(dict(work.job.inputs)))
        case AgentKind.NOOP:
            return _replay(b"")
        case AgentKind.REFERENCE:
            return _replay((work.package / "reference.patch").read_bytes())
        case AgentKind.WRONG:
            return _wrong_patch(work)
        case other:
            raise ValueError(f"Unknown agent {other!r}.")


def _replay(patch: bytes) -> StageReport:
    digest = store_blob(patch).sha256
    return StageReport(Passed({"first_patch": digest, "final_patch": digest}))


def _wrong_patch(work: StageWork) -> StageReport:
    """The wrong patch of this run; a task that has fewer of them is done with it.

    Neither build nor check would say anything about a task without a patch.
    """
    number, patches = work.job.run.number, work.task.wrong_patches
    if number > len(patches):
        detail = f"The task has {len(patches)} wrong patches; this is run {number}."
        return StageReport(ModelOutcome(FailReason.NO_CHANGE, detail))
    path = work.package / "wrong" / f"{patches[number - 1]['patch']}.patch"
    return _replay(path.read_bytes())
