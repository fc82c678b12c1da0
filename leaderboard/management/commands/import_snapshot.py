"""Imports a task package."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.snapshots import PackageError, SnapshotConflictError, import_package


class Command(BaseCommand):
    help = (
        "Import a task package as a draft snapshot, wholly or not at all. The same "
        "package a second time changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="folder with snapshot.json")

    def handle(self, *args: Any, folder: Path, **options: Any) -> None:
        try:
            snapshot, changed = import_package(folder)
        except (PackageError, SnapshotConflictError) as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"The package cannot be copied: {error}.") from None
        state = "imported" if changed else "had been imported already"
        self.stdout.write(
            f"{snapshot} {state}: {snapshot.tasks.count()} tasks, {snapshot.status}."
        )
