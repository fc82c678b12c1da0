"""The page of one run, and the page of one task run with its files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from django.http import QueryDict

from leaderboard.failures.chosen import fits
from leaderboard.formats import MILLION, THOUSAND, file_size, percent, seconds
from leaderboard.forms import RunForm
from leaderboard.metrics import Scope
from leaderboard.models import (
    Artifact,
    CheckResult,
    FPoint,
    Run,
    ScopeTotals,
    TaskResult,
    VisualScore,
)
from leaderboard.outcomes import Outcome, order, outcome
from leaderboard.passing.standings import is_by_pass_rate
from leaderboard.plain_text import MAX_COLUMNS, visible
from leaderboard.presenters.artifact_kinds import kind_label
from leaderboard.presenters.compiler import BuildMessages, build_messages
from leaderboard.presenters.failures import (
    LabelLine,
    ReasonBadge,
    badge_of,
    label_lines,
    shown_reason_of,
)
from leaderboard.presenters.rows import Figures, figures_text
from leaderboard.presenters.viewer import Viewer, file_to_show, is_text, viewer_of
from leaderboard.sources import sources_of
from leaderboard.standings import figures
from leaderboard.verification import TRAJECTORY


class TaskRunRow(NamedTuple):
    """One line of a run's table; times in seconds, tokens as whole numbers."""

    result: TaskResult
    outcome: Outcome
    badge: ReasonBadge | None
    href: str
    tokens: str
    seconds: str


@dataclass(frozen=True, slots=True)
class RunPage:
    run: Run
    figures: Figures | None
    unit: int
    form: RunForm
    every_row: Sequence[TaskRunRow]
    rows: Sequence[TaskRunRow]
    present: Sequence[tuple[Outcome, int]]
    artifact_count: int
    artifact_size: str

    @property
    def unit_is_million(self) -> bool:
        return self.unit == MILLION

    @property
    def by_pass_rate(self) -> bool:
        """Whether figures are over all runs only, and this one has none of its own."""
        return is_by_pass_rate(self.run.evaluation.snapshot)


def run_page(run: Run, query: QueryDict) -> RunPage:
    """Everything the page of a run shows; whether it may be seen is checked before."""
    results = run.results.select_related(
        "task", "run", "overruling", "shown_reason"
    ).order_by("task__position", "task__slug")
    every_row = [task_run_row(result) for result in results]
    counts: dict[Outcome, int] = {}
    for row in every_row:
        counts[row.outcome] = counts.get(row.outcome, 0) + 1
    present = sorted(counts.items(), key=lambda each: order(each[0]))
    form = RunForm(
        query,
        sources=sources_of(run.evaluation.snapshot),
        outcomes=[(each.name, each.label) for each, _ in present],
    )
    totals = ScopeTotals.objects.filter(run=run, scope=Scope.OVERALL).first()
    unit = _unit(every_row)
    kept = Artifact.objects.kept().filter(run=run)
    sizes = list(kept.values_list("size_bytes", flat=True))
    return RunPage(
        run=run,
        figures=figures_text(figures(totals), unit) if totals else None,
        unit=unit,
        form=form,
        every_row=every_row,
        rows=[row for row in every_row if _matches(row, form)],
        present=present,
        artifact_count=len(sizes),
        artifact_size=file_size(sum(sizes)),
    )


def task_run_row(result: TaskResult) -> TaskRunRow:
    tokens = result.total_tokens
    return TaskRunRow(
        result=result,
        outcome=outcome(
            completed=result.completed,
            reason=result.reason,
            overruled=result.is_overruled,
        ),
        badge=badge_of(shown_reason_of(result)),
        href=result.get_absolute_url(),
        tokens="—" if tokens is None else f"{tokens:,}",
        seconds=seconds(result.agent_milliseconds),
    )


def _unit(rows: Sequence[TaskRunRow]) -> int:
    largest = max((row.result.total_tokens or 0 for row in rows), default=0)
    return THOUSAND if 0 < largest < MILLION // 10 else MILLION


def _matches(row: TaskRunRow, form: RunForm) -> bool:
    task = row.result.task
    return (
        form.chosen("q").casefold().strip() in f"{task.slug} {task.title}".casefold()
        and form.chosen("outcome") in {"", row.outcome.name}
        and _has_reason(row, form.chosen("reason"))
        and form.chosen("source") in {"", task.source}
    )


def _has_reason(row: TaskRunRow, reason: str) -> bool:
    """Completed task runs have none, and lack none."""
    if not reason:
        return True
    return not row.result.counts and fits(shown_reason_of(row.result), reason)


class Verdict(NamedTuple):
    """One F-point with its verdict; None where the checks did not run."""

    f_point: FPoint
    check: CheckResult | None
    message: str
    seconds: str


class ScreenRow(NamedTuple):
    """What one judge says of one screen; ``score`` in percent, empty without one."""

    row: VisualScore
    score: str
    reason: str


class File(NamedTuple):
    artifact: Artifact
    kind: str
    size: str
    viewable: bool
    shown: bool


@dataclass(frozen=True, slots=True)
class TaskRunPage:
    result: TaskResult
    row: TaskRunRow
    detail: str
    flags: Sequence[str]
    labels: Sequence[LabelLine]
    verdicts: Sequence[Verdict]
    screens: Sequence[ScreenRow]
    builds: Sequence[BuildMessages]
    files: Sequence[File]
    viewer: Viewer | None

    @property
    def has_trajectory(self) -> bool:
        """Whether a kept file tells what the agent did."""
        return any(
            each.artifact.kind == TRAJECTORY and not each.artifact.absence
            for each in self.files
        )


def task_run_page(result: TaskResult, query: QueryDict) -> TaskRunPage:
    """Verdicts and files of one task run; ``?file=name`` chooses what is shown."""
    artifacts = list(Artifact.objects.filter(run=result.run, task=result.task))
    shown = file_to_show(artifacts, query.get("file", ""), reason=result.reason)
    checks = {check.f_point_id: check for check in result.checks.all()}
    return TaskRunPage(
        result=result,
        row=task_run_row(result),
        detail=visible(result.detail[:MAX_COLUMNS]),
        flags=[visible(str(flag)[:MAX_COLUMNS]) for flag in result.flags],
        labels=label_lines(result),
        verdicts=[
            Verdict(
                f_point=f_point,
                check=checks.get(f_point.pk),
                message=_message(checks.get(f_point.pk)),
                seconds=seconds(
                    checks[f_point.pk].milliseconds if f_point.pk in checks else None
                ),
            )
            for f_point in result.task.f_points.all()
        ],
        screens=[
            ScreenRow(
                row=each,
                score=""
                if each.millionths is None
                else percent(Fraction(each.millionths, 1_000_000)),
                reason=visible(each.reason[:MAX_COLUMNS]),
            )
            for each in result.visual_scores.all()
        ],
        builds=build_messages(artifacts),
        files=[
            File(
                artifact=each,
                kind=kind_label(each.kind),
                size=file_size(each.size_bytes),
                viewable=is_text(each.name) and not each.absence,
                shown=each == shown,
            )
            for each in artifacts
        ],
        viewer=viewer_of(shown, query) if shown else None,
    )


def _message(check: CheckResult | None) -> str:
    """What the check said, without anything that could hide or reorder text."""
    return visible(check.message[:MAX_COLUMNS]) if check else ""
