"""Runs the real xdevice, whose own waiting loops look again sooner.

xdevice looks every 1 or 3 seconds whether a device was found and whether a case has
ended. A simulated device answers within milliseconds, so that most of a check would be
spent there. Only these loops are told apart: what Hypium and a script wait for on the
screen takes as long as on a real device. Started as ``python -m xdevice`` would be,
with the interpreter that has Hypium.
"""

import importlib
import runpy
import sys
import time
from pathlib import Path

WAITING = (
    "xdevice._core.environment.manager_env",  # for the first device
    "xdevice._core.context.impl",  # for the last case
    "xdevice._core.executor.concurrent",  # for the first case
)
LONGEST_SECONDS = 0.05


class Sooner:
    """The module ``time`` as the waiting loops see it."""

    def __getattr__(self, name: str) -> object:
        return getattr(time, name)

    @staticmethod
    def sleep(seconds: float) -> None:
        time.sleep(min(seconds, LONGEST_SECONDS))


def main() -> None:
    # As with -m: scripts import what lies in their project.
    sys.path[0] = str(Path.cwd())
    for name in WAITING:
        names = vars(importlib.import_module(name))
        if names.get("time") is not time:
            raise RuntimeError(f"{name} of this xdevice waits in another way")
        names["time"] = Sooner()
    runpy.run_module("xdevice", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
