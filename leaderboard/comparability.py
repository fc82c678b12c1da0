"""Which numbers may stand in one ranking: those with the same conditions.

Maintainers can decide that a difference does not matter; a decision is about two keys,
takes two maintainers, is public with its reason, and can be revoked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from leaderboard.models import (
    ComparabilityDecision,
    Evaluation,
    EvaluationSnapshot,
    record,
)
from leaderboard.models.comparability import by_pair, ordered_pair


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """All that must be equal for two evaluations to be compared.

    The model and its parameters are not among them: they are what is compared.
    ``agent_name`` and ``agent_version`` are those that the benchmark fixes.
    """

    benchmark: str
    benchmark_version: str
    task_set_digest: str
    script_digest: str
    agent_name: str
    agent_version: str
    sdk: str
    toolchain: str
    device_profile: str
    run_count: int
    repair_limit: int


def conditions_of(snapshot: EvaluationSnapshot) -> Conditions:
    """The conditions that ``snapshot`` sets for every evaluation on it."""
    return Conditions(
        benchmark=snapshot.benchmark.slug,
        benchmark_version=snapshot.version,
        task_set_digest=snapshot.task_set_digest,
        script_digest=snapshot.script_digest,
        agent_name=snapshot.agent_name,
        agent_version=snapshot.agent_version,
        sdk=snapshot.sdk,
        toolchain=snapshot.toolchain,
        device_profile=snapshot.device_profile,
        run_count=snapshot.run_count,
        repair_limit=snapshot.repair_limit,
    )


def comparability_key(conditions: Conditions, deviations: Sequence[str] = ()) -> str:
    """SHA-256 (64 hex digits) over the conditions as canonical JSON.

    ``deviations`` are differences beyond the conditions, in words with their values; a
    snapshot has none.
    """
    content: dict[str, object] = asdict(conditions)
    if deviations:
        content["deviations"] = list(deviations)
    canonical = json.dumps(
        content, sort_keys=True, separators=(",", ":"), ensure_ascii=True
    )
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def differing_fields(mine: Conditions, theirs: Conditions) -> list[str]:
    """Names of the conditions that are not equal, in the order of the class."""
    return [
        field.name
        for field in fields(Conditions)
        if getattr(mine, field.name) != getattr(theirs, field.name)
    ]


def decisions_about(
    key: str, *, until: datetime | None = None
) -> dict[str, ComparabilityDecision]:
    """The decisions in force about ``key``, by the other key; one query."""
    found = ComparabilityDecision.objects.in_force(until).with_key(key)
    return {each.other_than(key): each for each in found}


def attach_decisions(evaluations: Iterable[Evaluation]) -> None:
    """Set ``decision`` of each, which needs its snapshot; at most one query."""
    rows = list(evaluations)
    differing = [each for each in rows if each.differing_fields]
    keys = {each.comparability_key for each in differing}
    found = ComparabilityDecision.objects.in_force().with_key(*keys) if keys else []
    decisions = by_pair(found)
    for each in rows:
        pair = ordered_pair(each.comparability_key, each.snapshot.comparability_key)
        each.decision = decisions.get(pair) if each.differing_fields else None


def declare_comparable(
    evaluation: Evaluation, *, proposed_by: User, confirmed_by: User, reason: str
) -> ComparabilityDecision:
    """Rank all evaluations with the key of ``evaluation`` on its snapshot.

    Raises ``ValueError`` where there is nothing to decide; who may ask is up to the
    caller.
    """
    with transaction.atomic():
        require_undecided(evaluation)
        first, second = ordered_pair(
            evaluation.comparability_key, evaluation.snapshot.comparability_key
        )
        decision = ComparabilityDecision.objects.create(
            first_key=first,
            second_key=second,
            differing_fields=evaluation.differing_fields,
            reason=reason,
            proposed_by_id=proposed_by.pk,
            confirmed_by_id=confirmed_by.pk,
            at=timezone.now(),
        )
        _record("declare comparable", decision, proposed_by, confirmed_by, reason)
    return decision


def require_undecided(evaluation: Evaluation) -> None:
    """Raise ``ValueError`` unless a decision would change how it is ranked."""
    key = evaluation.snapshot.comparability_key
    if evaluation.comparability_key == key:
        raise ValueError("Its comparability key is the snapshot's.")
    if evaluation.comparability_key in decisions_about(key):
        raise ValueError("The two keys are declared comparable already.")


def revoke_comparable(
    decision: ComparabilityDecision,
    *,
    proposed_by: User,
    confirmed_by: User,
    reason: str,
) -> None:
    """End ``decision``; tables of earlier days keep what was ranked by it."""
    with transaction.atomic():
        locked = ComparabilityDecision.objects.select_for_update().get(pk=decision.pk)
        if locked.revoked_at is not None:
            raise ValueError("The decision was revoked already.")
        locked.revoked_at = timezone.now()
        locked.revoked_by_id = confirmed_by.pk
        locked.revoke_proposed_by_id = proposed_by.pk
        locked.revoked_reason = reason
        locked.save()
        _record("revoke comparable", locked, proposed_by, confirmed_by, reason)


def _record(
    act: str, decision: ComparabilityDecision, first: User, second: User, reason: str
) -> None:
    """On every evaluation that the decision moves into a ranking or out of one."""
    facts = {
        "comparability_keys": list(decision.keys),
        "differing_fields": decision.differing_fields,
        "proposed_by": first.pk,
    }
    moved = Evaluation.objects.filter(
        comparability_key__in=decision.keys,
        snapshot__comparability_key__in=decision.keys,
    ).exclude(differing_fields=[])
    for each in moved:
        record(act, each, by=second, reason=reason, after=facts)
