"""Imports a task package."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.kit_names import KitListError
from leaderboard.snapshots import (
    PackageError,
    SnapshotConflictError,
    import_package,
    kit_differences,
    package_from,
)
from leaderboard.terminal import StepBars


class Command(BaseCommand):
    help = (
        "Import a task package as a draft snapshot, wholly or not at all. The same "
        "package a second time changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "source",
            help="folder with snapshot.json, zip file of one, or address of a git "
            "repository below one of OHB_PACKAGE_SOURCES",
        )
        parser.add_argument(
            "--commit", default="", help="whole id of the commit of the repository"
        )
        parser.add_argument(
            "--folder", default="", help="folder of the package in the repository"
        )
        parser.add_argument(
            "--synthetic",
            action="store_true",
            help="take a package that is made up to measure the software",
        )

    def handle(
        self,
        *args: Any,
        source: str,
        commit: str,
        folder: str,
        synthetic: bool,
        verbosity: int,
        **options: Any,
    ) -> None:
        bars = StepBars(self.stdout, quiet=verbosity == 0)
        try:
            with (
                package_from(str(source), commit=commit, folder=folder) as package,
                bars as progress,
            ):
                snapshot, changed = import_package(
                    package, synthetic=synthetic, progress=progress
                )
        except (PackageError, SnapshotConflictError, KitListError) as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"The package cannot be copied: {error}.") from None
        state = "imported" if changed else "had been imported already"
        self.stdout.write(
            f"{snapshot} {state}: {snapshot.tasks.count()} tasks, {snapshot.status}."
        )
        differences = kit_differences(snapshot)
        if differences:
            self.stdout.write(f"Warnings ({len(differences)}):")
        for difference in differences:
            self.stdout.write(f"  {difference}")
