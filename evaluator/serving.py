"""Which snapshots a worker can build for: the SDK and the simulator are not everywhere.

Builds of all snapshots wait in one pool. A worker leaves those that it cannot do to
the workers that can; where there is none it takes them and says what it lacks, which is
better than waiting for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.utils import timezone

from evaluator.capability import needs_of, real_settings, toolchain_settings
from evaluator.models import Stage, Worker
from evaluator.stages import pool_of
from evaluator.toolchains.command_line_tools import SdkFacts, find_tools, read_sdk
from evaluator.toolchains.needs import Comparison, compare_sdk, differences
from evaluator.toolchains.real import missing_for_builds
from evaluator.toolchains.registry import missing_tools
from leaderboard.models import EvaluationSnapshot

BUILD_POOL = pool_of(Stage.BUILD_FINAL, "")


def builds_here() -> dict[str, Any]:
    """What this machine can build for, as it is listed among its capabilities."""
    tools = find_tools(real_settings().tools)
    complete = real_settings().named and not missing_for_builds(tools)
    facts = read_sdk(tools.sdk)
    return {
        "simulated": not missing_tools(toolchain_settings()),
        "sdk": {"api_level": facts.api_level, "version": facts.version}
        if complete
        else None,
    }


def missing_here() -> tuple[str, ...]:
    """What this worker needs for its pools and does not have, each with its remedy."""
    real = real_settings()
    pools: list[str] = settings.OHB_WORKER_POOLS
    lacking: list[str] = []
    if not real.named:
        return missing_tools(toolchain_settings())
    tools = find_tools(real.tools)
    if BUILD_POOL in pools:
        lacking += missing_for_builds(tools)
    if any(pool.startswith("device.") for pool in pools):
        if tools.hdc is None:
            lacking.append("hdc (OHB_DEVECO_TOOLS or OHB_HDC)")
        if not real.devices:
            lacking.append("devices (OHB_DEVICES)")
        if not settings.OHB_HYPIUM_PYTHON.is_file():
            lacking.append("hypium (OHB_HYPIUM_PYTHON)")
    return tuple(lacking)


def compare_build(
    builds: Mapping[str, Any], snapshot: EvaluationSnapshot
) -> list[Comparison]:
    """A worker's ``builds`` against what ``snapshot`` names."""
    if snapshot.device_profile_simulated:
        found = "simulator" if builds.get("simulated") else "no simulator"
        ok = bool(builds.get("simulated"))
        return [Comparison("toolchain", snapshot.toolchain, found, ok)]
    sdk = builds.get("sdk")
    if sdk is None:
        return [Comparison("sdk", snapshot.sdk, "no SDK", ok=False)]
    return compare_sdk(needs_of(snapshot), SdkFacts(sdk["api_level"], sdk["version"]))


def builds_to_leave(name: str) -> frozenset[int]:
    """Snapshots that the worker ``name`` (this one) had better leave to living others.

    One query, and a second one where there is something to leave.
    """
    if BUILD_POOL not in settings.OHB_WORKER_POOLS:
        return frozenset()
    here = builds_here()
    held = EvaluationSnapshot.objects.exclude(package_path="")
    beyond = [each for each in held if not _can(here, each)]
    if not beyond:
        return frozenset()
    others = [
        builds_of(worker)
        for worker in Worker.objects.living(timezone.now()).exclude(name=name)
        if BUILD_POOL in worker.pools
    ]
    return frozenset(
        each.pk for each in beyond if any(_can(other, each) for other in others)
    )


def builds_of(worker: Worker) -> Mapping[str, Any]:
    """What ``worker`` said of :func:`builds_here` when it started."""
    told: Mapping[str, Any] = worker.capabilities.get("builds") or {}
    return told


def can_build(worker: Worker, snapshot: EvaluationSnapshot) -> bool:
    """Whether ``worker`` serves the pool of builds and has what ``snapshot`` needs."""
    return BUILD_POOL in worker.pools and _can(builds_of(worker), snapshot)


def _can(builds: Mapping[str, Any], snapshot: EvaluationSnapshot) -> bool:
    return not differences(compare_build(builds, snapshot))
