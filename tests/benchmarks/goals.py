"""What speed is aimed at, and whether it was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tests.benchmarks.ingest import Cost
    from tests.benchmarks.pages import Timing

# The kinds of request and of writing that a goal is about.
WARM = "page, kept in memory"
NOT_MODIFIED = "page, 304"
FROM_SHELF = "page, new process"
FROM_STORED = "page, made from stored standings"
API_FROM_STORED = "API, made from stored standings"
CLOSED = "results and totals of a run, closed"
IMPORTED = "results imported in bulk"
RECOUNTED = "every total compared with its rows"

# By database; the others are the same on both.
_CLOSING_MILLISECONDS = {"sqlite": 20, "postgresql": 30}
_IMPORTED_PER_SECOND = {"sqlite": 100_000, "postgresql": 40_000}
_RECOUNT_SECONDS = 0.6
_RECOUNTED_ROWS = 459_000


class Found(NamedTuple):
    """A goal with what was measured, both in words, and whether it is met."""

    goal: str
    measured: str
    met: bool


def of_reading(timings: Mapping[int, Sequence[Timing]]) -> Iterator[Found]:
    """The goals that ``timings``, by the number of evaluations, tell something of."""
    by_size = {size: {each.what: each for each in of} for size, of in timings.items()}
    if small := by_size.get(8):
        kilobytes = small[FROM_STORED].kilobytes
        yield Found(
            "Page of 8 rows at most 25 kB", f"{kilobytes:.1f} kB", kilobytes <= 25
        )
    if hundred := by_size.get(100):
        for goal, what, limit in (
            ("Warm page of 100 rows", WARM, 2),
            ("Cold page of 100 rows, made beforehand", FROM_SHELF, 12),
            ("Page of 100 rows, made from its stored rows", FROM_STORED, 12),
            ("304 with a look-up", NOT_MODIFIED, 5),
            ("API of 100 rows", API_FROM_STORED, 12),
        ):
            ratio = hundred[what].ratio
            yield Found(f"{goal} at most {limit} x", f"{ratio:.1f} x", ratio <= limit)
    queries = max(
        each.queries for of in timings.values() for each in of if each.per_second
    )
    yield Found("Page or list at most 4 queries", f"{queries}", queries <= 4)
    if 100 in by_size and 10_000 in by_size:
        less, more = (by_size[size][FROM_STORED].ratio for size in (100, 10_000))
        yield Found(
            "First page at 10,000 evaluations at most 1.3 times that at 100",
            f"{more / less:.2f} times",
            more / less <= 1.3,
        )


def of_writing(costs: Sequence[Cost], *, vendor: str) -> Iterator[Found]:
    """The goals that ``costs`` on a database of that ``vendor`` tell something of."""
    by_kind = {each.what: each for each in costs}
    closing, limit = by_kind[CLOSED].milliseconds, _CLOSING_MILLISECONDS[vendor]
    yield Found(
        f"Run of {by_kind[CLOSED].count} results closed in at most 20 ms "
        "(PostgreSQL 30 ms)",
        f"{closing:.1f} ms",
        closing <= limit,
    )
    rate, least = by_kind[IMPORTED].per_second, _IMPORTED_PER_SECOND[vendor]
    yield Found(
        "At least 100,000 results/s imported in bulk (PostgreSQL 40,000/s)",
        f"{rate:,.0f}/s",
        rate >= least,
    )
    recount = by_kind[RECOUNTED]
    if recount.count == _RECOUNTED_ROWS:
        seconds = recount.milliseconds / 1000
        yield Found(
            f"All {recount.count:,} results counted again in at most "
            f"{_RECOUNT_SECONDS} s, as stored",
            f"{seconds:.2f} s",
            seconds <= _RECOUNT_SECONDS,
        )


def table(by_database: Mapping[str, Sequence[Found]]) -> str:
    """All goals as Markdown, with a column for each database."""
    found = {name: {each.goal: each for each in of} for name, of in by_database.items()}
    goals = dict.fromkeys(each.goal for of in by_database.values() for each in of)
    lines = [
        f"| goal | {' | '.join(found)} |",
        "|---|" + "---|" * len(found),
        *(
            f"| {goal} | {' | '.join(_cell(of.get(goal)) for of in found.values())} |"
            for goal in goals
        ),
    ]
    return "\n".join(lines) + "\n"


def _cell(found: Found | None) -> str:
    if found is None:
        return "not measured"
    return f"{found.measured}, {'met' if found.met else '**not met**'}"
