"""Exports statements and facts of the tasks of a snapshot as a dataset."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.dataset import DatasetError, export_dataset
from leaderboard.snapshots import (
    PackageNotHeldError,
    SnapshotLookupError,
    snapshot_by_version,
)


class Command(BaseCommand):
    help = (
        "Write the tasks of a snapshot as JSON Lines and Parquet, described in "
        "Croissant. Checks and references are in it only once they are public."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("version", help="version, such as demo-0.1 or demo")
        parser.add_argument(
            "folder", type=Path, help="a folder that does not exist yet"
        )

    def handle(self, *args: Any, version: str, folder: Path, **options: Any) -> None:
        try:
            snapshot = snapshot_by_version(version)
            written = export_dataset(snapshot, folder)
        except (SnapshotLookupError, PackageNotHeldError, DatasetError) as error:
            raise CommandError(str(error)) from None
        self.stdout.write(
            f"{snapshot}: {written.task_count} tasks written to {folder}."
        )
        if written.left_out:
            names = " and ".join(written.left_out)
            self.stdout.write(f"Left out, since they are not released: {names}.")
