"""Whether a manifest describes the same measurement as its snapshot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from submissions.manifest import Manifest, Origin, RunParameters, stated_by
from submissions.manifest_fields import Stated

# The content of a file of a task's base project, by slug and path; None if it has none.
BaseFile = Callable[[str, bytes], bytes | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotFacts:
    """What validation knows about an evaluation snapshot.

    ``agent_name`` and ``agent_version`` are None where the benchmark leaves the agent
    open, and run parameters that it leaves open are not in ``run_parameters``. Task
    slugs stand in the order of the snapshot. ``task_digests`` are those of the tasks
    in Harbor's form, by slug; empty where the snapshot was not exported. ``base_file``
    reads base projects; None where they are not held.
    """

    benchmark: str
    benchmark_version: str
    task_snapshot_date: date
    evaluation_scripts: str
    agent_name: str | None
    agent_version: str | None
    sdk: str
    toolchain: str
    device_profile: str
    runs: int
    repair_limit: int
    task_slugs: tuple[str, ...]
    run_parameters: Mapping[str, object] = field(default_factory=dict)
    asks_for_trajectories: bool = False
    refused_differences: tuple[str, ...] = ()
    takes_submissions: bool = True
    task_digests: Mapping[str, str] = field(default_factory=dict)
    base_file: BaseFile | None = None


# The field of the manifest that carries what a conversion noted.
DEVIATIONS = "origin.deviations"
# What maintainers may have refused where it differs. A wrong benchmark or number of
# runs is always an error.
REFUSABLE = (
    "task_snapshot_date",
    "evaluation_scripts",
    "agent.name",
    "agent.version",
    "sdk",
    "toolchain",
    "device_profile",
    *(f"run_parameters.{name}" for name in RunParameters.model_fields),
    "run_configuration.repair_limit",
    DEVIATIONS,
)


# Fields of the manifest that are conditions of the comparability key themselves.
IN_THE_KEY = frozenset(
    {
        *("agent.name", "agent.version", "sdk", "toolchain", "device_profile"),
        *("run_configuration.runs", "run_configuration.repair_limit"),
    }
)


class Difference(NamedTuple):
    """A field of the manifest beside its value in the snapshot."""

    field: str
    submitted: object
    expected: object

    @property
    def differs(self) -> bool:
        return self.expected is not None and self.submitted != self.expected


def compared(manifest: Manifest, snapshot: SnapshotFacts) -> list[Difference]:
    """Every field that decides, equal or not, in the order of the manifest.

    ``expected`` is None where the benchmark leaves the field open.
    """
    return _compared(stated_by(manifest), snapshot)


def differences(stated: Stated, snapshot: SnapshotFacts) -> list[Difference]:
    """Every differing field with both values, in the order of the manifest.

    What cannot be read of the manifest is not in ``stated``, and not compared. What a
    conversion noted against comparability differs as well.
    """
    found = [each for each in _compared(stated, snapshot) if each.differs]
    return [*found, *deviations(stated.get("origin"))]


def deviations(origin: Origin | None) -> list[Difference]:
    """What a conversion noted against comparability, as one difference or none."""
    if origin is None or not origin.deviations:
        return []
    return [Difference(DEVIATIONS, "; ".join(origin.deviations), "none")]


def compare_with_snapshot(manifest: Manifest, snapshot: SnapshotFacts) -> list[str]:
    """The names of the fields that make the submission not comparable."""
    return [each.field for each in differences(stated_by(manifest), snapshot)]


def _compared(stated: Stated, snapshot: SnapshotFacts) -> list[Difference]:
    expected: dict[str, object] = {
        "benchmark": snapshot.benchmark,
        "benchmark_version": snapshot.benchmark_version,
        "task_snapshot_date": snapshot.task_snapshot_date,
        "evaluation_scripts": snapshot.evaluation_scripts,
        "agent.name": snapshot.agent_name,
        "agent.version": snapshot.agent_version,
        "sdk": snapshot.sdk,
        "toolchain": snapshot.toolchain,
        "device_profile": snapshot.device_profile,
        **{
            f"run_parameters.{name}": snapshot.run_parameters[name]
            for name in RunParameters.model_fields
            if name in snapshot.run_parameters
        },
        "run_configuration.runs": snapshot.runs,
        "run_configuration.repair_limit": snapshot.repair_limit,
    }
    return [
        Difference(name, stated[name], value)
        for name, value in expected.items()
        if name in stated
    ]
