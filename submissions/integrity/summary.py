"""The signals of a submission as a page shows them.

A view passes ``signals_of(submission)`` to its template as ``signals``, and the
template says::

    {% include "submissions/_signals.html" with signals=signals only %}

To have a form beside each signal, name a template of your own. It gets ``signal`` (an
``IntegritySignal``), ``next`` and the token::

    {% include "submissions/_signals.html" with signals=signals verdict_form="..."
       next=request.path csrf_token=csrf_token only %}

The form ends in ``submissions.integrity.verdicts.judge``. All of this is for
maintainers; a submitter sees ``confirmed_signals(submission)``, with ``confirmed_only``
in the template.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.urls import reverse
from django.utils.functional import Promise

from leaderboard.models import Artifact, Evaluation
from submissions.integrity.catalogue import KINDS, Code
from submissions.models import (
    Decision,
    IntegrityScan,
    IntegritySignal,
    Severity,
    Submission,
)


@dataclass(frozen=True, slots=True)
class ShownSignal:
    """One row with links to its task run and to the file it speaks of, "" where none.

    A task run has no page before the evaluation is scored.
    """

    signal: IntegritySignal
    decision: str | None
    decision_label: str | Promise
    judged_because: str
    task_run_url: str
    artifact_url: str

    @property
    def counted_in_lines(self) -> bool:
        return self.signal.file.endswith(".jsonl")


@dataclass(frozen=True, slots=True)
class SignalGroup:
    """Signals of one code, the most telling first."""

    code: str
    label: str | Promise
    why: str | Promise
    severity: str
    severity_label: str | Promise
    signals: Sequence[ShownSignal]

    @property
    def open_count(self) -> int:
        return sum(each.decision is None for each in self.signals)

    @property
    def top_score(self) -> float:
        return max(each.signal.score for each in self.signals)


@dataclass(frozen=True, slots=True)
class SignalSummary:
    """``scan`` is None before the first one; ``groups``, the most telling first."""

    groups: Sequence[SignalGroup]
    scan: IntegrityScan | None

    @property
    def open_count(self) -> int:
        return sum(group.open_count for group in self.groups)

    @property
    def total(self) -> int:
        return sum(len(group.signals) for group in self.groups)

    @property
    def finished(self) -> bool:
        return self.scan is not None and self.scan.finished_at is not None


def signals_of(submission: Submission) -> SignalSummary:
    """All signals of a submission, with the latest verdicts, in three queries."""
    scan = IntegrityScan.objects.filter(submission=submission).first()
    found = submission.integrity_signals.with_decision().select_related("task")
    return SignalSummary(_groups(submission, found), scan)


def confirmed_signals(submission: Submission) -> SignalSummary:
    """What the submitter may see: signals that a curator confirmed, without the scan.

    One query where there are none, which is the rule.
    """
    found = submission.integrity_signals.confirmed().with_decision()
    rows = list(found.select_related("task"))
    for row in rows:
        if row.code == Code.PATCH_REPEATED:
            # Whose patch it is may not be public.
            row.seen = "the very patch of an unrelated configuration"
    return SignalSummary(_groups(submission, rows), None)


def open_signal_count(submission: Submission) -> int:
    """How many signals wait for a verdict."""
    return submission.integrity_signals.open().count()


def _groups(
    submission: Submission, found: Iterable[IntegritySignal]
) -> list[SignalGroup]:
    rows = sorted(found, key=lambda row: row.code)
    urls = _artifact_urls(submission) if rows else {}
    evaluation = submission.evaluation
    groups = [
        _group(code, [_shown(row, urls, evaluation) for row in same])
        for code, same in groupby(rows, key=lambda row: row.code)
    ]
    return sorted(groups, key=lambda group: (-group.top_score, group.code))


def _artifact_urls(submission: Submission) -> dict[tuple[int, int, str], str]:
    artifacts = Artifact.objects.filter(
        run__evaluation=submission.evaluation_id, name__startswith="submitted/"
    ).values_list("run__number", "task", "name", "pk")
    return {
        (run, task, name.removeprefix("submitted/")): Artifact(pk=pk).get_absolute_url()
        for run, task, name, pk in artifacts
    }


def _group(code: str, rows: list[ShownSignal]) -> SignalGroup:
    rows.sort(key=lambda row: -row.signal.score)
    kind = KINDS.get(Code(code)) if code in set(Code) else None
    severity = Severity(rows[0].signal.severity)
    return SignalGroup(
        code=code,
        label=kind.label if kind else code,
        why=kind.why if kind else "",
        severity=severity.value,
        severity_label=severity.label,
        signals=rows,
    )


def _shown(
    row: IntegritySignal, urls: dict[tuple[int, int, str], str], evaluation: Evaluation
) -> ShownSignal:
    decision: str | None = getattr(row, "decision", None)
    task_run_url = ""
    if evaluation.scored_at and row.run_number and row.task:
        place = [evaluation.pk, row.run_number, row.task.slug]
        task_run_url = reverse("task-run", args=place)
    return ShownSignal(
        signal=row,
        decision=decision,
        decision_label=Decision(decision).label if decision else "",
        judged_because=getattr(row, "judged_because", None) or "",
        task_run_url=task_run_url,
        artifact_url=urls.get((row.run_number or 0, row.task_id or 0, row.file), ""),
    )
