"""Which snapshots this worker matches, and in which field it does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from evaluator import serving
from evaluator.capability import needs_of
from evaluator.doctor.devices import SeenDevice
from evaluator.doctor.tools import AGENT, Tool
from evaluator.models import Stage
from evaluator.stages import pool_of
from evaluator.toolchains.needs import Comparison, compare_device
from leaderboard.models import EvaluationSnapshot, SnapshotStatus


@dataclass(frozen=True, slots=True)
class Match:
    """One snapshot against the pools of this worker, field by field."""

    version: str
    fields: tuple[Comparison, ...]

    @property
    def ok(self) -> bool:
        """Whether no field differs; one that nobody tells is open."""
        return all(each.ok is not False for each in self.fields)


def match_all(tools: Sequence[Tool], seen: Sequence[SeenDevice]) -> list[Match]:
    """Every snapshot that is held here and not frozen."""
    held = EvaluationSnapshot.objects.exclude(package_path="").exclude(
        status=SnapshotStatus.FROZEN
    )
    builds = serving.builds_here()
    pools: list[str] = settings.OHB_WORKER_POOLS
    found = []
    for snapshot in held.select_related("benchmark").order_by("pk"):
        fields: list[Comparison] = []
        if serving.BUILD_POOL in pools:
            fields += serving.compare_build(builds, snapshot)
        if any(pool.startswith("device.") for pool in pools):
            fields += _devices(snapshot, seen)
        if pool_of(Stage.AGENT, "") in pools:
            fields.append(_agent(snapshot, tools))
        found.append(Match(str(snapshot), tuple(fields)))
    return found


def _devices(
    snapshot: EvaluationSnapshot, seen: Sequence[SeenDevice]
) -> list[Comparison]:
    pools: list[str] = settings.OHB_WORKER_POOLS
    pool = pool_of(Stage.CHECKS, snapshot.device_profile)
    mine = [each for each in pools if each.startswith("device.")]
    fields = [Comparison("device pool", pool, ", ".join(mine), pool in mine)]
    if snapshot.device_profile_simulated or pool not in mine:
        return fields
    if not seen:
        return [*fields, Comparison("devices", "at least one", "none", ok=False)]
    needs = needs_of(snapshot)
    for each in seen:
        if each.fault:
            fields.append(Comparison(each.serial, "an answer", each.fault, ok=False))
        fields += [
            compared._replace(field=f"{each.serial}: {compared.field}")
            for compared in compare_device(needs, each.facts)
        ]
    return fields


def _agent(snapshot: EvaluationSnapshot, tools: Sequence[Tool]) -> Comparison:
    """The agent program. Replayed submissions need none, so another one is open."""
    wanted = f"{snapshot.agent_name} {snapshot.agent_version}"
    found = next((each.version for each in tools if each.name == AGENT), None)
    same = found == wanted
    return Comparison("agent", wanted, found or "none", True if same else None)
