"""The toolchain of a worker with an SDK, with devices, or with both."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from evaluator.judges.blocks import BlockJudge
from evaluator.sandbox import Limits, Sandbox
from evaluator.toolchains.base import CheckRunner, Toolchain
from evaluator.toolchains.command_line_tools import (
    FoundTools,
    NamedTools,
    find_tools,
    read_sdk,
    search_path,
)
from evaluator.toolchains.hdc_pool import HdcDevicePool
from evaluator.toolchains.hvigor import HvigorBuilder
from evaluator.toolchains.hypium import HypiumRunner
from evaluator.toolchains.needs import Needs, compare_sdk, differences
from evaluator.toolchains.signing import SigningChecks

_MIB = 1024 * 1024
# A missing tool is told with this name, as trouble of this worker.
_NOWHERE = Path("/nonexistent")


@dataclass(frozen=True, slots=True)
class RealSettings:
    """The settings of docs/operators.md: where tools are, and which devices there are.

    ``build_home`` is copied to be the home of every build, ``signer`` a command that
    signs a package before it is installed, ``system`` what every command needs of the
    environment (on Windows). ``needs`` is what the snapshot at hand asks for;
    ``rehearses`` has every app started once before its checks.
    """

    tools: NamedTools = field(default_factory=NamedTools)
    build_home: Path | None = None
    build_memory_bytes: int = 12288 * _MIB
    signer: Path | None = None
    devices: tuple[str, ...] = ()
    device_profile: str = ""
    hdc_port: int = 8710
    system: Mapping[str, str] = field(default_factory=dict)
    needs: Needs = field(default_factory=Needs)
    rehearses: bool = False

    @property
    def named(self) -> bool:
        """Whether anything real was set up on this worker."""
        tools = self.tools
        return bool(tools.root or tools.hvigorw or tools.hdc or self.devices)


def real_toolchain(
    settings: RealSettings,
    *,
    python: Path,
    sandbox: Sandbox,
    stop: threading.Event | None = None,
) -> Toolchain:
    """Builder, devices and checks as far as this worker has them.

    What is lacking is told when it is used: a worker may serve one pool only.
    """
    tools = find_tools(settings.tools)
    environment = check_environment(tools, python, settings.system)
    hdc = tools.hdc or _NOWHERE / "hdc"
    pool = HdcDevicePool(
        hdc=hdc,
        serials=settings.devices,
        profile=settings.device_profile,
        environment=environment,
        server_port=settings.hdc_port,
        needs=settings.needs,
        stop=stop,
    )
    runner: CheckRunner = HypiumRunner(
        python=python,
        hdc=hdc,
        environment=environment,
        stop=stop,
        rehearses=settings.rehearses,
    )
    if settings.signer is not None:
        runner = SigningChecks(runner, settings.signer, environment, stop)
    return Toolchain(
        _builder(settings, tools, sandbox=sandbox, stop=stop),
        pool,
        runner,
        BlockJudge(python, sandbox),
    )


def check_environment(
    tools: FoundTools, python: Path, system: Mapping[str, str]
) -> Mapping[str, str]:
    """All that hdc and xdevice get of the environment, but for their home."""
    path = search_path([tools.hdc and tools.hdc.parent, python.parent], system)
    return {"LANG": "C.UTF-8", **system, "PATH": path}


def build_limits(memory_bytes: int) -> Limits:
    """Room for Node.js, the ArkTS compiler and Java, of which hvigor starts several."""
    return replace(
        Limits(),
        cpu_seconds=3600,
        memory_bytes=memory_bytes,
        total_memory_bytes=memory_bytes,
        processes=1024,
        written_bytes=8192 * _MIB,
        written_files=400_000,
        tmp_bytes=2048 * _MIB,
        processors=4.0,
    )


def missing_for_builds(tools: FoundTools) -> tuple[str, ...]:
    """What a build needs and this worker does not have, each with its setting."""
    needed = {
        "hvigorw (OHB_DEVECO_TOOLS or OHB_HVIGORW)": tools.hvigorw,
        "ohpm (OHB_DEVECO_TOOLS or OHB_OHPM)": tools.ohpm,
        "the SDK (OHB_DEVECO_TOOLS or OHB_SDK_HOME)": tools.sdk,
        "node (OHB_DEVECO_TOOLS or OHB_NODE)": tools.node,
        "java (OHB_JAVA_HOME)": tools.java_home,
    }
    return tuple(name for name, found in needed.items() if found is None)


def _builder(
    settings: RealSettings,
    tools: FoundTools,
    *,
    sandbox: Sandbox,
    stop: threading.Event | None,
) -> HvigorBuilder:
    missing = [*missing_for_builds(tools)]
    if other := differences(compare_sdk(settings.needs, read_sdk(tools.sdk))):
        missing.append(other)
    return HvigorBuilder(
        hvigorw=tools.hvigorw or _NOWHERE / "hvigorw",
        sandbox=sandbox,
        environment=tools.build_environment(settings.system),
        readable=tools.folders,
        stop=stop,
        ohpm=tools.ohpm,
        missing=tuple(missing),
        home_template=settings.build_home,
        limits=build_limits(settings.build_memory_bytes),
    )
