"""The audit of one evaluation: each rule, what it looked at, and what was found."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.contrib.auth.models import AnonymousUser, User
from django.utils.functional import Promise

from leaderboard.models import Evaluation, LiftedOverruling, Overruling, TaskResult
from submissions.integrity.catalogue import KINDS, RULES, Code
from submissions.integrity.coverage import subject_of
from submissions.integrity.sight import (
    ShownSignal,
    Sight,
    file_urls,
    seen_by,
    shown,
    sight_of,
)
from submissions.integrity.summary import SignalSummary, signals_of
from submissions.models import (
    Appeal,
    Decision,
    IntegrityScan,
    IntegritySignal,
    Submission,
)
from submissions.review.independence import has_a_stake


class ShownOverruling(NamedTuple):
    """A task run that counts 0, or did until ``lifted_because``; ``appeal`` if any."""

    result: TaskResult
    reason: str
    at: datetime
    lifted_because: str
    appeal: Appeal | None


class Detector(NamedTuple):
    """One rule. ``looked_at`` is None where no look of these rules has ended.

    ``confirmed`` counts signals; ``open`` and ``dismissed`` are None for everybody but
    maintainers.
    """

    code: Code
    label: str | Promise
    why: str | Promise
    looked_at: int | None
    subject: str | Promise
    confirmed: int
    open: int | None
    dismissed: int | None

    @property
    def had_nothing(self) -> bool:
        return self.looked_at == 0


@dataclass(frozen=True, slots=True)
class AuditPage:
    """``submission`` is None where nothing was handed in here, and so nothing audited.

    ``confirmed`` is what the reader may see of confirmed signals; ``summary`` and
    ``named_by`` are for maintainers alone: the signals of others whose evidence is a
    file of this evaluation.
    """

    evaluation: Evaluation
    submission: Submission | None
    scan: IntegrityScan | None
    outdated: bool
    detectors: Sequence[Detector]
    confirmed: Sequence[ShownSignal]
    overrulings: Sequence[ShownOverruling]
    sight: Sight
    summary: SignalSummary | None
    named_by: Sequence[IntegritySignal]
    may_judge: bool

    @property
    def for_maintainers(self) -> bool:
        return self.sight == Sight.ALL

    @property
    def compared_in_part(self) -> int:
        """Tasks of which only the newest other patches were compared."""
        kept = self.scan.looked_at if self.scan else {}
        return int(kept.get("tasks_compared_in_part", 0))


def audit_page(evaluation: Evaluation, *, reader: User | AnonymousUser) -> AuditPage:
    """Everything about the audit that ``reader`` may see, in a fixed number of queries.

    Whether the evaluation itself may be read is checked before.
    """
    submission = (
        Submission.objects.select_related("user", "team")
        .filter(evaluation=evaluation)
        .first()
    )
    sight = sight_of(reader, evaluation)
    scan = IntegrityScan.objects.filter(submission=submission).first()
    rows = _rows(submission)
    decided = [row for row in rows if _decision(row) == Decision.CONFIRMED]
    urls = file_urls(evaluation) if decided else {}
    for_all = sight == Sight.ALL and submission is not None
    return AuditPage(
        evaluation=evaluation,
        submission=submission,
        scan=scan,
        outdated=scan is not None and scan.rules < RULES,
        detectors=_detectors(scan, rows, sight=sight) if submission else [],
        confirmed=[
            shown(seen_by(sight, row), evaluation, urls, sight=sight) for row in decided
        ],
        overrulings=_overrulings(evaluation, submission),
        sight=sight,
        summary=signals_of(submission) if for_all and submission else None,
        named_by=_named_by(evaluation) if for_all else [],
        may_judge=for_all
        and submission is not None
        and not has_a_stake(reader, submission),
    )


def _overrulings(
    evaluation: Evaluation, submission: Submission | None
) -> list[ShownOverruling]:
    """Those in force and those taken back, each with the last appeal against it."""
    appeals = Appeal.objects.filter(submission=submission).exclude(proposal=None)
    # Ordered by time: an appeal belongs to the overruling that was in force by then.
    by_result: dict[int | None, list[Appeal]] = defaultdict(list)
    for each in appeals.select_related("proposal"):
        by_result[each.proposal.result_id if each.proposal else None].append(each)
    here = {"result__run__evaluation": evaluation}
    lifted = LiftedOverruling.objects.filter(**here)
    in_force = Overruling.objects.filter(**here)
    rows = [
        (each.result, each.reason, each.overruled_at, each.at, each.lifted_because)
        for each in lifted.select_related("result__run", "result__task")
    ] + [
        (each.result, each.reason, each.at, each.at, "")
        for each in in_force.select_related("result__run", "result__task")
    ]
    found = []
    for result, reason, since, at, because in rows:
        against = [
            each
            for each in by_result[result.pk]
            if each.at >= since and (not because or each.at <= at)
        ]
        last = against[-1] if against else None
        found.append(ShownOverruling(result, reason, at, because, last))
    return found


def _rows(submission: Submission | None) -> list[IntegritySignal]:
    if submission is None:
        return []
    return list(submission.integrity_signals.with_decision().with_places())


def _decision(row: IntegritySignal) -> str | None:
    decision: str | None = getattr(row, "decision", None)
    return decision


def _named_by(evaluation: Evaluation) -> list[IntegritySignal]:
    found = IntegritySignal.objects.filter(
        twin__run__evaluation=evaluation, current=True
    )
    return list(
        found.with_decision().select_related(
            "task", "submission__evaluation__configuration"
        )
    )


def _detectors(
    scan: IntegrityScan | None, rows: Iterable[IntegritySignal], *, sight: Sight
) -> list[Detector]:
    """Every rule in the order of the catalogue."""
    counts = Counter((row.code, _decision(row)) for row in rows)
    done = scan is not None and scan.finished_at is not None
    found = []
    for code in Code:
        subject = subject_of(code)
        looked_at: int | None = None
        if scan is not None and done:
            looked_at = int(scan.looked_at.get(subject.name, 0))
        whole = sight == Sight.ALL
        found.append(
            Detector(
                code=code,
                label=KINDS[code].label,
                why=KINDS[code].why,
                looked_at=looked_at,
                subject=subject.label,
                confirmed=counts[code, Decision.CONFIRMED],
                open=counts[code, None] if whole else None,
                dismissed=counts[code, Decision.DISMISSED] if whole else None,
            )
        )
    return found
