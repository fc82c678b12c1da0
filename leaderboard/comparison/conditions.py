"""Whether evaluations may be held against each other, and why not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from leaderboard.comparability import conditions_of, differing_fields
from leaderboard.models import Evaluation, Provenance

Obstacle = Literal[
    "other_conditions", "unfinished", "self_reported", "unverified", "baseline"
]


def share_conditions(evaluations: Iterable[Evaluation]) -> bool:
    """Whether all are ranked by one key; their decisions have to be attached."""
    rows = list(evaluations)
    return len(rows) > 1 and len({_ranked_by(each) for each in rows}) == 1


def obstacles_of(
    evaluations: Iterable[Evaluation], *, shared: bool, finished: bool
) -> list[Obstacle]:
    """Why no verdict is given, whatever the figures are."""
    rows = list(evaluations)
    found: list[Obstacle] = []
    if not shared and len(rows) > 1:
        found.append("other_conditions")
    if not finished:
        found.append("unfinished")
    if any(each.provenance == Provenance.SELF_REPORTED for each in rows):
        found.append("self_reported")
    if any(each.unverified for each in rows):
        found.append("unverified")
    if any(each.provenance == Provenance.BASELINE for each in rows):
        found.append("baseline")
    return found


def differing_conditions(evaluations: Iterable[Evaluation]) -> list[str]:
    """Names of the conditions in which snapshots, or evaluations on them, differ."""
    rows = list(evaluations)
    conditions = [conditions_of(each.snapshot) for each in rows]
    names = dict.fromkeys(
        name
        for other in conditions[1:]
        for name in differing_fields(conditions[0], other)
    )
    for each in rows:
        names |= dict.fromkeys(str(name) for name in each.differing_fields)
    return list(names)


def _ranked_by(evaluation: Evaluation) -> tuple[str, int | None]:
    """Equal for two whose figures may be held against each other.

    Where something differs that an old key does not tell, it stands for itself alone.
    """
    snapshot_key = evaluation.snapshot.comparability_key
    if evaluation.decision is not None:
        return snapshot_key, None
    told = evaluation.comparability_key != snapshot_key
    alone = bool(evaluation.differing_fields) and not told
    return evaluation.comparability_key, evaluation.pk if alone else None
