from __future__ import annotations

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from evaluator import foreground
from evaluator.models import JobState
from evaluator.progress import ProgressLines
from submissions.models import Submission

INTERRUPTED = 130


class Command(BaseCommand):
    help = "Evaluate one submission here and now, to the end."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("uuid", type=UUID, help="the submission's uuid")
        parser.add_argument(
            "--slots",
            type=int,
            default=settings.OHB_WORKER_SLOTS,
            help="jobs at the same time (default: OHB_WORKER_SLOTS)",
        )

    def handle(self, *args: Any, uuid: UUID, slots: int, **options: Any) -> None:
        if slots < 1:
            raise CommandError(f"--slots is {slots}. Give 1 or more.")
        submission = Submission.objects.filter(pk=uuid).first()
        if submission is None:
            raise CommandError(
                f"No submission {uuid}. Its uuid is the last word that submit printed."
            )
        name = str(submission.evaluation.configuration)
        with ProgressLines(self.stdout) as progress:
            try:
                done = foreground.evaluate(
                    submission.evaluation,
                    slots=slots,
                    on_progress=lambda counts: progress.show(name, counts),
                )
            except KeyboardInterrupt:
                raise CommandError(
                    "Stopped. The leases were given back; a worker or this command "
                    "goes on from here.",
                    returncode=INTERRUPTED,
                ) from None
        if not done:
            raise CommandError(_left_over(submission))
        self.stdout.write(f"All {submission.job_total} task runs are scored.")


def _left_over(submission: Submission) -> str:
    counts = submission.job_counts
    others = ", ".join(
        f"{count} {state}"
        for state, count in counts.items()
        if count and state != JobState.SCORED
    )
    return (
        f"Only {counts[JobState.SCORED]} of {submission.job_total} task runs are "
        f"scored; {others}. The submission's page tells why: "
        f"{settings.PUBLIC_URL}{submission.get_absolute_url()}"
    )
