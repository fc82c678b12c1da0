"""What a snapshot asks for: from the server, or from a file kept for later."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from submissions import strict_json
from submissions.cli.client import Server
from submissions.cli.errors import usage_error
from submissions.comparability import SnapshotFacts

FORMAT = 1
_OPEN = "open"
_TEXTS = (
    "benchmark",
    "benchmark_version",
    "evaluation_scripts",
    "sdk",
    "toolchain",
    "device_profile",
)


class ServerFacts:
    """Looks snapshots up on a server, each once."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._found: dict[tuple[str, str], SnapshotFacts | None] = {}
        self._listed: list[dict[str, Any]] | None = None

    def __call__(self, benchmark: str, version: str) -> SnapshotFacts | None:
        key = (benchmark, version)
        if key not in self._found:
            self._found[key] = self._look_up(benchmark, version)
        return self._found[key]

    def _look_up(self, benchmark: str, version: str) -> SnapshotFacts | None:
        for row in self._rows():
            if (row.get("benchmark"), row.get("version")) == (benchmark, version):
                tasks = self.server.rows("/tasks/", snapshot=version)
                try:
                    return _from_api(row, tasks)
                except (KeyError, TypeError, ValueError):
                    raise self.server.unexpected() from None
        return None

    def open_versions(self) -> list[str]:
        return [
            str(row.get("version"))
            for row in self._rows()
            if row.get("status") == _OPEN
        ]

    def _rows(self) -> list[dict[str, Any]]:
        if self._listed is None:
            self._listed = self.server.rows("/snapshots/")
        return self._listed


def _from_api(
    row: Mapping[str, Any], tasks: Sequence[Mapping[str, Any]]
) -> SnapshotFacts:
    return SnapshotFacts(
        benchmark=row["benchmark"],
        benchmark_version=row["version"],
        task_snapshot_date=date.fromisoformat(row["task_snapshot_date"]),
        evaluation_scripts=row["evaluation_scripts"],
        agent_name=row["agent"] or None,
        agent_version=row["agent_version"] or None,
        sdk=row["sdk"],
        toolchain=row["toolchain"],
        device_profile=row["device_profile"],
        runs=row["run_count"],
        repair_limit=row["repair_limit"],
        # Older sites do not tell.
        asks_for_trajectories=row.get("asks_for_trajectories", False),
        refused_differences=tuple(row.get("refused_differences", ())),
        run_parameters=row["run_parameters"],
        task_slugs=tuple(task["slug"] for task in tasks),
        takes_submissions=row["status"] == _OPEN,
    )


def write_facts(facts: SnapshotFacts, path: Path) -> None:
    """Keep the facts in a file that ``read_facts`` reads."""
    value = {
        "format": FORMAT,
        **{name: getattr(facts, name) for name in _TEXTS},
        "task_snapshot_date": facts.task_snapshot_date.isoformat(),
        "agent_name": facts.agent_name,
        "agent_version": facts.agent_version,
        "runs": facts.runs,
        "repair_limit": facts.repair_limit,
        "asks_for_trajectories": facts.asks_for_trajectories,
        "refused_differences": list(facts.refused_differences),
        "run_parameters": dict(facts.run_parameters),
        "tasks": list(facts.task_slugs),
        "task_digests": dict(facts.task_digests),
        "takes_submissions": facts.takes_submissions,
    }
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", "utf-8")


def read_facts(path: Path) -> SnapshotFacts:
    """The facts in a file; every fault of it is a sentence about how to mend it."""
    try:
        value = strict_json.loads(path.read_bytes(), where=str(path))
    except OSError as error:
        raise usage_error(f"{path} cannot be read: {error.strerror}.") from None
    except strict_json.StrictJsonError as error:
        raise usage_error(str(error)) from None
    try:
        return _from_file(value)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise usage_error(
            f"{path} does not hold the facts of a snapshot. Write it with: "
            "ohbench facts VERSION --out facts.json"
        ) from None


def _from_file(value: Any) -> SnapshotFacts:
    if value["format"] != FORMAT:
        raise ValueError
    texts = {name: _expect(value[name], str) for name in _TEXTS}
    return SnapshotFacts(
        **texts,
        task_snapshot_date=date.fromisoformat(value["task_snapshot_date"]),
        agent_name=_expect(value["agent_name"], str, type(None)),
        agent_version=_expect(value["agent_version"], str, type(None)),
        runs=_expect(value["runs"], int),
        repair_limit=_expect(value["repair_limit"], int),
        asks_for_trajectories=_expect(value.get("asks_for_trajectories", False), bool),
        refused_differences=tuple(
            _expect(each, str) for each in value.get("refused_differences", ())
        ),
        run_parameters={
            name: _expect(each, int, float, str, bool)
            for name, each in value.get("run_parameters", {}).items()
        },
        task_slugs=tuple(_expect(each, str) for each in value["tasks"]),
        task_digests={
            task: _expect(digest, str)
            for task, digest in value.get("task_digests", {}).items()
        },
        takes_submissions=_expect(value["takes_submissions"], bool),
    )


def _expect(value: Any, *types: type) -> Any:
    if type(value) not in types:
        raise TypeError
    return value


def lookup_in(facts: SnapshotFacts) -> Callable[[str, str], SnapshotFacts | None]:
    """A lookup that knows a single snapshot."""
    own = (facts.benchmark, facts.benchmark_version)

    def look_up(benchmark: str, version: str) -> SnapshotFacts | None:
        return facts if (benchmark, version) == own else None

    return look_up
