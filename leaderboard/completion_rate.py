"""How much of a task a run got done: a diagnostic beside Task Completion, never in it.

The completion rate of the Android Bench 2.0 methodology, exact: the normalized weighted
sum of the dimensions that a task has, times the multipliers that apply. Standard
library only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import NamedTuple


class Dimension(StrEnum):
    """What an F-point looks at. Others that a package names have a weight too."""

    FUNCTIONAL = "functional"
    REGRESSION = "regression"
    REQUIREMENTS = "requirements"
    VISUAL = "visual"


class Penalty(StrEnum):
    """What multiplies a rate down."""

    BUILD_FAILED = "build_failed"
    CHEATING = "cheating"
    FOREIGN_LANGUAGE_FILES = "foreign_language_files"
    LEGACY_API = "legacy_api"


DEFAULT_MULTIPLIERS: Mapping[str, Fraction] = {
    Penalty.BUILD_FAILED: Fraction(0),
    Penalty.CHEATING: Fraction(0),
    Penalty.FOREIGN_LANGUAGE_FILES: Fraction(0),
    Penalty.LEGACY_API: Fraction(1, 2),
}


class MultiplierError(ValueError):
    """Multipliers in the configuration cannot be used; the message says why."""


class DimensionScore(NamedTuple):
    """A score from 0 to 1 and its weight, which only counts beside the others."""

    dimension: str
    score: Fraction
    weight: Fraction


class Contribution(NamedTuple):
    """``share`` is the weight of all weights, ``value`` what it adds to the base."""

    dimension: str
    share: Fraction
    value: Fraction


def contributions(scores: Sequence[DimensionScore]) -> list[Contribution]:
    """What each dimension adds to the base score; weights are normalized to 1."""
    total = sum((each.weight for each in scores), Fraction(0))
    if total <= 0:
        raise ValueError("A base score needs a dimension with a weight.")
    for each in scores:
        if not 0 <= each.score <= 1 or each.weight < 0:
            raise ValueError(
                f"{each.dimension}: score {each.score} with weight {each.weight} is "
                "not a score from 0 to 1 with a weight."
            )
    return [
        Contribution(
            each.dimension, each.weight / total, each.score * each.weight / total
        )
        for each in scores
    ]


def completion_rate(
    scores: Sequence[DimensionScore],
    penalties: Iterable[str] = (),
    *,
    multipliers: Mapping[str, Fraction] = DEFAULT_MULTIPLIERS,
) -> Fraction:
    """Base score times the multiplier of each penalty, once each; from 0 to 1.

    A penalty without a multiplier changes nothing.

    >>> works = DimensionScore("functional", Fraction(3, 4), Fraction(1))
    >>> completion_rate([works], ["legacy_api"])
    Fraction(3, 8)
    """
    base = sum((each.value for each in contributions(scores)), Fraction(0))
    return base * prod(
        (multipliers.get(name, Fraction(1)) for name in set(penalties)),
        start=Fraction(1),
    )


def read_multipliers(path: Path | None) -> Mapping[str, Fraction]:
    """The multipliers in the file ``path`` over the defaults; the defaults without."""
    if path is None:
        return DEFAULT_MULTIPLIERS
    try:
        found: dict[str, Fraction] = {
            Penalty(name): Fraction(str(value))
            for name, value in json.loads(path.read_text("utf-8"))[
                "multipliers"
            ].items()
        }
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        ZeroDivisionError,
    ) as error:
        raise MultiplierError(
            f"{path} has no usable multipliers ({error}). Write an object "
            f"'multipliers' with a number for any of {', '.join(Penalty)}."
        ) from None
    if wrong := [name for name, value in found.items() if not 0 <= value <= 1]:
        raise MultiplierError(
            f"{path}: the multiplier of {', '.join(wrong)} is not from 0 to 1."
        )
    return {**DEFAULT_MULTIPLIERS, **found}
