"""Writes the package of a new version, made from an earlier one."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from leaderboard.snapshots import (
    PackageError,
    PackageNotHeldError,
    SnapshotLookupError,
    snapshot_by_version,
)
from leaderboard.snapshots.derive import Changes, DerivationError, derive_package


class Command(BaseCommand):
    help = (
        "Write the package of a new version to a folder: tasks retired, replaced or "
        "added, with the reason. The earlier version and its standings stay."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("version", help="the earlier version, such as v1.0")
        parser.add_argument("new_version", help="such as v1.1")
        parser.add_argument(
            "folder", type=Path, help="a folder that does not exist yet"
        )
        parser.add_argument("--reason", required=True, help="why; public")
        parser.add_argument("--date", type=date.fromisoformat, help="by default today")
        parser.add_argument(
            "--retire", nargs="+", action="extend", default=[], metavar="SLUG"
        )
        for name in ("--replace", "--add"):
            parser.add_argument(
                name,
                nargs="+",
                action="extend",
                default=[],
                type=Path,
                metavar="TASK_FOLDER",
            )

    def handle(self, *args: Any, **options: Any) -> None:
        changes = Changes(
            version=options["new_version"],
            reason=options["reason"],
            day=options["date"] or timezone.now().date(),
            retire=options["retire"],
            add=options["add"],
            replace=options["replace"],
        )
        try:
            snapshot = snapshot_by_version(options["version"])
            package = derive_package(snapshot, changes, options["folder"])
        except (
            SnapshotLookupError,
            PackageNotHeldError,
            DerivationError,
            PackageError,
        ) as error:
            raise CommandError(str(error)) from None
        self.stdout.write(
            f"{changes.version} of {len(package.tasks)} tasks written to "
            f"{options['folder']}. Import it with import_snapshot."
        )
