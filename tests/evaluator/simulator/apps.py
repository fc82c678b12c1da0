"""Packages and devices for tests: the app they run is `fake_app.py`."""

from __future__ import annotations

import json
import os
import sys
import zipfile
from pathlib import Path

from evaluator.toolchains.registry import SIMULATOR
from evaluator.toolchains.simulated import SimulatedDevicePool

BUNDLE = "com.example.chat"
FAKE_APP = Path(__file__).parent / "fake_app.py"
HDC = SIMULATOR / "bin" / "hdc"
ENVIRONMENT = {
    "PATH": os.pathsep.join(
        [str(HDC.parent), str(Path(sys.executable).parent), "/usr/bin", "/bin"]
    ),
    "LANG": "C.UTF-8",
}
PROFILE = {
    "app": {"bundleName": BUNDLE},
    "module": {
        "name": "entry",
        "mainElement": "EntryAbility",
        "abilities": [
            {
                "name": "EntryAbility",
                "skills": [{"actions": ["ohos.want.action.home"]}],
            }
        ],
    },
}


def write_package(
    path: Path, mode: str = "chat", *, profile: object = PROFILE, **more: str
) -> Path:
    """Write a HAP whose app behaves as ``mode`` says; see `fake_app.py`."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("module.json", json.dumps(profile))
        archive.writestr("mode", mode)
        for name, text in more.items():
            archive.writestr(name, text)
    return path


def device_pool() -> SimulatedDevicePool:
    return SimulatedDevicePool(
        node=Path(sys.executable),
        sandbox_mode="none",
        environment=ENVIRONMENT,
        options=("--app-host", FAKE_APP),
    )
