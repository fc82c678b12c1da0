"""Which numbers may stand in one ranking: those with the same conditions."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields

from leaderboard.models import EvaluationSnapshot


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


def comparability_key(conditions: Conditions) -> str:
    """SHA-256 (64 hex digits) over the conditions as canonical JSON."""
    canonical = json.dumps(
        asdict(conditions), sort_keys=True, separators=(",", ":"), ensure_ascii=True
    )
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def differing_fields(mine: Conditions, theirs: Conditions) -> list[str]:
    """Names of the conditions that are not equal, in the order of the class."""
    return [
        field.name
        for field in fields(Conditions)
        if getattr(mine, field.name) != getattr(theirs, field.name)
    ]
