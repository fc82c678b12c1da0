from __future__ import annotations

import shutil
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from evaluator.capability import toolchain_settings, worker_sandbox
from evaluator.sandbox import SandboxUnavailableError
from evaluator.sandbox.probes import probe
from evaluator.toolchains.registry import missing_tools

GIB = 1024**3
FREE_BYTES_WANTED = 2 * GIB


class Command(BaseCommand):
    help = "Report what this machine can do as a worker; the exit code tells."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--sandbox", action="store_true", help="run the probes of the sandbox"
        )

    def handle(self, *args: Any, sandbox: bool, **options: Any) -> None:
        faults = [*self._tools(), *self._disk(), *self._sandbox(probes=sandbox)]
        if faults:
            raise CommandError("Not ready:\n  " + "\n  ".join(faults))
        self.stdout.write("Ready.")

    def _tools(self) -> list[str]:
        lacking = missing_tools(toolchain_settings())
        for name in ("git", "node"):
            self.stdout.write(f"{name:10} {shutil.which(name) or '-'}")
        self.stdout.write(f"{'hypium':10} {settings.OHB_HYPIUM_PYTHON}")
        self.stdout.write(f"{'pools':10} {', '.join(settings.OHB_WORKER_POOLS)}")
        self.stdout.write(f"{'snapshots':10} those with a simulated device profile")
        return list(lacking)

    def _disk(self) -> list[str]:
        folder = Path(settings.DATA_DIR)
        free = shutil.disk_usage(folder).free
        self.stdout.write(f"{'disk':10} {free / GIB:.1f} GiB free in {folder}")
        if free < FREE_BYTES_WANTED:
            return [f"{folder} has {free / GIB:.1f} GiB free; 2 GiB are wanted."]
        return []

    def _sandbox(self, *, probes: bool) -> list[str]:
        try:
            found = worker_sandbox()
        except SandboxUnavailableError as error:
            return [str(error)]
        self.stdout.write(f"{'sandbox':10} {found.describe()}")
        if not found.isolates:
            self.stdout.write(
                "           Only bundles of this repository and of staff are evaluated "
                "here. Install bubblewrap for the rest."
            )
        if not probes:
            return []
        results = probe(found)
        for each in results:
            word = "ok" if each.ok else "GAP" if each.name in found.gaps else "OPEN"
            self.stdout.write(f"  {word:5} {each.name}: {each.detail}")
        return [
            f"sandbox: {each.name}: {each.detail}"
            for each in results
            if not each.ok and each.name not in found.gaps
        ]
