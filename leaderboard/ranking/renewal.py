"""Storing the tables again after what they show has changed.

Nobody has to call this for the pages to be right: a table that is not of the present
version is not read. It is called so that readers do not have to wait.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Max, Min, QuerySet
from django.db.models.functions import Now
from django.utils.translation import override

from leaderboard import bulk, data_version
from leaderboard.build import fingerprint
from leaderboard.latest import latest_results, to_json
from leaderboard.metrics import Scope
from leaderboard.models import (
    Evaluation,
    EvaluationSnapshot,
    Part,
    ScopeTotals,
    StoredLine,
    StoredPlace,
    StoredTable,
    Visibility,
)
from leaderboard.ranking.asked import search_text
from leaderboard.ranking.documents import row_document, strike_document
from leaderboard.ranking.lines import LineStyle, as_text
from leaderboard.ranking.orders import ORDERS, column_of, numbers
from leaderboard.ranking.rankings import holding
from leaderboard.ranking.summary import Summary, figure_rows, summarize
from leaderboard.standings import Standings, StandingsRow, every_standings
from leaderboard.tables.version import data_version as version_of

_KEPT_FIELDS = [
    field.name
    for field in ScopeTotals._meta.concrete_fields
    if field.name not in {"id", "evaluation", "run", "scope"}
]
# Those of a place that only ranked rows have; the others stand in _about().
_RANKED_COLUMNS = (
    *("rank", "tied_count", "best_rank", "worst_rank", "leading_group", "in_figures"),
    *map(column_of, ORDERS),
)
_NOT_RANKED = (None, 1, None, None, False, False, *[None] * len(ORDERS))
_PLACE_COLUMNS = (
    *("table_id", "part", "position", "decision_id", *_RANKED_COLUMNS),
    *("evaluation_id", "search", "family", "provider", "provenance", "totals"),
)


class _Place(NamedTuple):
    """A place without its table: what it holds, and what readers are shown of it."""

    part: Part
    position: int
    columns: Sequence[Any]
    document: str
    text: str = ""


class _Table(NamedTuple):
    stored: StoredTable
    places: Sequence[_Place]


def renew() -> bool:
    """Store the tables of every listed snapshot; False where they all still hold."""
    version = data_version.current()
    if version is None or holding().exists():
        return False
    # Read after the version: what changes in between makes the tables too old at once.
    until = _next_embargo_end()
    listed = EvaluationSnapshot.objects.listed().by_task_completion()
    snapshots = list(listed.with_scopes())
    latest = {
        simulated: to_json(latest_results(simulated=simulated))
        for simulated in {each.device_profile_simulated for each in snapshots}
    }
    # The API has no language of its own, and its addresses none in front.
    with override(settings.LANGUAGE_CODE):
        tables = [
            _Table(
                StoredTable(
                    snapshot=table.snapshot,
                    scope=table.scope,
                    version=version.number,
                    build=fingerprint(),
                    until=until,
                    summary=summary.to_json(),
                    latest=latest[table.snapshot.device_profile_simulated],
                ),
                places,
            )
            for each in snapshots
            for table, summary, places in _tables(each)
        ]
    try:
        with transaction.atomic():
            _store(version.number, tables)
    except IntegrityError:
        return False  # Another process was faster.
    return True


def _store(version: int, tables: Sequence[_Table]) -> None:
    # The last but one stays, for who is just reading it.
    older = StoredTable.objects.filter(version__lt=version)
    last = older.aggregate(last=Max("version"))["last"]
    _drop(older.exclude(version=last) | StoredTable.objects.filter(version=version))
    StoredTable.objects.bulk_create([table.stored for table in tables])
    bulk.insert(
        StoredPlace,
        _PLACE_COLUMNS,
        (
            (table.stored.pk, place.part, place.position, *place.columns)
            for table in tables
            for place in table.places
        ),
    )
    keys = StoredPlace.objects.filter(table__in=[table.stored for table in tables])
    key_of = {
        (table, part, position): key
        for table, part, position, key in keys.values_list(
            "table_id", "part", "position", "pk"
        )
    }
    bulk.insert(
        StoredLine,
        ("place_id", "document", "text"),
        (
            (
                key_of[table.stored.pk, place.part, place.position],
                place.document,
                place.text,
            )
            for table in tables
            for place in table.places
        ),
    )


def _drop(tables: QuerySet[StoredTable]) -> None:
    """Delete ``tables``; a plain ``delete()`` would read every one of their places."""
    keys = list(tables.values_list("pk", flat=True))
    StoredLine.objects.filter(place__table__in=keys).delete()
    places = StoredPlace.objects.filter(table__in=keys)
    places._raw_delete(places.db)
    StoredTable.objects.filter(pk__in=keys).delete()


def _next_embargo_end() -> datetime | None:
    waiting = Evaluation.objects.filter(
        visibility=Visibility.EMBARGOED, public_from__gt=Now()
    )
    found: datetime | None = waiting.aggregate(end=Min("public_from"))["end"]
    return found


def _tables(
    snapshot: EvaluationSnapshot,
) -> Iterator[tuple[Standings, Summary, list[_Place]]]:
    """The tables of all scopes; what they have in common is worked out once."""
    tables = every_standings(snapshot)
    version = version_of(tables[0]) if tables else None
    about: dict[int, Sequence[Any]] = {}
    for table in tables:
        summary = summarize(table, version=version)
        yield table, summary, list(_places(table, summary, about))


def _places(
    table: Standings, summary: Summary, about: dict[int, Sequence[Any]]
) -> Iterator[_Place]:
    """``about`` gathers what an evaluation has in every table, by its key."""

    def columns(
        evaluation: Evaluation, *, decision: int | None = None, ranked: Iterable[Any]
    ) -> Sequence[Any]:
        if evaluation.pk not in about:
            about[evaluation.pk] = _about(evaluation)
        return (decision, *ranked, *about[evaluation.pk])

    style = LineStyle.of(summary)
    for position, (row, ranked) in enumerate(
        zip(table.rows, _ranked(table.rows), strict=True)
    ):
        yield _Place(
            Part.RANKED,
            position,
            columns(row.evaluation, decision=_decision(row), ranked=ranked),
            row_document(row),
            as_text(style.line(row)),
        )
    for position, row in enumerate(table.unranked):
        found = columns(row.evaluation, decision=_decision(row), ranked=_NOT_RANKED)
        yield _Place(Part.APART, position, found, row_document(row))
    for position, (evaluation, strike) in enumerate(table.strikes):
        found = columns(evaluation, ranked=_NOT_RANKED)
        document = strike_document(evaluation, strike)
        yield _Place(Part.STRUCK_OUT, position, found, document)


def _decision(row: StandingsRow) -> int | None:
    return None if row.decision is None else row.decision.pk


def _ranked(rows: Sequence[StandingsRow]) -> Iterator[Sequence[Any]]:
    """Values of _RANKED_COLUMNS of each row."""
    orders = zip(*(numbers(rows, key) for key in ORDERS), strict=True)
    in_figures = {row.evaluation.pk for row in figure_rows(rows)}
    for row, order in zip(rows, orders, strict=True):
        span = row.rank_span or (None, None)
        is_drawn = row.evaluation.pk in in_figures
        yield (row.rank, row.tied_count, *span, row.leading_group, is_drawn, *order)


def _about(evaluation: Evaluation) -> Sequence[Any]:
    """What a place holds of ``evaluation`` in every table."""
    configuration = evaluation.configuration
    summary: list[ScopeTotals] = evaluation.summary  # type: ignore[attr-defined]  # set by with_totals()
    return (
        evaluation.pk,
        search_text(configuration),
        configuration.family,
        configuration.provider,
        evaluation.provenance,
        _totals(summary),
    )


def _totals(summary: Iterable[ScopeTotals]) -> Mapping[str, Mapping[str, Any]]:
    return {
        Scope(totals.scope).value: {
            name: getattr(totals, name) for name in _KEPT_FIELDS
        }
        for totals in summary
    }
