from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from evaluator.admission import admit, prove_again
from evaluator.progress import ProgressLines
from leaderboard.curation import CurationError
from leaderboard.models import UNLISTED
from leaderboard.snapshots import snapshot_by_version


class Command(BaseCommand):
    help = (
        "Prove a snapshot (no-op 0 %, reference 100 % twice, each wrong patch fails) "
        "and open it, if two curators approved each task."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("version", help="version, such as demo-0.1 or demo")
        parser.add_argument(
            "--again",
            default="",
            metavar="REASON",
            help="set the proofs so far aside and prove anew; the reason is on record",
        )

    def handle(self, *args: Any, version: str, again: str, **options: Any) -> None:
        try:
            snapshot = snapshot_by_version(version)
        except LookupError as error:
            raise CommandError(str(error)) from None
        if snapshot.status not in UNLISTED:
            self.stdout.write(
                f"{snapshot.version} is {snapshot.status} already: no-op "
                f"{snapshot.floor_completed}, reference {snapshot.ceiling_completed} "
                f"of {snapshot.tasks.count()} tasks."
            )
            return
        try:
            if again:
                prove_again(snapshot, reason=again)
            with ProgressLines(self.stdout) as progress:
                admission = admit(
                    snapshot, slots=settings.OHB_WORKER_SLOTS, on_progress=progress.show
                )
        except CurationError as error:
            raise CommandError(str(error)) from None
        n = admission.task_count
        self.stdout.write(
            f"No-op baseline: {admission.floor_completed} of {n} tasks completed. "
            f"Reference solution: {admission.ceiling_completed} of {n}. "
            f"Wrong patches: {admission.wrong_found} of {admission.wrong_count} fail."
        )
        if admission.faults:
            raise CommandError(
                f"{snapshot.version} stays closed:\n  " + "\n  ".join(admission.faults)
            )
        self.stdout.write(f"{snapshot.version} is open for submissions.")
