"""Stages ``agent`` and ``repair`` where the configuration's own agent runs here.

Each turn leaves its session behind in the artifact storage, so that the next one can be
taken on another worker. Nothing but the output of builds ever comes back to the agent.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluator.artifacts import NewArtifact
from evaluator.capability import worker_sandbox
from evaluator.models import Job
from evaluator.offers import agent_for
from evaluator.patches import apply_patch, diff
from evaluator.pipeline.control import apart
from evaluator.pipeline.gating import judged
from evaluator.pipeline.prompts import repair_prompt, task_prompt
from evaluator.pipeline.work import StageReport, StageTroubleError, StageWork
from evaluator.pipeline.workspace import checked_base, prepare
from evaluator.queue import ModelOutcome, Passed, StageOutcome
from evaluator.toolchains.base import (
    Agent,
    AgentOutcome,
    AgentSession,
    BuildOutcome,
    Diagnostic,
)
from evaluator.verdicts import FailReason, InfraReason, doubt_about_build
from evaluator.workspaces import remove_tree
from leaderboard.blobs import read_blob, store_blob


@dataclass(slots=True)
class Course:
    """A session as it goes on: what it used, and what is to be kept of it."""

    agent: Agent
    project: Path
    session: AgentSession | None = None
    milliseconds: int = 0
    total_tokens: int | None = None
    endpoint_tokens: int | None = 0
    rounds: int = 0
    artifacts: list[NewArtifact] = field(default_factory=list)

    def take_turn(self, prompt: str, *, scratch: Path, deadline: float) -> AgentOutcome:
        scratch.mkdir()
        outcome = self.agent.run(
            self.project,
            prompt,
            scratch=scratch,
            deadline=deadline,
            session=self.session,
        )
        self.session = outcome.session or self.session
        self.milliseconds += round(outcome.seconds * 1000)
        self.total_tokens = outcome.total_tokens
        if self.endpoint_tokens is not None:
            more = outcome.endpoint_tokens
            self.endpoint_tokens = None if more is None else self.endpoint_tokens + more
        turn = f"agent/turn-{self.rounds}"
        self.artifacts.append(NewArtifact(f"{turn}.prompt.md", "log", prompt.encode()))
        for name, content in outcome.files.items():
            kind = "trajectory" if name.startswith("trajectory") else "log"
            # The session as a whole is one artifact, whatever turn it was read after.
            path = f"agent/{name}" if kind == "trajectory" else f"{turn}.{name}"
            self.artifacts.append(NewArtifact(path, kind, content))
        return outcome

    def facts(self) -> dict[str, Any]:
        kept = store_blob(self.session.database) if self.session else None
        return {
            "agent_milliseconds": self.milliseconds,
            "total_tokens": self.total_tokens,
            "endpoint_tokens": self.endpoint_tokens,
            "repair_rounds": self.rounds,
            "agent_session": self.session.root if self.session else None,
            "agent_session_store": kept.sha256 if kept else None,
            "agent_flags": self._flags(),
        }

    def report(self, outcome: StageOutcome) -> StageReport:
        """The end of the stage; a later file takes the place of its namesake."""
        by_name = {each.name: each for each in self.artifacts}
        return StageReport(outcome, list(by_name.values()))

    def _flags(self) -> list[str]:
        """The session's store lay in the agent's reach; the endpoint's word did not."""
        counted, told = self.total_tokens, self.endpoint_tokens
        if counted is not None and told is not None and counted < told:
            return [f"tokens: {counted} in the session, {told} at the endpoint"]
        return []


def run_agent(work: StageWork) -> StageReport:
    """Let the agent work on a fresh copy of the base; its patch goes on."""
    with _project(work.job) as folder:
        _copy(work, b"", folder)
        course = Course(agent_for(work.job, stop=work.stop), folder)
        statement = (work.package / "statement.md").read_text("utf-8")
        outcome = course.take_turn(
            task_prompt(statement, work.task.snapshot),
            scratch=work.folder / "agent",
            deadline=work.deadline,
        )
        if outcome.trouble is not None:
            return course.report(outcome.trouble)
        patch = diff(checked_base(work), folder)
    if outcome.timed_out:
        return _timed_out(course, patch)
    stored = store_blob(patch).sha256
    return course.report(
        Passed({**course.facts(), "first_patch": stored, "final_patch": None})
    )


def run_repair(work: StageWork) -> StageReport:
    """Tell the agent what the build said, until it builds or the rounds are used up."""
    first = work.patch("first_patch") or b""
    facts = work.job.facts
    limit = work.job.inputs.get("repair_limit", 0)
    told = _first_build(facts)
    with _project(work.job) as folder:
        course = _course_so_far(work, folder)
        if facts.get("first_build_ok") or told is None or not limit:
            return _passed(work, course, first)
        _copy(work, first, folder)
        patch = first
        while course.rounds < limit:
            course.rounds += 1
            outcome = course.take_turn(
                repair_prompt(*told),
                scratch=work.folder / f"agent-{course.rounds}",
                deadline=work.deadline,
            )
            if outcome.trouble is not None:
                return course.report(outcome.trouble)
            patch = diff(checked_base(work), folder)
            if outcome.timed_out:
                return _timed_out(course, patch)
            built = _build(work, f"round-{course.rounds}", patch)
            if built is None or built.ok:
                break
            if trouble := built.trouble:
                # What the project may have caused, the final build decides.
                if doubt_about_build(trouble) is None:
                    return course.report(trouble)
                break
            told = built.log, built.diagnostics
            name = f"agent/turn-{course.rounds}.build.log"
            course.artifacts.append(NewArtifact(name, "log", built.log))
        return _passed(work, course, patch)


def _first_build(
    facts: Mapping[str, Any],
) -> tuple[bytes, Sequence[Diagnostic]] | None:
    """The log of the first build and its messages; None where there was no build."""
    log, messages = facts.get("first_build_log"), facts.get("first_build_diagnostics")
    if log is None:
        return None
    read = json.loads(read_blob(messages)) if messages else []
    return read_blob(log), [Diagnostic(**each) for each in read]


def _course_so_far(work: StageWork, project: Path) -> Course:
    facts = work.job.facts
    root, store = facts.get("agent_session"), facts.get("agent_session_store")
    session = AgentSession(root, read_blob(store)) if root and store else None
    return Course(
        agent_for(work.job, stop=work.stop),
        project,
        session=session,
        milliseconds=facts["agent_milliseconds"],
        total_tokens=facts["total_tokens"],
        endpoint_tokens=facts["endpoint_tokens"],
    )


def _passed(work: StageWork, course: Course, patch: bytes) -> StageReport:
    """The final patch, judged as a submitted one is when it comes in."""
    facts, artifacts = judged(apart(work, "gate"), "final", patch)
    course.artifacts += artifacts
    own = course.facts()
    flags = sorted({*facts["flags"], *own["agent_flags"]})
    stored = store_blob(patch).sha256
    return course.report(
        Passed({**own, **facts, "flags": flags, "final_patch": stored})
    )


def _timed_out(course: Course, patch: bytes) -> StageReport:
    course.artifacts.append(NewArtifact("agent/unfinished.patch", "patch", patch))
    seconds = course.milliseconds // 1000
    detail = f"the agent did not end within its time; it ran {seconds} s in all"
    facts = {**course.facts(), "final_build_ok": False}
    facts["flags"] = facts["agent_flags"]
    return course.report(ModelOutcome(FailReason.TIMED_OUT, detail, facts))


def _build(work: StageWork, name: str, patch: bytes) -> BuildOutcome | None:
    """Build ``patch`` from clean; None where the gate refuses it."""
    scratch = work.folder / name / "build"
    scratch.mkdir(parents=True)
    workspace, gate = prepare(replace(work, folder=scratch.parent), patch)
    if gate.fail_reason is not None:
        return None
    return work.toolchain.builder.build(
        workspace, scratch=scratch, deadline=work.deadline
    )


def _copy(work: StageWork, patch: bytes, folder: Path) -> None:
    gate = apply_patch(
        checked_base(work),
        patch,
        folder,
        allowed_build_paths=work.task.build_paths,
        sandbox=worker_sandbox(),
    )
    if not folder.is_dir():
        detail = f"The agent's own patch is refused: {gate.fail_reason}"
        raise StageTroubleError(InfraReason.WORKSPACE, detail)


@contextmanager
def _project(job: Job) -> Iterator[Path]:
    """The project's folder, in every turn the same: sessions are full of its paths."""
    # Not on Windows, whose workers serve devices and load this module all the same.
    import fcntl

    top = settings.WORK_DIR / "agents"
    top.mkdir(parents=True, exist_ok=True)
    with (top / f"{job.pk}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StageTroubleError(
                InfraReason.WORKSPACE, "An earlier attempt has not ended here yet."
            ) from None
        folder = top / str(job.pk)
        try:
            remove_tree(folder)
            folder.mkdir()
            yield folder / "project"
        finally:
            remove_tree(folder)
            Path(lock.name).unlink(missing_ok=True)
