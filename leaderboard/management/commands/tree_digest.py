"""Prints the digest of a folder, as task packages name it."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.trees import TreeError, tree_digest


class Command(BaseCommand):
    help = (
        "Print the SHA-256 of a folder's tree: for base.json that of the base project, "
        "for curation.json that of the task's folder."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path)

    def handle(self, *args: Any, folder: Path, **options: Any) -> None:
        try:
            self.stdout.write(tree_digest(folder))
        except (TreeError, OSError) as error:
            raise CommandError(str(error)) from None
