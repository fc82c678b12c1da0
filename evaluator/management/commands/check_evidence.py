from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluator import evidence
from evaluator.models import Job
from leaderboard.models import Evaluation


class Command(BaseCommand):
    help = (
        "Check every task run against the evidence of its attempts: reports, facts, "
        "artifacts and verdicts. The exit code is 1 if anything contradicts it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--evaluation", type=int, help="only this evaluation")

    def handle(self, *args: Any, evaluation: int | None, **options: Any) -> None:
        jobs = Job.objects.order_by("pk").select_related("task")
        if evaluation is not None:
            if not Evaluation.objects.filter(pk=evaluation).exists():
                raise CommandError(
                    f"No evaluation {evaluation}. Its page's address has the number."
                )
            jobs = jobs.filter(evaluation=evaluation)
        checked = contradictions = 0
        for job in jobs.iterator():
            checked += 1
            for fault in evidence.faults(job):
                contradictions += 1
                self.stdout.write(fault)
        if contradictions:
            noun = "contradiction" if contradictions == 1 else "contradictions"
            raise CommandError(
                f"{contradictions} {noun}. Somebody or something changed these rows "
                "after they were reported; the audit trail and backups tell more.",
                returncode=1,
            )
        self.stdout.write(f"{checked} task runs agree with their evidence.")
