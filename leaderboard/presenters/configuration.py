"""The history of one configuration: its evaluations over snapshots and time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.formats import MILLION
from leaderboard.models import Configuration, Evaluation, ScopeName
from leaderboard.models.results import Strike
from leaderboard.presenters.rows import Figures, figures_text
from leaderboard.standings import figures


@dataclass(frozen=True, slots=True)
class Episode:
    """One evaluation. A struck-out one has no figures; ``past`` was taken back."""

    evaluation: Evaluation
    figures: Figures | None
    superseded: bool
    strike: Strike | None
    past: Sequence[Strike]


@dataclass(frozen=True, slots=True)
class ConfigurationPage:
    """``others`` are public configurations of the same model."""

    configuration: Configuration
    episodes: Sequence[Episode]
    others: Sequence[Configuration]


def configuration_page(configuration: Configuration) -> ConfigurationPage | None:
    """None where nothing of it is public: then nobody learns that it exists."""
    evaluations = list(
        Evaluation.objects.on_record()
        .filter(configuration=configuration)
        .select_related("snapshot__benchmark")
        .with_totals()
        .order_by("-published_at", "-pk")
    )
    if not evaluations:
        return None
    public = Evaluation.objects.on_record().values("configuration")
    return ConfigurationPage(
        configuration=configuration,
        episodes=_episodes(evaluations),
        others=list(
            Configuration.objects.filter(
                pk__in=public,
                model=configuration.model,
                provider=configuration.provider,
            )
            .exclude(pk=configuration.pk)
            .order_by("agent_name", "agent_version", "pk")
        ),
    )


def _episodes(evaluations: Sequence[Evaluation]) -> list[Episode]:
    """In their order, the newest first; the first standing one of a snapshot holds."""
    holding: set[int] = set()
    episodes = []
    for evaluation in evaluations:
        strike = evaluation.strike()
        superseded = strike is None and evaluation.snapshot_id in holding
        if strike is None:
            holding.add(evaluation.snapshot_id)
        episodes.append(
            Episode(
                evaluation=evaluation,
                figures=None if strike else _figures(evaluation),
                superseded=superseded,
                strike=strike,
                past=[each for each in evaluation.strikes() if each.end is not None],
            )
        )
    return episodes


def _figures(evaluation: Evaluation) -> Figures | None:
    for totals in evaluation.summary:  # type: ignore[attr-defined]  # set by with_totals()
        if totals.scope == ScopeName.OVERALL:
            return figures_text(figures(totals), MILLION)
    return None
