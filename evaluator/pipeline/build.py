"""Stages ``build_first``, ``repair`` and ``build_final``."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

from evaluator.artifacts import NewArtifact
from evaluator.models import AgentKind
from evaluator.pipeline import configured
from evaluator.pipeline.control import build_reference, decide, has_doubts
from evaluator.pipeline.work import StageReport, StageWork
from evaluator.pipeline.workspace import prepare
from evaluator.queue import ModelOutcome, Passed, StageOutcome
from evaluator.toolchains.base import BuildOutcome
from evaluator.verdicts import FailReason, Trouble, doubt_about_build
from leaderboard.blobs import store_blob


def run_first(work: StageWork) -> StageReport:
    """Build the workspace as it was before compile repair; recorded, never decisive."""
    gate = work.job.facts.get("first_gate")
    if gate is None:
        return StageReport(Passed({"first_build_ok": None}))
    if gate["reason"]:
        return StageReport(Passed({"first_build_ok": False}))
    built = _build(work, "first_patch")
    artifacts = _kept(built, "build_first")
    if built.trouble is not None:
        outcome = _troubled(work, built.trouble)
        if isinstance(outcome, ModelOutcome):
            outcome = Passed({"first_build_ok": False, **outcome.facts})
        return StageReport(outcome, artifacts)
    facts: dict[str, Any] = {"first_build_ok": built.ok}
    if work.job.agent == AgentKind.CONFIGURED:
        facts["first_build_log"] = store_blob(built.log).sha256
        facts["first_build_diagnostics"] = store_blob(_described(built)).sha256
    return StageReport(Passed(facts), artifacts)


def run_repair(work: StageWork) -> StageReport:
    """Replayed work was repaired before it was submitted: nothing is left to do."""
    if work.job.agent == AgentKind.CONFIGURED:
        return configured.run_repair(work)
    return StageReport(Passed({"repair_rounds": work.job.facts.get("repair_rounds")}))


def run_final(work: StageWork) -> StageReport:
    """Build the final workspace from clean; a failure decides the task run."""
    gate = work.job.facts["final_gate"]
    if gate["reason"]:
        return StageReport(
            ModelOutcome(
                FailReason(gate["reason"]), gate["detail"], {"final_build_ok": False}
            )
        )
    built = _build(work, "final_patch")
    artifacts = _kept(built, "build_final")
    if built.trouble is not None:
        outcome = _troubled(work, built.trouble)
        if isinstance(outcome, ModelOutcome):
            facts = {**outcome.facts, "final_build_ok": False}
            outcome = replace(outcome, facts=facts)
        return StageReport(outcome, artifacts)
    if not built.ok or built.package is None:
        detail = _why_not_built(built)
        outcome = ModelOutcome(
            FailReason.BUILD_FAILED, detail, {"final_build_ok": False}
        )
        return StageReport(outcome, artifacts)
    package = built.package.read_bytes()
    facts = {"final_build_ok": True, "package": store_blob(package).sha256}
    return StageReport(
        Passed(facts), [*artifacts, NewArtifact("app.hap", "package", package)]
    )


def _why_not_built(built: BuildOutcome) -> str:
    """The first error with its place, the task that failed, and how many there are."""
    errors = [each for each in built.diagnostics if each.severity == "error"]
    if not errors:
        return f"{built.failed_task} failed" if built.failed_task else ""
    first = errors[0]
    place = [str(part) for part in (first.file, first.line, first.column) if part]
    more = "1 error" if len(errors) == 1 else f"{len(errors)} errors"
    ended = f"{built.failed_task}: {more}" if built.failed_task else more
    return f"{':'.join(place)} {first.message} ({ended})".strip()


def _troubled(work: StageWork, trouble: Trouble) -> StageOutcome:
    """Our trouble, or a model outcome if the reference builds where this did not."""
    doubt = doubt_about_build(trouble)
    if doubt is None or not has_doubts(work):
        return trouble
    if_model = ModelOutcome(doubt.reason_if_model, trouble.detail)
    return decide(work, doubt, build_reference, if_model=if_model)


def _build(work: StageWork, which: str) -> BuildOutcome:
    patch = work.patch(which)
    if patch is None:
        raise ValueError(f"There is no {which} to build.")
    workspace, _ = prepare(work, patch)
    scratch = work.folder / "build"
    scratch.mkdir()
    return work.toolchain.builder.build(
        workspace, scratch=scratch, deadline=work.deadline
    )


def _kept(built: BuildOutcome, name: str) -> list[NewArtifact]:
    if not built.log:
        return []
    told = _described(built)
    return [
        NewArtifact(f"{name}.log", "log", built.log),
        NewArtifact(f"{name}.diagnostics.json", "diagnostics", told),
    ]


def _described(built: BuildOutcome) -> bytes:
    """The compiler messages as pages and the stage ``repair`` read them."""
    return json.dumps([asdict(each) for each in built.diagnostics], indent=2).encode()
