"""What is to be known of one trial, read from its files."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from submissions.archive import Member
from submissions.findings import Code, Findings
from submissions.formats.harbor.documents import (
    EMPTY,
    LIMIT_BYTES,
    Document,
    read_document,
)
from submissions.formats.harbor.layout import TrialFiles
from submissions.formats.harbor.settings import Setting, deviations
from submissions.formats.native import Sources
from submissions.formats.usage import MAX_SECONDS, MAX_TOKENS

ANY_ROUNDS = 1000
_MOST_EXCEPTIONS = 20


class AgentIdentity(NamedTuple):
    """The agent and the model as Harbor knows them; None where it does not."""

    name: str | None
    version: str | None
    model: str | None


@dataclass(frozen=True, slots=True)
class Trial:
    """One finished trial. ``where`` is its folder in the words of the submitter.

    ``claim`` is what the submitter's own verifier said: passed, not passed, or None
    without a valid reward. It is never taken for a result. ``total_tokens`` is input
    with output; Harbor's input holds the cached tokens already.
    """

    where: str
    trial_id: str | None
    task_name: str
    started_at: datetime
    settings: tuple[Setting, ...]
    install_only: bool
    agent: AgentIdentity
    digest: str | None
    exceptions: tuple[str, ...]
    claim: bool | None
    source_trial: str | None
    patch: Member | None
    first_patch: Member | None
    trajectory: Member | None
    total_tokens: int | None
    agent_ms: int | None
    repair_rounds: int | None


def read_trial(
    files: TrialFiles, sources: Sources, *, findings: Findings
) -> Trial | None:
    """The trial in a folder; None, with a finding, when it did not come to its end."""
    where = sources.name(files.folder)

    def document(name: str) -> Document | None:
        return read_document(
            files.files.get(name), where=f"{where}/{name}", findings=findings
        )

    result = document("result.json")
    if result is None:
        if "result.json" not in files.files:
            _unfinished(findings, where, "a trial without result.json")
        return None
    started_at = result.moment("started_at")
    if started_at is None or result.moment("finished_at") is None:
        _unfinished(findings, f"{where}/result.json", "a trial that was not finished")
        return None
    task_name = result.text("task_name")
    if task_name is None:
        findings.error(
            Code.HARBOR_FILE,
            f"{where}/result.json: task_name",
            saw="no name of a task",
            fix="Upload the folder as Harbor wrote it.",
        )
        return None
    config = result.part("config")
    if not config.value:
        config = document("config.json") or EMPTY
    steps = [each.text("step_name") or "" for each in result.parts("step_results")]
    return Trial(
        where=where,
        trial_id=result.text("id"),
        task_name=task_name,
        started_at=started_at,
        settings=tuple(deviations(config)),
        install_only=config.get("install_only") is True,
        agent=AgentIdentity(
            result.text("agent_info", "name"),
            result.text("agent_info", "version"),
            result.text("agent_info", "model_info", "name"),
        ),
        digest=(document("lock.json") or EMPTY).text("task", "digest"),
        exceptions=_exceptions(result),
        claim=_claim(result),
        source_trial=_source_trial(config),
        patch=files.artifact("model.patch", steps=steps),
        first_patch=files.artifact("first.patch", steps=steps),
        trajectory=_trajectory(files, steps, where=where, findings=findings),
        total_tokens=_total_tokens(result),
        agent_ms=_agent_ms(result),
        repair_rounds=_repair_rounds(result),
    )


def _unfinished(findings: Findings, where: str, saw: str) -> None:
    findings.error(
        Code.HARBOR_UNFINISHED,
        where,
        saw=saw,
        fix="Finish the job first (harbor job resume goes on where it ended).",
    )


def _exceptions(result: Document) -> tuple[str, ...]:
    """Types of the exceptions of the trial and of its steps."""
    found = [result, *result.parts("step_results")]
    types = (each.text("exception_info", "exception_type") for each in found)
    return tuple(each for each in types if each is not None)[:_MOST_EXCEPTIONS]


def _claim(result: Document) -> bool | None:
    reward = result.number("verifier_result", "rewards", "reward")
    valid = result.get("reward_valid")
    if reward is None or valid is False:
        return None
    return reward == 1


def _source_trial(config: Document) -> str | None:
    """The trial whose work this one grades again; its path where it has no id."""
    source = config.part("source_trial")
    if not source.value:
        return None
    return source.text("trial_id") or source.text("path") or "unknown"


def _trajectory(
    files: TrialFiles, steps: list[str], *, where: str, findings: Findings
) -> Member | None:
    """The trajectory, unless it has no steps, which is the same as none.

    A long one surely has some, and is not loaded to find out.
    """
    member = files.trajectory(steps=steps)
    if member is None or not member.size_bytes:
        return None
    if member.size_bytes > LIMIT_BYTES:
        return member
    document = read_document(member, where=where, findings=Findings())
    if document is not None and document.parts("steps"):
        return member
    findings.warning(
        Code.HARBOR_FILE,
        f"{where}/agent/trajectory.json",
        saw="no trajectory with steps (ATIF)",
        fix="Upload the trajectory as the agent wrote it; this one is left out.",
    )
    return None


def _contexts(result: Document) -> list[Document]:
    """The agent's accounts: one of the trial, or one of each step."""
    whole = result.part("agent_result")
    if whole.value:
        return [whole]
    steps = (each.part("agent_result") for each in result.parts("step_results"))
    return [each for each in steps if each.value]


def _total_tokens(result: Document) -> int | None:
    counts = [
        context.count(name)
        for context in _contexts(result)
        for name in ("n_input_tokens", "n_output_tokens")
    ]
    total = sum(each for each in counts if each is not None)
    return total if counts and None not in counts and total <= MAX_TOKENS else None


def _agent_ms(result: Document) -> int | None:
    """How long the agent itself ran; setting up and verifying are not counted."""
    spans = [_span(result)] if result.part("agent_execution").value else []
    spans = spans or [_span(each) for each in result.parts("step_results")]
    total = sum((each for each in spans if each is not None), timedelta())
    milliseconds = round(total / timedelta(milliseconds=1))
    if not spans or None in spans or milliseconds > MAX_SECONDS * 1000:
        return None
    return milliseconds


def _span(part: Document) -> timedelta | None:
    started = part.moment("agent_execution", "started_at")
    finished = part.moment("agent_execution", "finished_at")
    if started is None or finished is None or finished < started:
        return None
    return finished - started


def _repair_rounds(result: Document) -> int | None:
    found = [
        context.count("metadata", "compile_repair_iterations")
        for context in _contexts(result)
    ]
    rounds = sum(each for each in found if each is not None)
    return rounds if found and None not in found and rounds <= ANY_ROUNDS else None
