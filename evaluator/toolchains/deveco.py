"""Running DevEco Code, or OpenCode that it is built on, as the agent of a task run."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from evaluator.agents import inside
from evaluator.agents.events import Events, read_events
from evaluator.agents.gateway import Endpoint, Gateway, open_gateway
from evaluator.agents.redaction import redact
from evaluator.agents.verdicts import Ended, trouble_of_agent
from evaluator.processes import Finished, finish
from evaluator.sandbox import Limits, Sandbox, SandboxError, excess_of, was_set_up
from evaluator.toolchains.base import AgentOutcome, AgentSession
from evaluator.verdicts import InfraReason, Trouble

LIMITS = Limits(cpu_seconds=4 * 3600, processes=512)
MAX_FILE_BYTES = 256 * 1024 * 1024

_PROVIDER = "bench"
_FOLDERS = ("data", "config", "state", "cache", "home", "out")
_INSIDE = Path(inside.__file__)
_READ_SECONDS = 120.0
_PATH = ("/usr/local/bin", "/usr/bin", "/bin")
# Nothing is fetched from anywhere: there is no network, and every try costs time.
_QUIET = (
    *("DISABLE_AUTOUPDATE", "DISABLE_PROJECT_CONFIG", "DISABLE_MODELS_FETCH"),
    *("DISABLE_LSP_DOWNLOAD", "DISABLE_DEFAULT_PLUGINS", "DISABLE_SHARE"),
)


@dataclass(frozen=True, slots=True)
class AgentProgram:
    """An installed agent: its command, and what manifests call it.

    ``prefix`` begins its environment variables; ``readable`` are the folders it needs
    besides its own, such as that of the search tool it calls.
    """

    command: Path
    name: str
    version: str
    prefix: str
    readable: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class DevecoAgent:
    """Runs one turn after the other of one session, each a process of its own.

    ``parameters`` are the manifest's ``run_parameters``. The configuration reaches the
    program through its environment and never lies in the workspace.
    """

    program: AgentProgram
    endpoint: Endpoint
    sandbox: Sandbox
    parameters: Mapping[str, Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    secret: str = field(default="", repr=False)
    environment: Mapping[str, str] = field(default_factory=dict)
    stop: threading.Event | None = None

    def run(
        self,
        workspace: Path,
        prompt: str,
        *,
        scratch: Path,
        deadline: float,
        session: AgentSession | None = None,
    ) -> AgentOutcome:
        """Let the agent work on ``workspace``; see :class:`Agent` of base.py."""
        workspace, scratch = workspace.resolve(), scratch.resolve()
        for name in _FOLDERS:
            (scratch / name).mkdir()
        database = scratch / "data" / "session.db"
        if session is not None:
            database.write_bytes(session.database)
        told = scratch / "prompt.txt"
        told.write_text(prompt, "utf-8")
        with ExitStack() as held:
            gateway = held.enter_context(open_gateway(self.endpoint))
            stdin = held.enter_context(told.open("rb"))
            try:
                process = self.sandbox.popen(
                    self._words(gateway, workspace, session),
                    cwd=workspace,
                    env=self._environment(scratch, database, token=gateway.token),
                    readable=self._readable(gateway.socket.parent),
                    writable=[workspace, *(scratch / name for name in _FOLDERS)],
                    limits=LIMITS,
                    stdin=stdin,
                )
            except (SandboxError, OSError) as error:
                return _troubled(InfraReason.SANDBOX, str(error))
            finished = finish(process, deadline=deadline, stop=self.stop)
            events = read_events(finished.output)
            ended = Ended(
                finished.exit_code,
                timed_out=finished.timed_out,
                stopped=finished.stopped,
                set_up=finished.exit_code is None or was_set_up(process),
                excess=excess_of(process),
                waited=gateway.longest_wait(),
                last_line=_last_line(finished.output),
            )
            trouble = trouble_of_agent(ended, gateway.calls, events)
            return self._outcome(gateway, finished, trouble, scratch=scratch)

    def _outcome(
        self,
        gateway: Gateway,
        finished: Finished,
        trouble: Trouble | None,
        *,
        scratch: Path,
    ) -> AgentOutcome:
        outcome = AgentOutcome(
            seconds=finished.seconds,
            timed_out=finished.timed_out,
            files={"agent.log": redact(finished.output, self.secret)},
            endpoint_tokens=gateway.total_tokens(),
            trouble=trouble,
        )
        if trouble is not None and trouble.reason in {
            InfraReason.DRAIN,
            InfraReason.SANDBOX,
        }:
            return outcome
        return self._with_session(outcome, scratch, read_events(finished.output))

    def _with_session(
        self, outcome: AgentOutcome, scratch: Path, events: Events
    ) -> AgentOutcome:
        """Add what the program's own store holds: all sessions, not the root alone."""
        try:
            sessions = self._read_store(scratch)
            trajectory = _content(scratch / "out" / "trajectory.jsonl")
            database = _content(scratch / "out" / "session.sqlite3")
        except (OSError, ValueError, SandboxError) as error:
            if outcome.trouble is not None:
                return outcome
            detail = f"the agent's session store cannot be read: {error}"
            return replace(outcome, trouble=Trouble(InfraReason.NO_REPORT, detail))
        roots = [each["id"] for each in sessions if not each["parent_id"]]
        root = events.session or (roots[0] if roots else "")
        unknown = sum(each["unknown"] for each in sessions)
        steps = sum(each["steps"] for each in sessions)
        tokens = sum(each["tokens"] for each in sessions)
        return replace(
            outcome,
            total_tokens=tokens if steps and not unknown else None,
            session=AgentSession(root, redact(database, self.secret)),
            files={
                **outcome.files,
                "trajectory.jsonl": redact(trajectory, self.secret),
            },
        )

    def _words(
        self, gateway: Gateway, workspace: Path, session: AgentSession | None
    ) -> list[str | Path]:
        model = f"{_PROVIDER}/{self.endpoint.model}"
        words: list[str | Path] = [_python(), "-I", _INSIDE, "relay", gateway.socket]
        words += [self.program.command, "run", "--model", model, "--format", "json"]
        words += ["--dir", workspace, "--title", "task run"]
        return words + (["--session", session.root] if session is not None else [])

    def _environment(
        self, scratch: Path, database: Path, *, token: str
    ) -> dict[str, str]:
        prefix = self.program.prefix
        return {
            "LANG": "C.UTF-8",
            "PATH": os.pathsep.join(map(str, (*self.program.readable, *_PATH))),
            **self.environment,
            "HOME": str(scratch / "home"),
            **{
                f"XDG_{name.upper()}_HOME": str(scratch / name)
                for name in ("data", "config", "state", "cache")
            },
            **{f"{prefix}_{name}": "1" for name in _QUIET},
            f"{prefix}_DB": str(database),
            f"{prefix}_CONFIG_CONTENT": json.dumps(self._configuration(token)),
        }

    def _configuration(self, token: str) -> dict[str, Any]:
        """The program's settings; the token is good for this turn's gateway alone."""
        model = self.endpoint.model
        temperature = self.parameters.get("temperature")
        options = {**self._reasoning(), **self.options}
        if temperature is not None:
            options["temperature"] = temperature
        limit = {
            "context": self.parameters.get("context_window_tokens", 128_000),
            "output": 65_536,
        }
        described = {
            "name": model,
            "tool_call": True,
            "reasoning": True,
            "temperature": temperature is not None,
            "limit": limit,
            "options": options,
        }
        full = f"{_PROVIDER}/{model}"
        agent = {} if temperature is None else {"build": {"temperature": temperature}}
        return {
            "autoupdate": False,
            "share": "disabled",
            "snapshot": False,
            "model": full,
            "small_model": full,
            "provider": {
                _PROVIDER: {
                    "npm": "@ai-sdk/openai-compatible",
                    "name": _PROVIDER,
                    "options": {
                        "baseURL": f"http://127.0.0.1:{inside.PORT_MARK}/v1",
                        "apiKey": token,
                    },
                    "models": {model: described},
                }
            },
            "agent": agent,
            "permission": {"*": "allow", "webfetch": "deny", "websearch": "deny"},
        }

    def _reasoning(self) -> dict[str, Any]:
        """The budget is an option of the model: the limit of its output is capped."""
        budget = self.parameters.get("reasoning_budget_tokens")
        return {"thinking": {"budget_tokens": budget}} if budget else {}

    def _readable(self, *more: Path) -> list[Path]:
        own = self.program.command.parent
        wanted = [own, *self.program.readable, _INSIDE, *_python_home(), *more]
        return list(dict.fromkeys(wanted))

    def _read_store(self, scratch: Path) -> list[dict[str, Any]]:
        """Have the store read inside: it was in reach of what the model ran."""
        database = scratch / "data" / "session.db"
        process = self.sandbox.popen(
            [_python(), "-I", _INSIDE, "read", database, scratch / "out"],
            cwd=scratch / "out",
            env={},
            readable=[_INSIDE, *_python_home()],
            writable=[scratch / "data", scratch / "out"],
        )
        done = finish(process, deadline=time.monotonic() + _READ_SECONDS)
        if done.exit_code != 0:
            raise ValueError(f"status {done.exit_code}: {_last_line(done.output)}")
        sessions = json.loads(done.output)
        if not isinstance(sessions, list) or not all(map(_is_session, sessions)):
            raise ValueError("no list of sessions")
        return sessions


def _is_session(value: object) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("id"), str):
        return False
    counts = (value.get(name) for name in ("steps", "tokens", "unknown"))
    return all(type(each) is int and each >= 0 for each in counts)


def _content(path: Path) -> bytes:
    """A file that code from outside left: a plain one, and not too long."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as stream:
        content = stream.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise ValueError(f"{path.name} has more than {MAX_FILE_BYTES} bytes")
    return content


def _python() -> Path:
    """The interpreter that runs us: the one of the system may be too old."""
    home = Path(sys.base_prefix).resolve()
    return home / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"


def _python_home() -> tuple[Path, ...]:
    home = Path(sys.base_prefix).resolve()
    return () if home.is_relative_to("/usr") else (home,)


def _last_line(output: bytes) -> str:
    lines = output.decode(errors="replace").splitlines()
    return next((each.strip() for each in reversed(lines) if each.strip()), "")[:300]


def _troubled(reason: InfraReason, detail: str) -> AgentOutcome:
    return AgentOutcome(seconds=0.0, trouble=Trouble(reason, detail))
