"""What this worker can do: its sandbox, and the toolchain for a snapshot."""

from __future__ import annotations

import threading
from functools import cache
from pathlib import Path

from django.conf import settings
from django.utils.module_loading import import_string

from evaluator.sandbox import Privacy, Sandbox, open_sandbox
from evaluator.toolchains.base import Toolchain
from evaluator.toolchains.registry import ToolchainSettings
from leaderboard.models import EvaluationSnapshot


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
    """Whether untrusted code may run here."""
    return worker_sandbox().isolates


def toolchain_settings() -> ToolchainSettings:
    return ToolchainSettings(
        hypium_python=settings.OHB_HYPIUM_PYTHON,
        node=Path(settings.OHB_NODE) if settings.OHB_NODE else None,
        sandbox_mode=worker_sandbox().name,
        privacy=privacy(),
    )


def toolchain_for(snapshot: EvaluationSnapshot, *, stop: threading.Event) -> Toolchain:
    """The adapters that ``snapshot`` needs; raises if this worker lacks them.

    The setting OHB_TOOLCHAIN names the function that plugs them together.
    """
    plug = import_string(settings.OHB_TOOLCHAIN)
    toolchain: Toolchain = plug(
        snapshot.device_profile_simulated,
        settings=toolchain_settings(),
        sandbox=worker_sandbox(),
        stop=stop,
    )
    return toolchain
