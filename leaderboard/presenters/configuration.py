"""The history of one configuration: its evaluations over snapshots and time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.comparability import (
    attach_decisions,
    conditions_of,
    differing_fields,
)
from leaderboard.formats import MILLION
from leaderboard.models import Configuration, Evaluation, ScopeName
from leaderboard.models.results import Strike
from leaderboard.passing.standings import figures_of, with_pass_totals
from leaderboard.presenters.conditions import CONDITIONS
from leaderboard.presenters.passing import PassCells, pass_cells
from leaderboard.presenters.rows import Figures, figures_text
from leaderboard.standings import figures


@dataclass(frozen=True, slots=True)
class Episode:
    """One evaluation. A struck-out one has no figures; ``past`` was taken back."""

    evaluation: Evaluation
    figures: Figures | None
    by_pass_rate: PassCells | None
    superseded: bool
    strike: Strike | None
    past: Sequence[Strike]


class Measurement(NamedTuple):
    """The same submission once; ``differing`` names what the first had not so."""

    evaluation: Evaluation
    figures: Figures | None
    differing: Sequence[str | Promise]


@dataclass(frozen=True, slots=True)
class ConfigurationPage:
    """``others`` are public configurations of the same model; ``carried`` are groups of
    evaluations of the same submission on several snapshots, or by several versions of
    the evaluator, the oldest first.
    """

    configuration: Configuration
    episodes: Sequence[Episode]
    carried: Sequence[Sequence[Measurement]]
    others: Sequence[Configuration]


def configuration_page(configuration: Configuration) -> ConfigurationPage | None:
    """None where nothing of it is public: then nobody learns that it exists."""
    rows = (
        Evaluation.objects.on_record()
        .filter(configuration=configuration)
        .select_related("snapshot__benchmark")
        .with_totals()
        .order_by("-published_at", "-pk")
    )
    evaluations = list(with_pass_totals(rows))
    if not evaluations:
        return None
    attach_decisions(evaluations)
    public = Evaluation.objects.on_record().values("configuration")
    return ConfigurationPage(
        configuration=configuration,
        episodes=_episodes(evaluations),
        carried=_carried(evaluations),
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
                by_pass_rate=None if strike else _pass_cells(evaluation),
                superseded=superseded,
                strike=strike,
                past=[each for each in evaluation.strikes() if each.end is not None],
            )
        )
    return episodes


def _carried(evaluations: Sequence[Evaluation]) -> list[list[Measurement]]:
    families: dict[int, list[Evaluation]] = {}
    for evaluation in sorted(evaluations, key=lambda each: each.pk):
        if evaluation.strike() is None:
            root = evaluation.rerun_of_id or evaluation.pk
            families.setdefault(root, []).append(evaluation)
    return [
        [_measurement(each, family[0]) for each in family]
        for family in families.values()
        if _differ(family)
    ]


def _differ(family: Sequence[Evaluation]) -> bool:
    snapshots = {each.snapshot_id for each in family}
    versions = {each.evaluator_version for each in family} - {""}
    return len(snapshots) > 1 or len(versions) > 1


def _measurement(evaluation: Evaluation, first: Evaluation) -> Measurement:
    names = differing_fields(
        conditions_of(first.snapshot), conditions_of(evaluation.snapshot)
    )
    differing = [CONDITIONS[name] for name in names]
    versions = {first.evaluator_version, evaluation.evaluator_version}
    if len(versions - {""}) > 1:
        differing.append(_("Evaluator version"))
    return Measurement(evaluation, _figures(evaluation), differing)


def _pass_cells(evaluation: Evaluation) -> PassCells | None:
    """None where it is ranked by Task Completion."""
    found = figures_of(evaluation)
    return None if found is None else pass_cells(found)


def _figures(evaluation: Evaluation) -> Figures | None:
    for totals in evaluation.summary:  # type: ignore[attr-defined]  # set by with_totals()
        if totals.scope == ScopeName.OVERALL:
            return figures_text(figures(totals), MILLION)
    return None
