"""Exports the task package of a snapshot."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.snapshots import (
    ExportError,
    PackageError,
    PackageNotHeldError,
    SnapshotLookupError,
    export_package,
    snapshot_by_version,
)


class Command(BaseCommand):
    help = "Write the task package of a snapshot to a folder, byte by byte as imported."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("version", help="version, such as demo-0.1 or demo")
        parser.add_argument(
            "folder", type=Path, help="a folder that does not exist yet"
        )

    def handle(self, *args: Any, version: str, folder: Path, **options: Any) -> None:
        try:
            snapshot = snapshot_by_version(version)
            export_package(snapshot, folder)
        except (
            SnapshotLookupError,
            PackageNotHeldError,
            PackageError,
            ExportError,
        ) as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{snapshot} written to {folder}.")
