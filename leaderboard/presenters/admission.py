"""How the tasks of a snapshot were admitted, and what is known of their exposure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from leaderboard.curation import task_states
from leaderboard.models import EvaluationSnapshot
from leaderboard.sources import sources_of


class Exposure(NamedTuple):
    """How models may have met the tasks of one source in training."""

    source: str
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class AdmissionFacts:
    """Counts of tasks; without ``task_count`` the tasks are not held here."""

    task_count: int
    approved: int
    proved: int
    curators: int
    flaky: Sequence[str]
    wrong_found: int
    wrong_count: int
    exposures: Sequence[Exposure]


def admission_facts(snapshot: EvaluationSnapshot) -> AdmissionFacts:
    """At most three queries, whatever the number of tasks."""
    states = task_states(snapshot) if snapshot.package_path else []
    return AdmissionFacts(
        task_count=len(states),
        approved=sum(each.approved for each in states),
        proved=sum(each.proved for each in states),
        curators=len({word.curator for each in states for word in each.approvals}),
        flaky=[each.task.slug for each in states if each.flaky_points],
        wrong_found=sum(each.wrong_held for each in states),
        wrong_count=sum(len(each.task.wrong_patches) for each in states),
        exposures=[
            Exposure(source, label, text)
            for source, label in sources_of(snapshot)
            if (text := snapshot.contamination.get(source))
        ],
    )
