"""Prints the values that a seed gives the checks of a task."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.check_values import drawn_record
from leaderboard.models import Task
from leaderboard.snapshots import (
    PackageNotHeldError,
    SnapshotLookupError,
    snapshot_by_version,
    task_folder,
)


class Command(BaseCommand):
    help = (
        "Print what was drawn for the checks of a task run, from the seed on its "
        "record (checks/values.json)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("version", help="version, such as v1.1")
        parser.add_argument("task", help="slug of the task")
        parser.add_argument("--seed", required=True, help="as the record has it")

    def handle(
        self, *args: Any, version: str, task: str, seed: str, **options: Any
    ) -> None:
        try:
            found = snapshot_by_version(version).tasks.get(slug=task)
            checks = task_folder(found) / "checks"
        except (SnapshotLookupError, PackageNotHeldError) as error:
            raise CommandError(str(error)) from None
        except Task.DoesNotExist:
            raise CommandError(
                f"{version} has no task {task!r}; /tasks/ lists them."
            ) from None
        cases = dict.fromkeys(found.f_points.values_list("case", flat=True))
        drawn = drawn_record(checks, cases, seed=seed)
        if not drawn:
            raise CommandError(f"The checks of {task} draw no values.")
        self.stdout.write(json.dumps(drawn, indent=2))
