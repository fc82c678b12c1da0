"""A table by pass rate for the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction

from django.conf import settings

from leaderboard.exports import snapshot_as_dict
from leaderboard.metrics import Scope, rounded
from leaderboard.models import EvaluationSnapshot
from leaderboard.passing.documents import flat_pass_table, table_as_dict
from leaderboard.passing.standings import PassRow, PassStandings, pass_standings
from leaderboard.plain_table import aligned, printable
from leaderboard.snapshots import ScopeLookupError
from leaderboard.tables import FILE_KINDS

HEADINGS = (
    "rank",
    "span",
    "model",
    "pass %",
    "low %",
    "high %",
    "completion %",
    "passed",
    "incomplete",
    "runs",
    "provenance",
)
LEFT = frozenset({"model", "provenance"})


def printed_table(snapshot: EvaluationSnapshot, source: str, form: str) -> str:
    """The table of ``source`` as json, csv or table; ScopeLookupError without one."""
    streams = {each.slug: each for each in snapshot.streams.all()}
    if source != Scope.OVERALL and source not in streams:
        known = ", ".join([Scope.OVERALL.value, *streams])
        raise ScopeLookupError(f"{snapshot} has no source {source!r}. Known: {known}.")
    table = pass_standings(snapshot, streams.get(source))
    match form:
        case "json":
            document = {"snapshot": snapshot_as_dict(snapshot), **table_as_dict(table)}
            return json.dumps(document, ensure_ascii=False, indent=2)
        case "csv":
            flat = flat_pass_table(table, None, site=settings.PUBLIC_URL)
            return FILE_KINDS["csv"].write(flat).decode().removesuffix("\n")
        case _:
            return "\n".join(_lines(table))


def _lines(table: PassStandings) -> Iterator[str]:
    yield f"{table.snapshot}, {table.stream.slug if table.stream else 'overall'}"
    rows = [_cells(row) for row in (*table.rows, *table.unranked)]
    yield from aligned(HEADINGS, rows, left=LEFT)
    if not rows:
        yield "No evaluation is public yet."


def _cells(row: PassRow) -> tuple[str, ...]:
    found = row.figures
    counts, interval = found.counts, found.interval
    return (
        row.rank_label or "-",
        f"{row.rank_span[0]}-{row.rank_span[1]}" if row.rank_span else "-",
        printable(row.evaluation.configuration.model),
        found.printed.get("pass_rate") or _percent(found.pass_rate),
        _percent(interval.low if interval else None, 1),
        _percent(interval.high if interval else None, 1),
        found.printed.get("completion_rate") or _percent(found.completion_rate),
        f"{counts.perfect}/{counts.finished}" if counts else "not reported",
        str(counts.incomplete) if counts else "not reported",
        str(found.run_count),
        row.evaluation.provenance,
    )


def _percent(rate: Fraction | None, digits: int = 2) -> str:
    return "not reported" if rate is None else str(rounded(rate * 100, digits))
