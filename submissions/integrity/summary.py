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

from django.utils.functional import Promise

from submissions.integrity.catalogue import KINDS, Code
from submissions.integrity.sight import (
    ShownSignal,
    Sight,
    file_urls,
    seen_by,
    shown,
)
from submissions.models import (
    IntegrityScan,
    IntegritySignal,
    Severity,
    Submission,
)


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
    found = submission.integrity_signals.with_decision().with_places()
    return SignalSummary(_groups(submission, found, sight=Sight.ALL), scan)


def confirmed_signals(submission: Submission) -> SignalSummary:
    """What the submitter may see: signals that a curator confirmed, without the scan.

    One query where there are none, which is the rule.
    """
    found = submission.integrity_signals.confirmed().with_decision()
    rows = [seen_by(Sight.TEAM, row) for row in found.with_places()]
    return SignalSummary(_groups(submission, rows, sight=Sight.TEAM), None)


def open_signal_count(submission: Submission) -> int:
    """How many signals wait for a verdict."""
    return submission.integrity_signals.open().count()


def _groups(
    submission: Submission, found: Iterable[IntegritySignal], *, sight: Sight
) -> list[SignalGroup]:
    rows = sorted(found, key=lambda row: row.code)
    evaluation = submission.evaluation
    urls = file_urls(evaluation) if rows else {}
    groups = [
        _group(code, [shown(row, evaluation, urls, sight=sight) for row in same])
        for code, same in groupby(rows, key=lambda row: row.code)
    ]
    return sorted(groups, key=lambda group: (-group.top_score, group.code))


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
