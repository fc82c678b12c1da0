"""Checks stored totals against the raw rows, or against themselves without any."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from leaderboard.counting import Figures, Place, count_results, plain_rows
from leaderboard.metrics import Scope
from leaderboard.models import (
    Evaluation,
    Run,
    ScopeTotals,
    SnapshotScope,
)
from leaderboard.passing.scoring import stored_differences, write_pass_totals
from leaderboard.totals import (
    Measured,
    RunCounts,
    write_run_totals,
    write_summary,
)
from leaderboard.totals_errors import TotalsError

# Tokens and times of a report are rounded before they are multiplied; counts are not.
ADDED_FIELDS = (
    "task_count",
    "completed_count",
    "first_build_count",
    "final_build_count",
)
_BY_RUN = Figures._fields.index("completed_by_run")
# Figures as the database has them, with the counts by run as text.
_Row: TypeAlias = tuple[Any, ...]
_Stored: TypeAlias = dict[str, _Row]
_ByScope: TypeAlias = dict[str, Figures]


class Difference(NamedTuple):
    """One stored figure that is not what the rows give; ``evaluation`` is its key."""

    evaluation: int
    place: str
    field: str
    stored: object
    computed: object

    def __str__(self) -> str:
        return (
            f"{self.place}, {self.field}: stored {self.stored!r}, "
            f"the rows give {self.computed!r}"
        )


class _Place(NamedTuple):
    """Where in the totals of an evaluation something stands, in words."""

    evaluation: int
    words: str

    def below(self, word: str) -> _Place:
        return _Place(self.evaluation, f"{self.words}, {word}")

    def differs(self, field: str, stored: object, computed: object) -> Difference:
        return Difference(self.evaluation, self.words, field, stored, computed)


class _Run(NamedTuple):
    pk: int
    number: int


def differences(evaluation: Evaluation | None = None) -> Iterator[Difference]:
    """What is wrong with the stored totals of ``evaluation``, or of every evaluation.

    Nothing if all is well; totals that were not written yet are not missed. The
    database counts the rows, in the same number of queries whatever there is;
    what ranks by pass rate is counted evaluation by evaluation.
    """
    one = None if evaluation is None else evaluation.pk
    # Before the rows: totals that are written meanwhile have rows that come with them.
    stored = _stored_figures(one)
    runs = _runs(one)
    counts = count_results(**_only("run__evaluation", one))
    denominators = _denominators()
    by_pass_rate = _counted_by_pass_rate(one)
    for pk, snapshot, run_count in (
        Evaluation.objects.filter(**_only("pk", one))
        .order_by("pk")
        .values_list("pk", "snapshot_id", "run_count")
    ):
        yield from _of_evaluation(
            Measured(pk, run_count, denominators[snapshot]),
            stored[pk],
            {
                run.pk: RunCounts(run.number, counts.get(Place(run.pk, snapshot), {}))
                for run in runs[pk]
            },
        )
        if pk in by_pass_rate:
            yield from _by_pass_rate(by_pass_rate[pk])


def rewrite(evaluation: Evaluation) -> None:
    """Write the totals that exist again from the raw rows, where there are any."""
    stored = set(evaluation.totals.values_list("run", flat=True))
    runs = list(evaluation.runs.all())
    if evaluation.pk in _counted_by_pass_rate(evaluation.pk):
        write_pass_totals(evaluation)
    for run in runs:
        if run.pk in stored:
            write_run_totals(run)
    if runs and None in stored:
        write_summary(evaluation)


def _counted_by_pass_rate(one: int | None) -> Mapping[int, Evaluation]:
    """Evaluations with stored counts by pass rate; published rates have none."""
    rows = Evaluation.objects.filter(
        pass_totals__finished_count__isnull=False, **_only("pk", one)
    )
    found = rows.select_related("snapshot__benchmark").distinct()
    return {each.pk: each for each in found}


def _by_pass_rate(evaluation: Evaluation) -> Iterator[Difference]:
    place = _Place(evaluation.pk, f"evaluation {evaluation.pk}")
    try:
        for scope, field, stored, computed in stored_differences(evaluation):
            yield place.below(scope).differs(field, stored, computed)
    except TotalsError as error:
        yield place.differs("results", "totals", str(error))


def _only(path: str, key: int | None) -> dict[str, int]:
    """The condition that ``path`` leads to one evaluation, or none at all."""
    return {} if key is None else {path: key}


def _stored_figures(one: int | None) -> Mapping[int, dict[int | None, _Stored]]:
    """Stored figures by evaluation, by run (None = over all runs), and by scope."""
    found: defaultdict[int, dict[int | None, _Stored]] = defaultdict(dict)
    rows = plain_rows(
        ScopeTotals.objects.filter(**_only("evaluation", one)).values_list(
            "evaluation_id", "run_id", "scope", *Figures._fields
        )
    )
    for row in rows:
        evaluation, run, scope = row[:3]
        found[evaluation].setdefault(run, {})[scope] = row[3:]
    return found


def _read(stored: _Stored) -> _ByScope:
    found = {}
    for scope, row in stored.items():
        values = list(row)
        values[_BY_RUN] = json.loads(values[_BY_RUN])
        found[scope] = Figures(*values)
    return found


def _as_stored(figures: Figures) -> _Row:
    """As the database has them if they were written by us: equal rows need no reading,
    which takes longer than all the comparing."""
    row: list[Any] = list(figures)
    row[_BY_RUN] = str(row[_BY_RUN])
    return tuple(row)


def _runs(one: int | None) -> Mapping[int, Sequence[_Run]]:
    """The runs of each evaluation in their order."""
    found: defaultdict[int, list[_Run]] = defaultdict(list)
    rows = Run.objects.filter(**_only("evaluation", one)).order_by("number")
    for evaluation, pk, number in rows.values_list("evaluation_id", "pk", "number"):
        found[evaluation].append(_Run(pk, number))
    return found


def _denominators() -> Mapping[int, Mapping[str, int]]:
    """The number of tasks by snapshot and scope."""
    found: defaultdict[int, dict[str, int]] = defaultdict(dict)
    rows = SnapshotScope.objects.values_list("snapshot_id", "scope", "task_count")
    for snapshot, scope, task_count in rows:
        found[snapshot][scope] = task_count
    return found


def _of_evaluation(
    measured: Measured,
    stored: Mapping[int | None, _Stored],
    runs: Mapping[int, RunCounts],
) -> Iterator[Difference]:
    """The differences of one evaluation; ``runs`` are by key, in their order."""
    place = _Place(measured.evaluation, f"evaluation {measured.evaluation}")
    for pk, run in runs.items():
        if pk in stored:
            yield from _compared(
                place.below(f"run {run.number}"),
                stored[pk],
                compute=partial(measured.of_run, run),
            )
    if None in stored:
        if runs:
            summary = yield from _compared(
                place,
                stored[None],
                compute=partial(measured.of_all_runs, list(runs.values())),
            )
        else:
            summary = _read(stored[None])
        yield from _inconsistencies(place, summary)


def _compared(
    place: _Place,
    rows: _Stored,
    *,
    compute: Callable[[], _ByScope],
) -> Generator[Difference, None, _ByScope]:
    """The differences of ``rows``; returns what is stored in them."""
    try:
        computed = compute()
    except TotalsError as error:
        yield place.differs("results", "totals", str(error))
        return _read(rows)
    if rows == {scope: _as_stored(each) for scope, each in computed.items()}:
        return computed
    stored = _read(rows)
    for scope in sorted(computed.keys() | stored.keys()):
        here = place.below(scope)
        if scope not in stored or scope not in computed:
            yield here.differs("scope", scope in stored, scope in computed)
            continue
        for field, mine, theirs in zip(
            Figures._fields, stored[scope], computed[scope], strict=True
        ):
            if mine != theirs:
                yield here.differs(field, mine, theirs)
    return stored


def _inconsistencies(place: _Place, summary: _ByScope) -> Iterator[Difference]:
    """What must hold for every evaluation, also where no raw rows are held."""
    for scope, each in summary.items():
        added = sum(each.completed_by_run)
        if each.completed_count != added:
            yield place.below(scope).differs(
                "completed_count", each.completed_count, added
            )
    overall = summary.get(Scope.OVERALL)
    sources = [each for scope, each in summary.items() if scope != Scope.OVERALL]
    for field in ADDED_FIELDS if overall and sources else ():
        parts = [getattr(each, field) for each in sources]
        whole = getattr(overall, field)
        if None not in parts and whole != sum(parts):
            yield place.below("sources together").differs(field, whole, sum(parts))
