"""The task sources of a snapshot: those of its policy, or its own streams."""

from __future__ import annotations

from leaderboard.models import EvaluationSnapshot, ScoringPolicy


def sources_of(snapshot: EvaluationSnapshot) -> list[tuple[str, str]]:
    """Slug and name of each in the order of pages; one query where it has streams."""
    fixed = ScoringPolicy(snapshot.benchmark.policy).fixed_sources
    if fixed is None:
        return [(each.slug, each.name) for each in snapshot.streams.all()]
    return [(each.value, str(each.label)) for each in fixed]
