"""``task.toml`` of Harbor (schema 1.4) for one of our tasks."""

from __future__ import annotations

import json
from collections.abc import Mapping

from leaderboard.models import EvaluationSnapshot, Task

SCHEMA_VERSION = "1.4"
# The paper limits the checks, not the agent; Harbor needs a number.
_AGENT_SECONDS = 4 * 3600
_BUILD_SECONDS = 15 * 60
_CHECK_SECONDS = 5 * 60
_INSTALL_SECONDS = 3 * 60
# Everything that changed counts but what builds and package managers make. The rules
# are ours: a .gitignore that an agent writes must not hide its own new files.
_NOT_COLLECTED = (
    *("oh_modules", "node_modules", "build", ".hvigor", ".cxx", ".preview"),
    *(".git", ".idea", ".appanalyzer"),
)
# Where the verifier finds its tools, taken from the environment of the Harbor process.
_TOOLS = ("OHB_VERIFIER_PYTHON", "OHB_HYPIUM_PYTHON", "OHB_NODE", "OHB_SANDBOX")


def collect_command(base: str) -> str:
    """What writes the change since ``base``, whether or not the agent committed it."""
    left_out = " ".join(f"':(exclude,glob)**/{name}/**'" for name in _NOT_COLLECTED)
    return (
        "cd /app && mkdir -p /logs/artifacts && rm -f .git/index.lock "
        f"&& git read-tree {base} "
        f"&& git -c core.autocrlf=false add -A -f -- . {left_out} "
        f"&& git diff --cached --binary --no-renames --no-ext-diff {base} "
        "> /logs/artifacts/model.patch"
    )


def task_toml(task: Task, snapshot: EvaluationSnapshot, *, name: str, base: str) -> str:
    """The whole file; ``name`` is org/slug, ``base`` the commit in the environment."""
    f_points = list(task.f_points.all())
    checks = _INSTALL_SECONDS + _CHECK_SECONDS * len(f_points)
    return "\n".join(
        [
            f"schema_version = {_text(SCHEMA_VERSION)}",
            *_table(
                "task",
                name=name,
                version=snapshot.version,
                description=task.title,
                keywords=["openharmony", "arkts", task.source],
            ),
            *_table(
                "metadata",
                benchmark=snapshot.benchmark.slug,
                benchmark_version=snapshot.version,
                comparability_key=snapshot.comparability_key,
                task_source=task.source,
                difficulty=task.difficulty,
                repository=task.repository,
                base_commit_hash=task.base_commit,
                base_digest=task.base_digest,
                kits=[kit.name for kit in task.kits.all()],
                f_points=[each.f_point for each in f_points],
                simulated=snapshot.device_profile_simulated,
            ),
            *_table("agent", timeout_sec=float(_AGENT_SECONDS)),
            *_table(
                "verifier",
                timeout_sec=float(_BUILD_SECONDS + checks),
                environment_mode="separate",
                env={each: f"${{{each}:-}}" for each in _TOOLS},
            ),
            "",
            "[[verifier.collect]]",
            f"command = {_text(collect_command(base))}",
            *_table("environment", workdir="/app", network_mode="public"),
            "",
        ]
    )


def dataset_toml(name: str, description: str, digests: Mapping[str, str]) -> str:
    """The manifest that pins every task by Harbor's digest."""
    tasks = (
        ["", "[[tasks]]", f"name = {_text(task)}", f"digest = {_text(digest)}"]
        for task, digest in digests.items()
    )
    head = _table("dataset", name=name, description=description)[1:]
    return "\n".join([*head, *(line for lines in tasks for line in lines), ""])


def _table(table: str, /, **values: object) -> list[str]:
    return ["", f"[{table}]", *(f"{key} = {_value(values[key])}" for key in values)]


def _value(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _text(value)
        case list():
            return f"[{', '.join(map(_value, value))}]"
        case dict():
            return (
                "{ " + ", ".join(f"{k} = {_value(v)}" for k, v in value.items()) + " }"
            )
    return repr(value)


def _text(value: str) -> str:
    """A basic string: what JSON escapes, TOML reads, but for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
