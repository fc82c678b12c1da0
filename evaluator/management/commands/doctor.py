from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from evaluator.doctor import words
from evaluator.doctor.choice import chosen_task, chosen_toolchain, has_builder
from evaluator.doctor.meeting import Step, build_only, meet
from evaluator.doctor.report import examine
from evaluator.errors import NotPossibleError
from evaluator.toolchains.registry import ToolchainMissingError
from leaderboard.snapshots import SnapshotLookupError


class Command(BaseCommand):
    help = (
        "Report what this machine can do as a worker: tools, devices, snapshots, "
        "sandbox, disk and outbox. The exit code tells whether it is ready."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--sandbox", action="store_true", help="run the probes of the sandbox"
        )
        parser.add_argument(
            "--json", action="store_true", dest="as_json", help="print one JSON object"
        )
        parser.add_argument(
            "--first-meeting",
            action="store_true",
            help="take a reference solution through build, installation and checks",
        )
        parser.add_argument(
            "--snapshot", default="demo", help="whose task is taken; default: demo"
        )
        parser.add_argument("--task", default="", help="slug; default: the first one")
        parser.add_argument(
            "--package",
            type=Path,
            help="HAP of the reference, for a worker that cannot build",
        )

    def handle(
        self,
        *args: Any,
        sandbox: bool,
        as_json: bool,
        first_meeting: bool,
        snapshot: str,
        task: str,
        package: Path | None,
        **options: Any,
    ) -> None:
        try:
            report = examine(probes=sandbox)
        except DatabaseError as error:
            raise CommandError(
                f"The database does not answer as it should: {error}. Is DATABASE_URL "
                "right? After an upgrade run `manage.py migrate`."
            ) from None
        steps: list[Step] = []
        if not as_json:
            for line in words.of_report(report):
                self.stdout.write(line)
        if first_meeting:
            steps = self._meet(snapshot, task, package, quiet=as_json)
        faults = [*report.faults, *(words.fault(step) for step in steps if not step.ok)]
        if as_json:
            self._print(report.as_json(), steps, faults)
        if faults:
            raise CommandError("Not ready:\n  " + "\n  ".join(faults))
        if not as_json:
            self.stdout.write("Ready.")

    def _meet(
        self, snapshot: str, slug: str, package: Path | None, *, quiet: bool
    ) -> list[Step]:
        try:
            task = chosen_task(snapshot, slug)
            toolchain, devices = chosen_toolchain(task.snapshot)
        except (
            NotPossibleError,
            SnapshotLookupError,
            ToolchainMissingError,
        ) as error:
            raise CommandError(str(error)) from None
        if package is not None and not package.is_file():
            raise CommandError(f"{package} is no file.")
        steps: list[Step] = []

        def tell(step: Step) -> None:
            steps.append(step)
            if not quiet:
                self.stdout.write(words.of_step(step))
                self.stdout.flush()

        if not devices:
            build_only(task, toolchain, tell)
        else:
            meet(task, toolchain, tell, builds=has_builder(), package=package)
        return steps

    def _print(
        self, report: dict[str, Any], steps: list[Step], faults: list[str]
    ) -> None:
        report["first_meeting"] = [asdict(step) for step in steps]
        report["faults"] = faults
        report["ready"] = not faults
        self.stdout.write(json.dumps(report, indent=2, default=str))
