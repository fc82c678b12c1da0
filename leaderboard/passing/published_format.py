"""The files of published pass rates: what they may hold.

Figures are strings, to be shown digit by digit as their source has them; null is "not
published".
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, model_validator

from leaderboard.models import DateOf, ScoringPolicy
from leaderboard.snapshots.format import SLUG, VERSION, BenchmarkName, FormatModel, Line

Percent: TypeAlias = Annotated[str, Field(pattern=r"^(100(\.0+)?|\d{1,2}(\.\d+)?)$")]
Fraction1: TypeAlias = Annotated[str, Field(pattern=r"^(1(\.0+)?|0(\.\d+)?)$")]
Number: TypeAlias = Annotated[str, Field(pattern=r"^\d+(\.\d+)?$")]
Texts: TypeAlias = dict[Literal["en", "zh-hans"], Line]


class PassSource(FormatModel):
    """Where the figures were first published."""

    kind: Literal["primary"]
    title: Line
    identifier: Line
    dated: date | None


class PublishedStream(FormatModel):
    slug: str = Field(pattern=SLUG, max_length=40)
    names: Texts
    tasks: int = Field(ge=1)
    focus: Texts
    lines: tuple[int, int] | None
    files: tuple[int, int] | None


class PassSnapshot(FormatModel):
    benchmark: BenchmarkName
    version: str = Field(pattern=VERSION, max_length=40)
    title: Line
    date: date
    date_of: DateOf
    agent: Line | None
    runs_per_task: int | None = Field(ge=1)
    tasks: int | None = Field(ge=1)
    streams: list[PublishedStream]

    @model_validator(mode="after")
    def streams_hold_all_tasks(self) -> PassSnapshot:
        if self.streams:
            total = sum(each.tasks for each in self.streams)
            if total != self.tasks:
                raise ValueError(f"the streams have {total} tasks, not {self.tasks}")
            if len({each.slug for each in self.streams}) < len(self.streams):
                raise ValueError("two streams have the same slug")
        return self


class Interval(FormatModel):
    """A confidence interval; ``level`` in percent."""

    level: int = Field(ge=50, lt=100)
    low: Percent
    high: Percent


class PublishedRates(FormatModel):
    """Rates in percent. ``tasks_per_run`` and ``stability`` are means over runs."""

    pass_rate: Percent
    interval: Interval | None
    completion_rate: Percent | None
    runs: int = Field(ge=1)
    tasks_per_run: Number | None
    stability: Number | None

    @model_validator(mode="after")
    def the_interval_holds_the_rate(self) -> PublishedRates:
        if self.interval is not None:
            places = [self.interval.low, self.pass_rate, self.interval.high]
            if any(Decimal(one) > Decimal(other) for one, other in pairwise(places)):
                raise ValueError(f"{self.pass_rate} does not lie in its interval")
        return self


class RatedConfiguration(FormatModel):
    model: Line = Field(max_length=100)
    provider: Line = Field(max_length=100)
    rates: PublishedRates


class Component(FormatModel):
    dimension: Line
    score: Fraction1
    weight: Number


class QuotedFigure(FormatModel):
    """A figure in the text of a source, of single runs or of many; it ranks nothing.

    ``about`` is how exact it is meant to be. ``stream`` is None where the source does
    not say it.
    """

    what: Texts
    stream: str | None
    models: list[Line]
    about: Literal["exactly", "about", "above"] = "exactly"
    completion_rate: Fraction1 | None = None
    pass_rate: Fraction1 | None = None
    note: Texts | None = None
    components: list[Component] = []


class PassResults(FormatModel):
    policy: Literal[ScoringPolicy.PASS_AND_COMPLETION]
    source: PassSource
    note: Texts
    snapshot: PassSnapshot
    configurations: list[RatedConfiguration]
    quoted: list[QuotedFigure]

    @model_validator(mode="after")
    def rows_and_quotes_name_what_there_is(self) -> PassResults:
        names = [(each.model, each.provider) for each in self.configurations]
        if twice := [name for name in names if names.count(name) > 1]:
            raise ValueError(f"{twice[0][0]} stands there twice")
        known = {each.slug for each in self.snapshot.streams}
        for each in self.quoted:
            if each.stream is not None and each.stream not in known:
                raise ValueError(f"there is no stream {each.stream}")
        return self
