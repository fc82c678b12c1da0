"""Which task a first meeting takes, and with which tools."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import NamedTuple

from django.conf import settings

from evaluator import serving
from evaluator.capability import (
    real_settings,
    toolchain_for,
    worker_sandbox,
)
from evaluator.errors import NotPossibleError
from evaluator.toolchains.base import Toolchain
from evaluator.toolchains.real import real_toolchain
from leaderboard.models import EvaluationSnapshot, Task
from leaderboard.snapshots import snapshot_by_version


class Choice(NamedTuple):
    toolchain: Toolchain
    has_devices: bool


def chosen_task(version: str, slug: str) -> Task:
    """The task ``slug`` of a snapshot that is held here, or its first one."""
    snapshot = snapshot_by_version(version)
    tasks = Task.objects.filter(snapshot=snapshot).select_related("snapshot__benchmark")
    if not snapshot.package_path:
        raise NotPossibleError(
            f"The task package of {snapshot} is not held here. Import one: "
            "`manage.py import_snapshot DIR`."
        )
    found = tasks.filter(slug=slug).first() if slug else tasks.order_by("slug").first()
    if found is None:
        names = ", ".join(tasks.values_list("slug", flat=True))
        raise NotPossibleError(f"{snapshot} has no task {slug!r}. Known: {names}.")
    return found


def chosen_toolchain(snapshot: EvaluationSnapshot) -> Choice:
    """The real tools where this worker names any, whatever the snapshot asks for.

    So the demo's task can be the first one that a new SDK and a new device see. What it
    gives there is no result.
    """
    real = real_settings()
    if not real.named:
        toolchain = toolchain_for(snapshot, stop=threading.Event())
        return Choice(toolchain, has_devices=True)
    toolchain = real_toolchain(
        replace(real, rehearses=True),
        python=settings.OHB_HYPIUM_PYTHON,
        sandbox=worker_sandbox(),
    )
    return Choice(toolchain, has_devices=bool(real.devices))


def has_builder() -> bool:
    """Whether this worker has what builds: an SDK, or else the simulator."""
    return not real_settings().named or serving.builds_here()["sdk"] is not None
