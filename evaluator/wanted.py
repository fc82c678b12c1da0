"""What a queued task run waits for: the agent and the model that it is to be run with.

A worker that does not have them leaves such a task run alone, so one that nobody has
is told to whoever looks, instead of being waited for in silence.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import Count, Q

from evaluator.models import AgentKind, Job, JobState, Stage, Worker
from evaluator.stages import WITH_AGENT, pool_of

NEEDS_AGENT = Q(agent=AgentKind.CONFIGURED, stage__in=WITH_AGENT)
AGENT_POOL = pool_of(Stage.AGENT, "")


class Unoffered(NamedTuple):
    """An agent with its model that no living worker has; ``queued`` task runs wait."""

    offer: str
    queued: int


def wanted_offer(job: Job) -> str | None:
    """The offer that the present stage of ``job`` needs; None where it needs none."""
    if job.agent != AgentKind.CONFIGURED or job.stage not in WITH_AGENT:
        return None
    offer: str = job.inputs["offer"]
    return offer


def has_agent(worker: Worker, job: Job) -> bool:
    wanted = wanted_offer(job)
    return wanted is None or wanted in worker.offers


def offers_nobody_has(jobs: Iterable[Job], workers: Iterable[Worker]) -> list[str]:
    """What ``jobs`` wait for and none of ``workers`` has, in order."""
    wanted = {offer for job in jobs if (offer := wanted_offer(job))}
    return sorted(wanted - _offered(workers))


def unoffered(workers: Iterable[Worker]) -> list[Unoffered]:
    """All that queued task runs wait for and none of ``workers`` has; one query."""
    rows = (
        Job.objects.filter(NEEDS_AGENT, state=JobState.QUEUED)
        .order_by()
        .values_list("inputs__offer")
        .annotate(Count("pk"))
    )
    offered = _offered(workers)
    return sorted(Unoffered(*row) for row in rows if row[0] not in offered)


def _offered(workers: Iterable[Worker]) -> set[str]:
    return {
        offer
        for worker in workers
        if AGENT_POOL in worker.pools
        for offer in worker.offers
    }
