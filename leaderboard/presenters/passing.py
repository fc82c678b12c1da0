"""Pages of a snapshot whose benchmark ranks by pass rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any, NamedTuple

from django.http import QueryDict
from django.utils.translation import gettext as _

from leaderboard.as_of import AsOf, day_from, standings_day, today
from leaderboard.formats import MISSING, grouped, percent
from leaderboard.ignored import Ignored, a_day, one_of
from leaderboard.metrics import Scope
from leaderboard.models import Configuration, Evaluation, EvaluationSnapshot, Stream
from leaderboard.models.results import Strike
from leaderboard.models.texts import in_language
from leaderboard.passing.figures import PassFigures
from leaderboard.passing.standings import PassRow, PassStandings, pass_standings
from leaderboard.passing.streams import streams_of
from leaderboard.presenters.conditions import condition_labels

# Values of the other leaderboards that say nothing here.
_OTHER_STATE = ("q", "family", "provider", "provenance", "sort", "columns", "page")


class PassCells(NamedTuple):
    """The figures of a row as text: percent points, counts, and digits as printed."""

    pass_rate: str
    interval: str
    completion_rate: str
    passed: str
    incomplete: str
    runs: str
    tasks_per_run: str
    stability: str


@dataclass(frozen=True, slots=True)
class PassTableRow:
    evaluation: Evaluation
    configuration: Configuration
    rank_label: str
    span: str
    cells: PassCells
    reason: str = ""


class StreamTab(NamedTuple):
    name: str
    task_count: int | None
    href: str
    current: bool


class Quoted(NamedTuple):
    """A single figure from a text, in words and digits as they stand there."""

    what: str
    stream: str
    models: str
    about: str
    completion_rate: str
    pass_rate: str
    note: str


@dataclass(frozen=True, slots=True)
class PassPage:
    """``level`` is that of the shown intervals in percent; None without any."""

    snapshot: EvaluationSnapshot
    stream: Stream | None
    tabs: Sequence[StreamTab]
    as_of: AsOf | None
    rows: Sequence[PassTableRow]
    apart: Sequence[PassTableRow]
    strikes: Sequence[tuple[Evaluation, Strike]]
    level: int | None
    has_counts: bool
    has_printed: bool
    task_count: int | None
    run_counts: str
    source: Mapping[str, Any]
    note: str
    quoted: Sequence[Quoted]
    ignored: Sequence[Ignored]
    now_href: str
    frozen_href: str
    today: date


def chosen_stream(
    streams: Sequence[Stream], wanted: str, ignored: list[Ignored]
) -> Stream | None:
    """The stream that ``?source=`` names; None, for all tasks, where it names none."""
    found = next((each for each in streams if each.slug == wanted), None)
    if found is None and wanted not in {"", Scope.OVERALL}:
        known = (Scope.OVERALL, *(each.slug for each in streams))
        ignored.append(Ignored("source", wanted, one_of(known)))
    return found


def pass_page(snapshot: EvaluationSnapshot, query: QueryDict) -> PassPage:
    """The leaderboard; AsOfError where the query names a day without standings."""
    given = ((name, query.get(name, "")) for name in _OTHER_STATE)
    ignored = [Ignored(name, str(value)) for name, value in given if value]
    as_of = _as_of(snapshot, query.get("as_of", ""), ignored)
    streams = streams_of(snapshot)
    stream = chosen_stream(streams, query.get("source", ""), ignored)
    table = pass_standings(snapshot, stream, until=as_of.until if as_of else None)
    source = stream.slug if stream else ""
    address = snapshot.get_absolute_url()
    every = [row.figures for row in (*table.rows, *table.unranked)]
    return PassPage(
        snapshot=snapshot,
        stream=stream,
        tabs=_tabs(snapshot, streams, stream, as_of),
        as_of=as_of,
        rows=[_row(each) for each in table.rows],
        apart=[_row(each) for each in table.unranked],
        strikes=table.strikes,
        level=_level(table),
        has_counts=any(each.counts is not None for each in every),
        has_printed=any(each.printed for each in every),
        task_count=task_count(snapshot, streams),
        run_counts=run_counts(snapshot, every),
        source=snapshot.composition.get("source", {}),
        note=in_language(snapshot.composition.get("note", {})),
        quoted=quoted_figures(snapshot, streams),
        ignored=ignored,
        now_href=address + _query(source=source),
        frozen_href=address
        + _query(source=source, as_of=str(as_of.day if as_of else today())),
        today=today(),
    )


def task_count(snapshot: EvaluationSnapshot, streams: Sequence[Stream]) -> int | None:
    """How many tasks the snapshot has; None where that was not published."""
    if streams:
        return sum(each.task_count for each in streams)
    found: int | None = snapshot.composition.get("tasks")
    return found


def run_counts(snapshot: EvaluationSnapshot, rows: Sequence[PassFigures]) -> str:
    """Runs of each task: one number, or from the fewest to the most."""
    if not snapshot.runs_differ:
        return str(snapshot.run_count)
    counts = {row.run_count for row in rows} or {snapshot.run_count}
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low}–{high}"


def pass_cells(found: PassFigures) -> PassCells:
    """Printed figures keep the digits of their source; counted ones are rounded."""
    printed, counts = found.printed, found.counts
    interval = printed.get("interval")
    return PassCells(
        pass_rate=printed.get("pass_rate") or percent(found.pass_rate),
        interval=f"[{interval['low']}–{interval['high']}]" if interval else "",
        completion_rate=printed.get("completion_rate")
        or percent(found.completion_rate),
        passed=f"{counts.perfect}/{counts.finished}" if counts else MISSING,
        incomplete=grouped(counts.incomplete if counts else None),
        runs=str(found.run_count),
        tasks_per_run=printed.get("tasks_per_run") or grouped(found.task_count),
        stability=printed.get("stability") or MISSING,
    )


def quoted_figures(
    snapshot: EvaluationSnapshot, streams: Sequence[Stream]
) -> list[Quoted]:
    names = {each.slug: each.name for each in streams}
    return [
        Quoted(
            what=in_language(each["what"]),
            stream=names.get(each["stream"], MISSING),
            models=_(", ").join(each["models"]) or MISSING,
            about=each["about"],
            completion_rate=each["completion_rate"] or MISSING,
            pass_rate=each["pass_rate"] or MISSING,
            note=in_language(each["note"] or {}),
        )
        for each in snapshot.composition.get("quoted", [])
    ]


def _row(row: PassRow) -> PassTableRow:
    return PassTableRow(
        evaluation=row.evaluation,
        configuration=row.evaluation.configuration,
        rank_label=row.rank_label,
        span="–".join(str(place) for place in row.rank_span or ()),
        cells=pass_cells(row.figures),
        reason="" if row.rank else _why_apart(row),
    )


def _why_apart(row: PassRow) -> str:
    evaluation = row.evaluation
    if row.figures.standing is None:
        return _("No task run has finished.")
    if evaluation.unverified:
        return _("Completed task runs lack their trajectory.")
    if evaluation.differing_fields:
        fields = condition_labels(evaluation.differing_fields)
        return _("Differs in: %(fields)s.") % {"fields": fields}
    return str(evaluation.get_provenance_display())


def _level(table: PassStandings) -> int | None:
    return next(
        (row.figures.interval.level for row in table.rows if row.figures.interval),
        None,
    )


def _tabs(
    snapshot: EvaluationSnapshot,
    streams: Sequence[Stream],
    current: Stream | None,
    as_of: AsOf | None,
) -> list[StreamTab]:
    """All tasks and each stream; none where there are no streams to choose from."""
    if not streams:
        return []
    day = str(as_of.day) if as_of else ""
    address = snapshot.get_absolute_url()
    overall = StreamTab(
        _("Overall"),
        task_count(snapshot, streams),
        address + _query(as_of=day),
        current is None,
    )
    return [
        overall,
        *(
            StreamTab(
                each.name,
                each.task_count,
                address + _query(source=each.slug, as_of=day),
                each == current,
            )
            for each in streams
        ),
    ]


def _query(**values: str) -> str:
    query = QueryDict(mutable=True)
    query.update({name: value for name, value in values.items() if value})
    return f"?{query.urlencode()}" if query else ""


def _as_of(
    snapshot: EvaluationSnapshot, wanted: str, ignored: list[Ignored]
) -> AsOf | None:
    day = day_from(wanted)
    if day is not None:
        return standings_day(snapshot, day)
    if wanted:
        ignored.append(Ignored("as_of", wanted, a_day()))
    return None


class StreamRow(NamedTuple):
    """A stream as the benchmark page shows it; empty texts were not published."""

    name: str
    task_count: int
    share: str
    width: float
    focus: str
    lines: str
    files: str


def stream_rows(streams: Sequence[Stream]) -> list[StreamRow]:
    total = sum(each.task_count for each in streams)
    rows = []
    for each in streams:
        share = Fraction(each.task_count, total)
        rows.append(
            StreamRow(
                name=each.name,
                task_count=each.task_count,
                share=percent(share, 1),
                width=round(float(share * 100), 2),
                focus=each.focus,
                lines=_span(each.facts.get("lines")),
                files=_span(each.facts.get("files")),
            )
        )
    return rows


def _span(found: Sequence[int] | None) -> str:
    return MISSING if found is None else "–".join(grouped(value) for value in found)
