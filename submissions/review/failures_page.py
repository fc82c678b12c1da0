"""What reviewers of failures see: one submission, and how far they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.core.paginator import Page, Paginator
from django.db.models import Count
from django.http import QueryDict
from django.utils.functional import Promise

from leaderboard.failures.chosen import Narrowed, chosen_results
from leaderboard.failures.split import agreement_of
from leaderboard.failures.taxonomy import (
    REVIEWABLE,
    FailureReason,
    LabelOrigin,
    ReasonGroup,
    group_of,
)
from leaderboard.forms import FailureForm
from leaderboard.models import Artifact, FailureLabel, Kit, ShownReason, TaskResult
from leaderboard.presenters.failures import (
    AgreementTable,
    FailedRow,
    agreement_table,
    failed_row,
)
from leaderboard.sources import sources_of
from submissions.models import Submission
from submissions.review.independence import has_a_stake

ROWS = 25
DISPUTES_SHOWN = 100


class ReasonGroupChoices(NamedTuple):
    label: str | Promise
    reasons: Sequence[tuple[str, str | Promise]]


class ReviewedRow(NamedTuple):
    """A failed task run; ``own`` is the reader's label in force, "" without one."""

    row: FailedRow
    own: str
    files: Sequence[str]
    hidden: int


@dataclass(frozen=True, slots=True)
class FailureReviewPage:
    submission: Submission
    form: FailureForm
    page: Page[Any]
    rows: Sequence[ReviewedRow]
    choices: Sequence[ReasonGroupChoices]
    query: str
    is_own: bool


class ReviewerCount(NamedTuple):
    person: User
    task_runs: int


class Confusion(NamedTuple):
    """Two reasons that reviewers chose for the same task run."""

    first: str | Promise
    second: str | Promise
    pairs: int


@dataclass(frozen=True, slots=True)
class AgreementPage:
    agreement: AgreementTable | None
    reviewers: Sequence[ReviewerCount]
    confusions: Sequence[Confusion]
    disputes: Sequence[ShownReason]
    dispute_count: int


def failure_review_page(
    submission: Submission, query: QueryDict, *, reader: User
) -> FailureReviewPage:
    """Failed task runs with forms; others' labels show once the reader has set one."""
    evaluation = submission.evaluation
    kits = Kit.objects.filter(tasks__snapshot=submission.snapshot_id).distinct()
    form = FailureForm(
        query,
        sources=sources_of(evaluation.snapshot),
        kits=list(kits.order_by("name").values_list("slug", "name")),
        runs=[(str(run.number), str(run.number)) for run in evaluation.runs.all()],
    )
    chosen = {name: form.chosen(name) for name in Narrowed._fields}
    found = chosen_results(evaluation, Narrowed(**chosen))
    page = Paginator(found, ROWS).get_page(query.get("page"))
    results = list(page.object_list)
    files = _files(results)
    kept = QueryDict(mutable=True)
    kept.update({name: value for name, value in chosen.items() if value})
    return FailureReviewPage(
        submission=submission,
        form=form,
        page=page,
        rows=[
            _reviewed(
                failed_row(result, evaluation),
                reader,
                files.get((result.run_id, result.task_id), []),
            )
            for result in results
        ],
        choices=_choices(),
        query=kept.urlencode(),
        is_own=has_a_stake(reader, submission),
    )


def _reviewed(row: FailedRow, reader: User, files: Sequence[str]) -> ReviewedRow:
    """Whoever has not judged yet sees what rules say, and how many others judged."""
    own = next(
        (
            label.reason
            for label in reversed(row.result.failure_labels.all())
            if label.by_id == reader.pk
        ),
        "",
    )
    if own:
        return ReviewedRow(row, own, files, 0)
    others = [line for line in row.lines if line.by is not None]
    if not others:
        return ReviewedRow(row, own, files, 0)
    open_lines = [line for line in row.lines if line.by is None]
    blind = row._replace(badge=None, lines=open_lines)
    return ReviewedRow(blind, own, files, len(others))


def _files(results: Sequence[TaskResult]) -> dict[tuple[int, int], list[str]]:
    wanted = {(each.run_id, each.task_id) for each in results}
    found: dict[tuple[int, int], list[str]] = {}
    rows = Artifact.objects.filter(
        run__in={run for run, _ in wanted}, task__in={task for _, task in wanted}
    ).order_by("name")
    for run, task, name in rows.values_list("run", "task", "name"):
        found.setdefault((run, task), []).append(name)
    return found


def _choices() -> list[ReasonGroupChoices]:
    return [
        ReasonGroupChoices(
            group.label,
            [
                (each.value, each.label)
                for each in REVIEWABLE
                if group_of(each) == group
            ],
        )
        for group in (ReasonGroup.MODEL, ReasonGroup.BENCHMARK)
    ]


def agreement_page() -> AgreementPage:
    """Over all evaluations; a fixed number of queries."""
    labels = FailureLabel.objects.filter(origin=LabelOrigin.REVIEWER)
    counts = (
        labels.order_by()
        .values_list("by")
        .annotate(found=Count("result", distinct=True))
    )
    by_person = dict(counts)
    people = User.objects.in_bulk(list(by_person))
    disputes = ShownReason.objects.filter(disputed=True)
    shown = disputes.select_related(
        "result__task", "result__run__evaluation__submission"
    ).order_by("-pk")[:DISPUTES_SHOWN]
    return AgreementPage(
        agreement=agreement_table(agreement_of(), people),
        reviewers=sorted(
            (ReviewerCount(people[pk], count) for pk, count in by_person.items()),
            key=lambda each: (-each.task_runs, str(each.person)),
        ),
        confusions=_confusions(),
        disputes=list(shown),
        dispute_count=disputes.count(),
    )


def _confusions() -> list[Confusion]:
    rows = FailureLabel.objects.filter(
        origin=LabelOrigin.REVIEWER, result__shown_reason__disputed=True
    ).order_by("pk")
    latest = {
        (result, by): reason
        for result, by, reason in rows.values_list("result", "by", "reason")
    }
    said: dict[int, list[str]] = {}
    for (result, _), reason in latest.items():
        said.setdefault(result, []).append(reason)
    pairs: Counter[tuple[str, str]] = Counter()
    for reasons in said.values():
        for one, other in combinations(sorted(reasons), 2):
            if one != other:
                pairs[one, other] += 1
    return [
        Confusion(FailureReason(one).label, FailureReason(other).label, count)
        for (one, other), count in pairs.most_common(20)
    ]
