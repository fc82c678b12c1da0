"""The rows of a leaderboard page: cells put into rows that the templates have drawn.

Each kind of row is drawn once in each process, with holes in place of its texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from leaderboard.charts import RunAxis
from leaderboard.formats import MILLION
from leaderboard.memory import Memory
from leaderboard.models import Configuration, Evaluation, TaskSource
from leaderboard.models.results import BY_START_ORDER
from leaderboard.moulds import Mould, hole
from leaderboard.presenters.columns import LABELS
from leaderboard.ranking.lines import PLACE, SOURCE_CELLS, Line, Shape, source_place
from leaderboard.ranking.orders import DEFAULT_SORT

_moulds: Memory[Mould] = Memory(size=2_000)


class HollowCell(NamedTuple):
    """The cell of one source."""

    heat: str
    label: str
    title: str
    value: str


class HollowRuns(NamedTuple):
    """The drawing of the runs, as :class:`leaderboard.charts.RunTicks` names it."""

    axis: RunAxis
    values: Sequence[str]
    mean_value: str
    bar: str
    marks: str
    dot: str


@dataclass(frozen=True, slots=True)
class HollowRow:
    """A row of the table whose texts are holes; the template draws it."""

    evaluation: Evaluation
    compare_label: str
    history_label: str
    text: dict[str, str]
    leading_group: bool
    ends_leading_group: bool
    runs: HollowRuns
    runs_in_order: bool
    sources: Sequence[HollowCell]
    differs: dict[str, bool]
    declared: bool
    struck_out_since: bool


@dataclass(frozen=True, slots=True)
class Body:
    """The ``lines`` of one page as HTML, with the columns that are ``shown``.

    The group of ``leading_count`` rows is marked as ending where rows stand in their
    first order and all of it is among them.
    """

    lines: Sequence[Line]
    shown: Sequence[str]
    axis: RunAxis
    unit: int
    sort: str
    leading_count: int
    _language: str = field(default_factory=lambda: get_language() or "")

    @property
    def table(self) -> SafeString:
        last = self._end_of_leading_group()
        made: dict[tuple[Shape, bool], Callable[[Sequence[str]], str]] = {}
        rows = []
        for number, line in enumerate(self.lines):
            kind = (line.shape, number == last)
            if kind not in made:
                made[kind] = self._row(*kind).fill
            rows.append(made[kind](line.cells))
        return SafeString("".join(rows))

    @property
    def counts(self) -> SafeString:
        """The rows of the table of counts."""
        made: dict[str, Callable[[Sequence[str]], str]] = {}
        rows = []
        for line in self.lines:
            kind = line.shape.sources
            if kind not in made:
                made[kind] = self._counts_row(line.shape).fill
            rows.append(made[kind](line.cells))
        return SafeString("".join(rows))

    def _end_of_leading_group(self) -> int | None:
        leading = [n for n, line in enumerate(self.lines) if line.shape.leading]
        if self.sort != DEFAULT_SORT or len(leading) != self.leading_count:
            return None
        return leading[-1] if leading else None

    def _row(self, shape: Shape, ends_leading_group: bool) -> Mould:
        def draw() -> Mould:
            return _drawn(
                "leaderboard/partials/standings_row.html",
                row=self._hollow(shape, ends_leading_group),
                shows={key: key in self.shown for key in LABELS},
                unit_is_million=self.unit == MILLION,
            )

        columns = tuple(self.shown)
        key = (self._language, shape, ends_leading_group, columns)
        return _moulds.find((*key, self.axis.grid, self.unit), draw)

    def _counts_row(self, shape: Shape) -> Mould:
        sources = self._sources(shape)

        def draw() -> Mould:
            return _drawn(
                "leaderboard/partials/counts_row.html",
                text=_holes(),
                counts=[hole(_count(shape, each)) for each in sources],
            )

        key = ("counts", shape.sources, tuple(sources))
        return _moulds.find(key, draw)

    def _sources(self, shape: Shape) -> list[str]:
        return [each for each in shape.sources.split() if each in self.shown]

    def _hollow(self, shape: Shape, ends_leading_group: bool) -> HollowRow:
        text = _holes()
        named = {"model": text["model"]}
        printed = shape.printed.split()
        evaluation: Any = Evaluation(
            pk=text["evaluation"],
            configuration=Configuration(pk=text["configuration"]),
            provenance=shape.provenance,
            toolchain_facts={"runs": BY_START_ORDER} if shape.by_start_order else {},
        )
        return HollowRow(
            evaluation=evaluation,
            compare_label=_("Compare %(model)s") % named,
            history_label=_("History of %(model)s") % named,
            text=text,
            leading_group=shape.leading,
            ends_leading_group=ends_leading_group,
            runs=HollowRuns(
                self.axis,
                values=[text["run_values"]],
                mean_value=text["mean_value"],
                bar=text["bar"],
                marks=text["marks"],
                dot=text["dot"],
            ),
            runs_in_order=shape.in_order,
            sources=[_cell(shape, each) for each in self._sources(shape)],
            differs=dict.fromkeys(printed, True),
            declared=shape.declared,
            struck_out_since=shape.struck_out_since,
        )


def _drawn(template: str, **context: Any) -> Mould:
    """The drawing without the empty lines that tags leave behind."""
    lines = map(str.strip, render_to_string(template, context).splitlines())
    return Mould("\n".join(filter(None, lines)) + "\n")


def _holes() -> dict[str, str]:
    return {name: hole(place) for name, place in PLACE.items()}


def _cell(shape: Shape, source: str) -> HollowCell:
    heat, value, count = (
        hole(source_place(shape, source) + number) for number in range(3)
    )
    return HollowCell(
        heat=heat,
        label=str(TaskSource(source).label),
        title=_("%(count)s task runs") % {"count": count},
        value=value,
    )


def _count(shape: Shape, source: str) -> int:
    return source_place(shape, source) + SOURCE_CELLS.index("count")
