"""Checks stored totals against the raw rows, or against themselves without any."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from leaderboard.models import Evaluation, ScopeName, ScopeTotals
from leaderboard.totals import (
    COUNTED_FIELDS,
    TotalsError,
    run_totals,
    summary_totals,
    write_run_totals,
    write_summary,
)

# Tokens and times of a report are rounded before they are multiplied; counts are not.
ADDED_FIELDS = (
    "task_count",
    "completed_count",
    "first_build_count",
    "final_build_count",
)


class Difference(NamedTuple):
    """One stored figure that is not what the rows give."""

    place: str
    field: str
    stored: object
    computed: object

    def __str__(self) -> str:
        return (
            f"{self.place}, {self.field}: stored {self.stored!r}, "
            f"the rows give {self.computed!r}"
        )


def differences(evaluation: Evaluation) -> Iterator[Difference]:
    """What is wrong with the stored totals of ``evaluation``; nothing if all is well.

    Totals that were not written yet are not missed.
    """
    stored = list(evaluation.totals.select_related("run"))
    place = f"evaluation {evaluation.pk}"
    by_run: dict[int | None, list[ScopeTotals]] = {}
    for totals in stored:
        by_run.setdefault(totals.run_id, []).append(totals)
    for run in evaluation.runs.all():
        if run.pk in by_run:
            yield from _compared(
                f"{place}, run {run.number}",
                by_run[run.pk],
                compute=partial(run_totals, run),
            )
    if None in by_run:
        if evaluation.runs.exists():
            yield from _compared(
                place, by_run[None], compute=partial(summary_totals, evaluation)
            )
        yield from _inconsistencies(place, by_run[None])


def rewrite(evaluation: Evaluation) -> None:
    """Write the totals that exist again from the raw rows, where there are any."""
    stored = set(evaluation.totals.values_list("run", flat=True))
    runs = list(evaluation.runs.all())
    for run in runs:
        if run.pk in stored:
            write_run_totals(run)
    if runs and None in stored:
        write_summary(evaluation)


def _compared(
    place: str,
    stored: list[ScopeTotals],
    *,
    compute: Callable[[], list[ScopeTotals]],
) -> Iterator[Difference]:
    try:
        computed = {totals.scope: totals for totals in compute()}
    except TotalsError as error:
        yield Difference(place, "results", "totals", str(error))
        return
    found = {totals.scope: totals for totals in stored}
    for scope in sorted(computed.keys() | found.keys()):
        if scope not in found or scope not in computed:
            yield Difference(
                f"{place}, {scope}", "scope", scope in found, scope in computed
            )
            continue
        for field in COUNTED_FIELDS:
            mine, theirs = getattr(found[scope], field), getattr(computed[scope], field)
            if mine != theirs:
                yield Difference(f"{place}, {scope}", field, mine, theirs)


def _inconsistencies(place: str, summary: list[ScopeTotals]) -> Iterator[Difference]:
    """What must hold for every evaluation, also where no raw rows are held."""
    for totals in summary:
        added = sum(totals.completed_by_run)
        if totals.completed_count != added:
            yield Difference(
                f"{place}, {totals.scope}",
                "completed_count",
                totals.completed_count,
                added,
            )
    overall = [each for each in summary if each.scope == ScopeName.OVERALL]
    sources = [each for each in summary if each.scope != ScopeName.OVERALL]
    for field in ADDED_FIELDS if overall and sources else ():
        parts = [getattr(each, field) for each in sources]
        whole = getattr(overall[0], field)
        if None not in parts and whole != sum(parts):
            yield Difference(f"{place}, sources together", field, whole, sum(parts))
