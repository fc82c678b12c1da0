"""Scores of screens put together: by task run, and by the model that was asked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from django.db.models import QuerySet

from leaderboard.models import Evaluation, VisualOrigin, VisualScore

MILLION = 1_000_000


class JudgeSummary(NamedTuple):
    """What one judge says of all screens; ``largest_spread`` of a model's own answers.

    ``screens`` of which ``unjudged`` have no score; ``mean`` is over the others.
    """

    origin: str
    judge: str
    version: str
    screens: int
    unjudged: int
    mean: Fraction | None
    largest_spread: Fraction


def mean_scores(evaluation: Evaluation) -> Mapping[int, Fraction | None]:
    """The mean over its screens by task result; None where one has no score."""
    found: defaultdict[int, list[int | None]] = defaultdict(list)
    rows = VisualScore.objects.filter(
        result__run__evaluation=evaluation, origin=VisualOrigin.MEASURED
    )
    for result, millionths in rows.order_by().values_list("result", "millionths"):
        found[result].append(millionths)
    return {result: _mean(scores) for result, scores in found.items()}


def _mean(scores: list[int | None]) -> Fraction | None:
    known = [each for each in scores if each is not None]
    if len(known) < len(scores):
        return None
    return Fraction(sum(known), len(known) * MILLION)


def opinions(evaluation: Evaluation) -> list[JudgeSummary]:
    """What models were asked, beside what was measured; one query."""
    return _summaries(_scores_of(evaluation).filter(origin=VisualOrigin.MODEL))


def judges_of(evaluation: Evaluation) -> list[JudgeSummary]:
    """What was measured and what models were asked; one query."""
    return _summaries(_scores_of(evaluation))


def _scores_of(evaluation: Evaluation) -> QuerySet[VisualScore]:
    return VisualScore.objects.filter(result__run__evaluation=evaluation)


def _summaries(rows: QuerySet[VisualScore]) -> list[JudgeSummary]:
    by_judge: defaultdict[tuple[str, str, str], list[VisualScore]] = defaultdict(list)
    # In this order "measured" comes before "model".
    for each in rows.order_by("origin", "judge", "judge_version", "pk"):
        by_judge[each.origin, each.judge, each.judge_version].append(each)
    return [_summary(*key, scores) for key, scores in by_judge.items()]


def _summary(
    origin: str, judge: str, version: str, scores: list[VisualScore]
) -> JudgeSummary:
    known = [each for each in scores if each.millionths is not None]
    total = sum(each.millionths or 0 for each in known)
    spread = max((each.detail.get("spread_millionths", 0) for each in known), default=0)
    return JudgeSummary(
        origin=origin,
        judge=judge,
        version=version,
        screens=len(scores),
        unjudged=len(scores) - len(known),
        mean=Fraction(total, len(known) * MILLION) if known else None,
        largest_spread=Fraction(spread, MILLION),
    )
