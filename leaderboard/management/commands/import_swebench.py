"""Takes tasks over from a file in the form of Multi-SWE-bench, as drafts."""

from __future__ import annotations

import shutil
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.swebench import TODO, SwebenchError, read_instances, write_drafts


class Command(BaseCommand):
    help = (
        "Write task folders in the form of a task package from JSON Lines of "
        "Multi-SWE-bench. They are drafts: each says what a curator must add."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="JSON Lines, one instance a line")
        parser.add_argument(
            "folder", type=Path, help="a folder that does not exist yet"
        )

    def handle(self, *args: Any, file: Path, folder: Path, **options: Any) -> None:
        if folder.exists():
            raise CommandError(
                f"{folder} exists already. Name a folder that does not exist yet."
            )
        try:
            instances = read_instances(file)
        except SwebenchError as error:
            raise CommandError(str(error)) from None
        try:
            write_drafts(instances, folder)
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise CommandError(f"The tasks cannot be written: {error}.") from None
        for instance, _ in instances:
            self.stdout.write(f"tasks/{instance.slug}: see its {TODO}")
        self.stdout.write(
            f"{len(instances)} drafts written to {folder}. Put the finished ones into "
            "a package with a snapshot.json (docs/task-format.md), then import it."
        )
