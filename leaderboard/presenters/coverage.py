"""Kit coverage of a snapshot as bars, as a report gives it or as it is counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.formats import percent
from leaderboard.statistics import Document

# Buckets as a published composition spells them.
_BUCKETS = {
    "very frequent (>=50% of tasks)": "very_frequent",
    "frequent (10-49%)": "frequent",
    "occasional (3-9.9%)": "occasional",
    "rare (<3%)": "rare",
}

# Buckets as leaderboard/statistics.py names them.
_BUCKET_WORDS: Mapping[str, str | Promise] = {
    "very_frequent": _("50% of tasks and more"),
    "frequent": _("10–49%"),
    "occasional": _("3–9.9%"),
    "rare": _("under 3%"),
    "uncovered": _("no task"),
}


class Part(NamedTuple):
    """One line of a bar list: ``width`` in percent of the longest bar."""

    label: str
    value: str
    width: float

    @property
    def words(self) -> str | Promise:
        """The label in the reader's language, where it is a bucket of coverage."""
        return _BUCKET_WORDS.get(self.label, self.label)


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many Kits of a list are covered.

    ``wanted`` is the size of the benchmark's own list where its names are not all
    known and ``considered`` are the Kits of the SDK instead. ``rule`` is a report's.
    """

    covered: int
    considered: int
    buckets: Sequence[Part]
    wanted: int | None = None
    source: str = ""
    outside: Sequence[Part] = ()
    without_kit: int | None = None
    rule: str = ""


def kit_coverage(
    published: Mapping[str, Any], counted: Document | None
) -> tuple[list[Part], Coverage | None]:
    """The most frequent Kits, and how many of the list are covered."""
    if published:
        top: Mapping[str, float] = published.get("top_ten_percent_of_tasks", {})
        shares = [Part(name, f"{share:.1f}", share) for name, share in top.items()]
        buckets = published.get("buckets", {})
        return shares, Coverage(
            covered=published["covered"],
            considered=published["high_frequency_kits"],
            buckets=parts(
                (_BUCKETS.get(name, name), count) for name, count in buckets.items()
            ),
            rule=published.get("counting_rule", ""),
        )
    if not counted:
        return [], None
    listed: Document = counted["list"]
    return _kit_parts(counted["top"], counted["inputs"]), Coverage(
        covered=counted["covered"],
        considered=listed["size"],
        wanted=None if listed["complete"] else listed["wanted"],
        source=listed["source"],
        buckets=parts(counted["buckets"].items()),
        outside=_kit_parts(counted["outside"], counted["inputs"]),
        without_kit=counted["without_kit"],
    )


def _kit_parts(found: Sequence[Document], inputs: int) -> list[Part]:
    return [
        Part(
            each["kit"],
            percent(Fraction(each["inputs"], inputs), 1),
            round(100 * each["inputs"] / inputs, 1),
        )
        for each in found
    ]


def parts(found: Iterable[tuple[str, int]]) -> list[Part]:
    """Counts as bars, the longest of them in full width."""
    pairs = list(found)
    largest = max((count for _, count in pairs), default=0) or 1
    return [
        Part(name, str(count), round(100 * count / largest, 1)) for name, count in pairs
    ]
