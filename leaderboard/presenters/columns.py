"""Which columns a standings table shows: ``?columns=completed,tokens``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.ignored import Ignored, one_of
from leaderboard.models import TaskSource
from leaderboard.ranking.orders import SOURCES

ALWAYS = ("rank", "name", "task_completion")
LABELS: Mapping[str, str | Promise] = {
    "completed": _("Completed"),
    "runs": _("Runs"),
    **{source.value: TaskSource(source.value).label for source in SOURCES},
    "first_build": _("First build"),
    "final_build": _("Final build"),
    "tokens": _("Tokens per task"),
    "seconds": _("Time per task"),
    "agent": _("Agent"),
    "published": _("Public since"),
}
UNASKED = ("agent", "published")
DEFAULT = tuple(key for key in LABELS if key not in UNASKED)


@dataclass(frozen=True, slots=True)
class Columns:
    """``chosen`` by the reader, of which the table of this scope has ``offered``."""

    chosen: tuple[str, ...]
    offered: tuple[str, ...]

    @property
    def shown(self) -> tuple[str, ...]:
        return tuple(key for key in self.chosen if key in self.offered)

    @property
    def choices(self) -> list[tuple[str, str | Promise, bool]]:
        """Key, label and whether it is shown, in the order of the table."""
        return [(key, LABELS[key], key in self.chosen) for key in self.offered]

    @property
    def elsewhere(self) -> list[str]:
        """Chosen columns that only the tables of other scopes have."""
        return [key for key in self.chosen if key not in self.offered]

    @property
    def in_query(self) -> str | None:
        """The shortest text for the address; None where nothing was changed."""
        if self.chosen == DEFAULT:
            return None
        return ",".join(self.chosen) or ALWAYS[-1]


def chosen_columns(
    query: QueryDict, *, sources: Collection[str], ignored: list[Ignored]
) -> Columns:
    """The columns of ``?columns=``, once with commas or many times; ``sources`` are
    those that the table breaks down by."""
    parts = [
        part.strip() for text in query.getlist("columns") for part in text.split(",")
    ]
    named = [part for part in parts if part]
    ignored += [
        Ignored("columns", part, one_of((*ALWAYS, *LABELS)))
        for part in named
        if part not in LABELS and part not in ALWAYS
    ]
    known = [part for part in named if part in LABELS or part in ALWAYS]
    every_source = {source.value for source in SOURCES}
    return Columns(
        chosen=tuple(key for key in LABELS if key in known) if known else DEFAULT,
        offered=tuple(
            key for key in LABELS if key not in every_source or key in sources
        ),
    )
