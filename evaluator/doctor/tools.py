"""The programs of a worker: where each one is and what version it says it is."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from evaluator.agents.programs import NoAgentError, find_program
from evaluator.capability import real_settings, toolchain_settings
from evaluator.processes import run
from evaluator.toolchains.command_line_tools import find_tools, read_sdk
from evaluator.toolchains.registry import missing_tools

AGENT = "agent"
ASK_SECONDS = 30.0
_VERSION = re.compile(r"\d+(?:\.\d+)+[\w.+-]*")
_HYPIUM = (
    "from importlib.metadata import version as v; "
    "print(v('hypium'), 'with xdevice', v('xdevice'))"
)


Question = tuple[str, Path | str | None, list[str]]
"""A program's name, where it is, and the words that make it tell its version."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A program; ``path`` is empty where there is none, ``version`` None if untold."""

    name: str
    path: str
    version: str | None = None


def find_all() -> list[Tool]:
    """Every program that a worker may need, whether this one does or not."""
    real = real_settings()
    found = find_tools(real.tools)
    named = toolchain_settings().node
    node = shutil.which(named or found.node or "node")
    java = found.java_home / "bin" / "java" if found.java_home else None
    python = settings.OHB_HYPIUM_PYTHON
    environment = found.build_environment(real.system)
    asked: list[Question] = [
        ("git", shutil.which("git"), ["--version"]),
        ("node", node, ["--version"]),
        ("java", java, ["-version"]),
        ("hvigorw", found.hvigorw, ["--version"]),
        ("ohpm", found.ohpm, ["--version"]),
        ("hdc", found.hdc, ["-v"]),
        ("hypium", python if python.is_file() else None, ["-c", _HYPIUM]),
    ]
    with ThreadPoolExecutor(4) as workers:
        tools = list(workers.map(lambda each: _ask(each, environment), asked))
    facts = read_sdk(found.sdk)
    told = f"API {facts.api_level}, {facts.version}" if facts.api_level else None
    tools.append(Tool("sdk", str(found.sdk or ""), told))
    simulator = "" if missing_tools(toolchain_settings()) else "evaluator/simulator"
    return [*tools, Tool("simulator", simulator), _agent()]


def _agent() -> Tool:
    """The agent program; its version is told with its name, as manifests name it."""
    try:
        program = find_program(getattr(settings, "OHB_AGENT", ""))
    except NoAgentError:
        return Tool(AGENT, "")
    return Tool(AGENT, str(program.command), f"{program.name} {program.version}")


def _ask(question: Question, environment: Mapping[str, str]) -> Tool:
    name, path, words = question
    if path is None or not Path(path).is_file():
        return Tool(name, "")
    beside = {"PATH": f"{Path(path).parent}{os.pathsep}{environment['PATH']}"}
    with tempfile.TemporaryDirectory(prefix="doctor-") as home:
        homes = {"HOME": home, "USERPROFILE": home}
        try:
            finished = run(
                [path, *words],
                cwd=Path(home),
                env={**environment, **beside, **homes},
                deadline=time.monotonic() + ASK_SECONDS,
            )
        except OSError:
            return Tool(name, str(path))
    said = finished.output.decode("utf-8", "replace")
    version = _VERSION.search(said)
    if version is None:
        return Tool(name, str(path))
    told = said.strip().splitlines()[-1] if name == "hypium" else version[0]
    return Tool(name, str(path), told[:80])
