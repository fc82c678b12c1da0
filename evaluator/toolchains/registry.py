"""Which adapters a snapshot needs, built from plain settings."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evaluator.judges.blocks import BlockJudge
from evaluator.sandbox import NOTHING_PRIVATE, Privacy, Sandbox, open_sandbox
from evaluator.toolchains.base import Toolchain
from evaluator.toolchains.hvigor import HvigorBuilder
from evaluator.toolchains.hypium import HypiumRunner
from evaluator.toolchains.real import RealSettings, real_toolchain
from evaluator.toolchains.simulated import SimulatedChecks, SimulatedDevicePool
from evaluator.verdicts import InfraReason, Trouble

SIMULATOR = Path(__file__).resolve().parent.parent / "simulator"

_SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin")
_HOMEBREW = Path("/opt/homebrew/bin")


class ToolchainMissingError(Exception):
    """This worker lacks a toolchain; ``trouble`` is the outcome to report."""

    def __init__(self, detail: str) -> None:
        self.trouble = Trouble(InfraReason.TOOL_MISSING, detail)
        super().__init__(detail)


@dataclass(frozen=True, slots=True)
class ToolchainSettings:
    """Where the tools are.

    ``hypium_python`` is the interpreter that has Hypium installed, ``node`` the
    Node.js binary (None looks on PATH), ``sandbox_mode`` auto, bwrap, unshare or none,
    ``privacy`` what no sandbox may show, and ``real`` what stands for SDK and devices.
    """

    hypium_python: Path
    node: Path | None = None
    sandbox_mode: str = "auto"
    privacy: Privacy = NOTHING_PRIVATE
    real: RealSettings = field(default_factory=RealSettings)


def toolchain_for(
    device_profile_simulated: bool,
    *,
    settings: ToolchainSettings,
    sandbox: Sandbox | None = None,
    stop: threading.Event | None = None,
) -> Toolchain:
    """Return the adapters for one stage; ``stop`` ends what they run.

    A sandbox that is open already can be passed in; its mode should be the settings'.
    Raises ToolchainMissingError when this worker cannot serve such a snapshot.
    """
    sandbox = sandbox or open_sandbox(settings.sandbox_mode, privacy=settings.privacy)
    if not device_profile_simulated:
        if not settings.real.named:
            raise ToolchainMissingError(
                "This worker has neither SDK nor device; snapshots with a real device "
                "profile need them. Set OHB_DEVECO_TOOLS or OHB_DEVICES."
            )
        return real_toolchain(
            settings.real, python=settings.hypium_python, sandbox=sandbox, stop=stop
        )
    node = _node(settings)
    environment = _environment(settings, node)
    pool = SimulatedDevicePool(
        node=node,
        sandbox_mode=settings.sandbox_mode,
        environment=environment,
        privacy=settings.privacy,
    )
    runner = HypiumRunner(
        python=settings.hypium_python,
        hdc=SIMULATOR / "bin" / "hdc",
        environment=environment,
        stop=stop,
        entry=(SIMULATOR / "xdevice_soon.py",),
    )
    builder = HvigorBuilder(
        hvigorw=SIMULATOR / "bin" / "hvigorw",
        sandbox=sandbox,
        environment=environment,
        readable=(SIMULATOR, node.parent),
        stop=stop,
    )
    judge = BlockJudge(settings.hypium_python, sandbox)
    return Toolchain(builder, pool, SimulatedChecks(runner, pool), judge)


def missing_tools(settings: ToolchainSettings) -> tuple[str, ...]:
    """What the simulated toolchain lacks on this machine, each with its remedy."""
    lacking = []
    try:
        _node(settings)
    except ToolchainMissingError as error:
        lacking.append(str(error))
    if not settings.hypium_python.is_file():
        lacking.append(
            f"{settings.hypium_python} is missing: run `make setup`, or point "
            "OHB_HYPIUM_PYTHON at an interpreter with hypium installed"
        )
    if not (SIMULATOR / "node_modules" / "ohos-typescript").is_dir():
        lacking.append("npm's ohos-typescript is missing: run `make setup`")
    lacking += [f"{name} is missing" for name in ("ps", "grep") if not _found(name)]
    return tuple(lacking)


def _node(settings: ToolchainSettings) -> Path:
    found = shutil.which(settings.node or "node")
    if found is None:
        raise ToolchainMissingError(
            "Node.js was not found: run `make setup`, or point OHB_NODE at the binary"
        )
    # A link is followed here, since its target may be all that a sandbox shows.
    return Path(found).resolve()


def _environment(settings: ToolchainSettings, node: Path) -> Mapping[str, str]:
    """A clean environment; PATH leads to hdc, to Node, and to a Python that is quick
    to start (a version manager's shim is not).
    """
    folders = [
        SIMULATOR / "bin",
        node.parent,
        settings.hypium_python.parent,
        Path(sys.executable).parent,
        *map(Path, _SYSTEM_PATH),
    ]
    if _HOMEBREW.is_dir():
        folders.append(_HOMEBREW)
    path = os.pathsep.join(dict.fromkeys(map(str, folders)))
    return {"PATH": path, "LANG": "C.UTF-8"}


def _found(name: str) -> bool:
    return shutil.which(name, path=os.pathsep.join(_SYSTEM_PATH)) is not None
