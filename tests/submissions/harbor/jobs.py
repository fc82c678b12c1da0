"""Harbor jobs in miniature: the folders and fields that Harbor 0.26 writes.

Values are invented; a test changes what it is about and leaves the rest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.submissions.corpus.contents import manifest

BENCHMARK = "corpus-bench"
TASKS = ("alpha-task", "beta-task")
START = datetime(2026, 11, 30, 1, 0, tzinfo=UTC)
LEAVES = ("artifacts/logs/artifacts/model.patch", "agent/trajectory.json")

Files = dict[str, bytes]


def moment(seconds: float) -> str:
    stamp = START + timedelta(seconds=seconds)
    return stamp.isoformat(timespec="microseconds").replace("+00:00", "Z")


def patch_of(task: str, run: int) -> bytes:
    return f"--- a/{task}\n+++ b/{task}\n@@ -1 +1 @@\n-old\n+new {run}\n".encode()


def trial_config(task: str, **changes: Any) -> dict[str, Any]:
    """The settings of a trial with every default that matters."""
    found: dict[str, Any] = {
        "task": {"path": f"mini/{task}", "source": "mini"},
        "install_only": False,
        "timeout_multiplier": 1.0,
        "agent_timeout_multiplier": None,
        "agent": {
            "name": "sample:Agent",
            "model_name": "lab/sample-model",
            "override_timeout_sec": None,
            "max_timeout_sec": None,
            "skills": [],
            "mcp_servers": [],
        },
        "environment": {"override_cpus": None, "override_memory_mb": None},
        "verifier": {"override_timeout_sec": None, "disable": False},
        "override_error_policy": {},
        "extra_instructions": [],
        "source_trial": None,
    }
    for name, value in changes.items():
        part, _, field = name.partition("__")
        if field:
            found[part][field] = value
        else:
            found[part] = value
    return found


def trial(
    task: str,
    number: int,
    *,
    at: float | None = None,
    patch: bytes | None = None,
    config: Mapping[str, Any] | None = None,
    **changes: Any,
) -> Files:
    """One trial of a task; ``number`` makes its name, its id and its start differ."""
    begin = number * 100.0 if at is None else at
    name = f"{task[:32]}__{number:07d}"
    result = {
        "schema_version": 1,
        "id": f"00000000-0000-4000-8000-{hash_of(task, number):012d}",
        "task_name": f"{BENCHMARK}/{task}",
        "trial_name": name,
        "trial_uri": f"file:///home/alice/jobs/{name}",
        "task_checksum": "0" * 64,
        "config": dict(config or trial_config(task)),
        "agent_info": {
            "name": "sample-agent",
            "version": "1.0",
            "model_info": {"name": "lab/sample-model", "provider": None},
        },
        "agent_result": {
            "n_input_tokens": 1000,
            "n_cache_tokens": 900,
            "n_output_tokens": 50,
            "cost_usd": 0.5,
            "metadata": {"compile_repair_iterations": 1},
        },
        "verifier_result": {"rewards": {"reward": 1.0}},
        "exception_info": None,
        "started_at": moment(begin),
        "finished_at": moment(begin + 30),
        "agent_execution": {
            "started_at": moment(begin + 1),
            "finished_at": moment(begin + 3.5004),
        },
        "step_results": None,
        "reward_valid": True,
        **changes,
    }
    content = patch_of(task, number) if patch is None else patch
    return {
        f"{name}/result.json": json.dumps(result).encode(),
        f"{name}/config.json": json.dumps(result["config"]).encode(),
        f"{name}/lock.json": json.dumps(
            {"task": {"name": task, "digest": f"sha256:{hash_of(task, 0):064x}"}}
        ).encode(),
        f"{name}/trial.log": b"Collecting artifacts\n",
        f"{name}/agent/session/log (1).txt": b"whatever the agent wrote\n",
        f"{name}/agent/trajectory.json": json.dumps(trajectory(task, number)).encode(),
        f"{name}/artifacts/manifest.json": b"[]",
        f"{name}/artifacts/logs/artifacts/model.patch": content,
        f"{name}/verifier/reward.txt": b"1",
    }


def trajectory(task: str, number: int) -> dict[str, Any]:
    return {
        "schema_version": "ATIF-v1.8",
        "session_id": f"{task}-{number}",
        "agent": {"name": "sample-agent", "version": "1.0"},
        "steps": [{"step_id": 1, "source": "user", "message": "the statement"}],
    }


def hash_of(task: str, number: int) -> int:
    letters = enumerate(task.encode(), start=1)  # names may have the same letters
    return sum(place * letter for place, letter in letters) * 1000 + number


def job(name: str, *trials: Files, attempts: int = 1, **changes: Any) -> Files:
    """The folder of a job with its trials; ``changes`` go into its result.json."""
    result = {
        "schema_version": 1,
        "id": "00000000-0000-4000-8000-000000000000",
        "started_at": "2026-11-30T02:00:00.000000",
        "finished_at": "2026-11-30T02:10:00.000000",
        "n_total_trials": len(trials),
        "stats": {"n_completed_trials": len(trials), "n_retries": 0},
        **changes,
    }
    config = {"job_name": name, "n_attempts": attempts, "agents": [{"name": "a"}]}
    files = {
        "config.json": json.dumps(config).encode(),
        "result.json": json.dumps(result).encode(),
        "lock.json": b"{}",
        "job.log": b"",
    }
    for each in trials:
        files |= each
    return {f"{name}/{path}": data for path, data in files.items()}


def upload(*jobs: Files, **changes: Any) -> Files:
    """An upload of jobs with a manifest for two runs."""
    files = {"manifest.json": json.dumps({**manifest(), **changes}).encode()}
    for each in jobs:
        files |= each
    return files


def two_jobs() -> list[Files]:
    """Two runs of two tasks, as two jobs of one attempt each."""
    return [job(f"run-{run}", *(trial(task, run) for task in TASKS)) for run in (1, 2)]


def one_job_of_two() -> Files:
    """Two runs of two tasks, as one job of two attempts."""
    trials = [trial(task, run) for run in (1, 2) for task in TASKS]
    return job("both", *trials, attempts=2)
