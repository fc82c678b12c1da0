"""The lists from which evaluations are chosen for a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from leaderboard.comparison import LETTERS
from leaderboard.models import Evaluation, ScoringPolicy

# Longer lists are no help; the check boxes of a leaderboard reach every row.
_MAX_OPTIONS = 200


class Option(NamedTuple):
    value: int
    label: str
    selected: bool


class Picker(NamedTuple):
    """One list; ``groups`` are (snapshot, options)."""

    letter: str
    name: str
    groups: Sequence[tuple[str, Sequence[Option]]]


def pickers(
    members: Mapping[str, Evaluation],
    policy: ScoringPolicy = ScoringPolicy.TASK_COMPLETION,
) -> tuple[list[Picker], bool]:
    """A list for each letter, and whether some public evaluations are on none.

    They are of one ``policy``. What was chosen is always on its list. One query.
    """
    rows = list(
        Evaluation.objects.public()
        .filter(snapshot__benchmark__policy=policy)
        .select_related("configuration", "snapshot__benchmark")
        .order_by(
            "snapshot__device_profile_simulated",
            "-snapshot__task_snapshot_date",
            "snapshot",
            "configuration__model",
            "pk",
        )[: _MAX_OPTIONS + 1]
    )
    shown = rows[:_MAX_OPTIONS]
    shown += [each for each in members.values() if each not in shown]
    groups: dict[str, list[Evaluation]] = {}
    for each in shown:
        groups.setdefault(str(each.snapshot), []).append(each)
    found = [
        Picker(
            letter=letter.upper(),
            name=letter,
            groups=[
                (title, [_option(each, members.get(letter)) for each in group])
                for title, group in groups.items()
            ],
        )
        for letter in LETTERS
    ]
    return found, len(rows) > _MAX_OPTIONS


def _option(evaluation: Evaluation, chosen: Evaluation | None) -> Option:
    configuration = evaluation.configuration
    label = f"{configuration.model} · {evaluation.get_provenance_display()}"
    return Option(evaluation.pk, label, evaluation == chosen)
