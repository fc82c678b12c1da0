"""Which agent is installed on this machine, and what manifests call it."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from evaluator.toolchains.deveco import AgentProgram

PACKAGES = Path(__file__).resolve().parent / "node_modules"

_KINDS = {"deveco": ("DevEco Code", "DEVECO"), "opencode": ("OpenCode", "OPENCODE")}
_VERSION = re.compile(r"[0-9][0-9A-Za-z.+-]{0,38}")
_SECONDS = 60


class NoAgentError(Exception):
    """No agent can be run here; the message says how to get one."""


def find_program(
    named: str = "", *, path: str = "/usr/local/bin:/usr/bin:/bin"
) -> AgentProgram:
    """The agent ``named`` (a path or a command), or else the one `make setup` installs.

    DevEco Code and OpenCode are told apart by the name of the command.
    """
    command = _command(named)
    # A package manager's command may be a link to a file of any name.
    names = f"{Path(named).name} {command.name}".lower()
    kind = next((each for each in _KINDS if each in names), None)
    if kind is None:
        raise NoAgentError(
            f"{command} is neither deveco nor opencode: the command's name has to "
            f"hold one of the two. Known: {', '.join(_KINDS)}."
        )
    name, prefix = _KINDS[kind]
    search = _search_tool(path)
    return AgentProgram(
        command=command,
        name=name,
        version=_version(command, {"PATH": path}),
        prefix=prefix,
        readable=(search.parent,) if search is not None else (),
    )


def search_tool_missing(program: AgentProgram) -> str:
    """What speaks against measuring here: an agent without its search is another."""
    if program.readable:
        return ""
    return "ripgrep (rg), which the agent searches with: apt-get install ripgrep"


def _command(named: str) -> Path:
    if named:
        found = shutil.which(named)
        if found is None:
            raise NoAgentError(
                f"OHB_AGENT names {named!r}, which is no command here. Install it, or "
                "give its full path."
            )
        # A link's target may be all that a sandbox shows.
        return Path(found).resolve()
    installed = sorted(PACKAGES.glob("opencode-*/bin/opencode"))
    if not installed:
        raise NoAgentError(
            f"No agent is installed: run `make setup` (Linux on x64; this is "
            f"{platform.system()} on {platform.machine()}), or point OHB_AGENT at "
            "deveco or opencode."
        )
    return installed[0]


def _search_tool(path: str) -> Path | None:
    found = next(iter(sorted(PACKAGES.glob("@vscode/ripgrep-*/bin/rg"))), None)
    if found is not None:
        return found
    named = shutil.which("rg", path=path)
    return Path(named) if named else None


def _version(command: Path, environment: Mapping[str, str]) -> str:
    """What ``--version`` says, asked in a home that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="ohb-agent-") as home:
        try:
            said = subprocess.run(
                [command, "--version"],
                cwd=home,
                env={**environment, "HOME": home, "XDG_DATA_HOME": home},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                timeout=_SECONDS,
            ).stdout
        except (OSError, subprocess.TimeoutExpired) as error:
            raise NoAgentError(f"{command} --version: {error}") from None
    version = _VERSION.search(said)
    if version is None:
        raise NoAgentError(f"{command} --version says {said[:80]!r}, no version.")
    return version[0]
