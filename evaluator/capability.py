"""What this worker can do: its sandbox, and the toolchain for a snapshot."""

from __future__ import annotations

import logging
import threading
import time
from functools import cache
from pathlib import Path

from django.conf import settings
from django.utils.module_loading import import_string

from evaluator.sandbox import (
    Privacy,
    ProbeResult,
    Sandbox,
    open_sandbox,
    open_ways_out,
)
from evaluator.toolchains.base import Toolchain
from evaluator.toolchains.command_line_tools import NamedTools
from evaluator.toolchains.needs import Needs
from evaluator.toolchains.real import RealSettings
from evaluator.toolchains.registry import ToolchainSettings
from leaderboard.models import EvaluationSnapshot

logger = logging.getLogger(__name__)

TRY_AGAIN_SECONDS = 300.0
NO_NEEDS = Needs()

_PROBED: dict[Sandbox, tuple[float, tuple[ProbeResult, ...]]] = {}
_probing = threading.Lock()


@cache
def worker_sandbox() -> Sandbox:
    """The sandbox of this process, opened once; see OHB_SANDBOX."""
    return open_sandbox(settings.OHB_SANDBOX, privacy=privacy())


def privacy() -> Privacy:
    """What no sandboxed command may see: checks, references, artifacts, secrets."""
    data, base = Path(settings.DATA_DIR), Path(settings.BASE_DIR)
    storage = Path(settings.STORAGE_URL.removeprefix("file://"))
    closed = [data, base / "fixtures", base / ".env"]
    closed += [storage] if storage.is_absolute() else []
    return Privacy(closed=tuple(closed), opened=(Path(settings.WORK_DIR),))


def sandbox_isolates() -> bool:
    """Whether untrusted code may run here: tried, not believed.

    The probes run once in a process, a second or two. Where they found a way out they
    run again after a while, since a machine that is short of everything fails them too.
    """
    sandbox = worker_sandbox()
    return sandbox.isolates and not _ways_out(sandbox)


def _ways_out(sandbox: Sandbox) -> tuple[ProbeResult, ...]:
    with _probing:
        tried_at, found = _PROBED.get(sandbox, (0.0, ()))
        if tried_at and (not found or time.monotonic() < tried_at + TRY_AGAIN_SECONDS):
            return found
        found = tuple(open_ways_out(sandbox))
        _PROBED[sandbox] = time.monotonic(), found
    logger.info("sandbox %s", sandbox.describe())
    for way in found:
        logger.error("sandbox open: %s: %s", way.name, way.detail)
    if found:
        logger.error(
            "This process takes no untrusted work until the sandbox holds: "
            "`manage.py doctor --sandbox` shows what is open."
        )
    return found


def toolchain_settings(needs: Needs = NO_NEEDS) -> ToolchainSettings:
    return ToolchainSettings(
        hypium_python=settings.OHB_HYPIUM_PYTHON,
        node=Path(settings.OHB_NODE) if settings.OHB_NODE else None,
        sandbox_mode=worker_sandbox().name,
        privacy=privacy(),
        real=real_settings(needs),
    )


def needs_of(snapshot: EvaluationSnapshot) -> Needs:
    return Needs.of(
        sdk=snapshot.sdk, toolchain=snapshot.toolchain, device=snapshot.device_facts
    )


def real_settings(needs: Needs = NO_NEEDS) -> RealSettings:
    return RealSettings(
        tools=NamedTools(
            root=settings.OHB_DEVECO_TOOLS,
            hvigorw=settings.OHB_HVIGORW,
            ohpm=settings.OHB_OHPM,
            hdc=settings.OHB_HDC,
            sdk=settings.OHB_SDK_HOME,
            java_home=settings.OHB_JAVA_HOME,
            node=Path(settings.OHB_NODE) if settings.OHB_NODE else None,
        ),
        build_home=settings.OHB_BUILD_HOME,
        build_memory_bytes=settings.OHB_BUILD_MEMORY_MIB * 1024 * 1024,
        signer=settings.OHB_SIGN_HAP,
        devices=tuple(settings.OHB_DEVICES),
        hdc_port=settings.OHB_HDC_PORT,
        system=settings.SYSTEM_VARIABLES,
        needs=needs,
    )


def toolchain_for(snapshot: EvaluationSnapshot, *, stop: threading.Event) -> Toolchain:
    """The adapters that ``snapshot`` needs; raises if this worker lacks them.

    The setting OHB_TOOLCHAIN names the function that plugs them together.
    """
    plug = import_string(settings.OHB_TOOLCHAIN)
    toolchain: Toolchain = plug(
        snapshot.device_profile_simulated,
        settings=toolchain_settings(needs_of(snapshot)),
        sandbox=worker_sandbox(),
        stop=stop,
    )
    return toolchain
