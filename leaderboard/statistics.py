"""What a benchmark is made of: Table 2 and Figure 3 of the paper, exact.

Integers and fractions in, a document of plain numbers out. No Django but its choices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from leaderboard.kit_names import KitList, kit_key
from leaderboard.metrics import Scope, scopes_among

# A JSON object, described field by field in leaderboard/api/statistics.py.
Document: TypeAlias = dict[str, Any]

FORMAT = 1
_TOP = 10
# Lowest share of the inputs that a Kit of the bucket has; the last is more than none.
BUCKETS = (
    ("very_frequent", Fraction(1, 2)),
    ("frequent", Fraction(1, 10)),
    ("occasional", Fraction(3, 100)),
    ("rare", Fraction(0)),
)
UNCOVERED = "uncovered"


class TaskFacts(NamedTuple):
    """One input; ``input_length`` is in characters that are no white space."""

    source: str
    difficulty: str
    repository: str
    input_length: int
    f_point_count: int
    reference_files: int
    reference_lines: int
    kits: Sequence[str]


class Quartiles(NamedTuple):
    low: Fraction
    median: Fraction
    high: Fraction


def input_length(statement: str) -> int:
    """Characters of a task text that are no white space.

    >>> input_length("Add a\\n Text.")
    9
    """
    return sum(not character.isspace() for character in statement)


def quantile(values: Sequence[int], share: Fraction) -> Fraction:
    """The value at ``share`` of the way through the sorted values, exact.

    Between two values the way is linear, and the ends are the lowest and the highest:
    definition 7 of Hyndman and Fan (1996), the default of R, NumPy and spreadsheets.
    It is the only common one that can give all published quartiles: 248.5 of 71 inputs
    excludes those that divide by n + 1, 61.8 of 32 the medians of halves.

    >>> quantile([1, 2, 4, 8], Fraction(1, 4))
    Fraction(7, 4)
    """
    if not values:
        raise ValueError("A quantile needs at least one value.")
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = place.numerator // place.denominator
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def median(values: Sequence[int]) -> Fraction:
    """The middle value, or the mean of the two in the middle."""
    return quantile(values, Fraction(1, 2))


def quartiles(values: Sequence[int]) -> Quartiles:
    quarter = Fraction(1, 4)
    return Quartiles(
        quantile(values, quarter), median(values), quantile(values, 3 * quarter)
    )


def bucket_of(count: int, inputs: int) -> str:
    """The bucket of a Kit that ``count`` of all inputs touch.

    >>> bucket_of(76, 153), bucket_of(5, 153), bucket_of(4, 153)
    ('frequent', 'occasional', 'rare')
    """
    if count:
        for name, lowest in BUCKETS:
            if Fraction(count, inputs) >= lowest:
                return name
    return UNCOVERED


def snapshot_statistics(
    tasks: Sequence[TaskFacts], kits: KitList, *, sdk_commit: str
) -> Document:
    """The statistics of one snapshot, ready to be stored; at least one task.

    Every rate stands beside its counts. A mean or a share is the nearest float of an
    exact fraction; medians and quartiles are multiples of a quarter, so exact.
    """
    if not tasks:
        raise ValueError("Statistics need at least one task.")
    by_scope = {
        scope: [task for task in tasks if scope in {Scope.OVERALL, task.source}]
        for scope in scopes_among(task.source for task in tasks)
    }
    return {
        "format": FORMAT,
        "scopes": [_scope(scope, found) for scope, found in by_scope.items()],
        "f_points_per_input": [
            {"f_points": f_points, "inputs": inputs}
            for f_points, inputs in sorted(
                Counter(task.f_point_count for task in tasks).items()
            )
        ],
        "repositories": [
            {"name": name, **_part(count, len(tasks))}
            for name, count in _ranked(Counter(task.repository for task in tasks))[
                :_TOP
            ]
        ],
        "kits": _kit_coverage(tasks, kits, sdk_commit=sdk_commit),
    }


def _scope(scope: str, tasks: Sequence[TaskFacts]) -> Document:
    inputs = len(tasks)
    f_points = sum(task.f_point_count for task in tasks)
    repositories = [
        count for _, count in _ranked(Counter(task.repository for task in tasks))
    ]
    length = quartiles([task.input_length for task in tasks])
    levels = Counter(task.difficulty for task in tasks)
    return {
        "scope": scope,
        "inputs": inputs,
        "f_points": f_points,
        "mean_f_points": float(Fraction(f_points, inputs)),
        # A union: a repository that two sources share counts once overall.
        "repositories": len(repositories),
        "difficulty": {level: levels[level] for level in ("easy", "medium", "hard")},
        "input_length": {
            name: float(value) for name, value in length._asdict().items()
        },
        "reference_files_median": float(median([t.reference_files for t in tasks])),
        "reference_lines_median": float(median([t.reference_lines for t in tasks])),
        "largest_repository": _part(repositories[0], inputs),
        "top3_repositories": _part(sum(repositories[:3]), inputs),
    }


def _kit_coverage(
    tasks: Sequence[TaskFacts], kits: KitList, *, sdk_commit: str
) -> Document:
    """How many inputs touch each Kit of the list, and which others they touch."""
    inputs = len(tasks)
    touched = Counter(
        key for task in tasks for key in {kit_key(name) for name in task.kits}
    )
    names = {kit_key(name): name for task in tasks for name in task.kits}
    listed = {kit_key(name): name for name in kits.names}
    covered = {name: touched[key] for key, name in listed.items() if touched[key]}
    buckets = Counter(bucket_of(touched[key], inputs) for key in listed)
    return {
        "inputs": inputs,
        "without_kit": sum(not task.kits for task in tasks),
        "list": {
            "size": len(listed),
            "wanted": kits.wanted,
            "complete": kits.complete,
            "source": kits.source,
        },
        "sdk_commit": sdk_commit,
        "covered": len(covered),
        "covered_share": float(Fraction(len(covered), len(listed))),
        "buckets": {
            name: buckets[name] for name in (*(name for name, _ in BUCKETS), UNCOVERED)
        },
        "top": [
            {"kit": name, **_part(count, inputs)}
            for name, count in _ranked(covered)[:_TOP]
        ],
        "outside": [
            {"kit": name, **_part(count, inputs)}
            for name, count in _ranked(
                {names[key]: n for key, n in touched.items() if key not in listed}
            )
        ],
    }


def _part(count: int, inputs: int) -> Document:
    return {"inputs": count, "share": float(Fraction(count, inputs))}


def _ranked(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """The most frequent first, equal ones by name."""
    return sorted(counts.items(), key=lambda each: (-each[1], each[0].casefold()))
