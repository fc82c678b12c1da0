from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.models import Evaluation
from submissions.failures import labelling


class Command(BaseCommand):
    help = (
        "Look again for the reasons of failed task runs, in every evaluation or in "
        "one. Labels of reviewers stay, and no figure changes."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--evaluation", type=int, help="number of the evaluation; all without it"
        )
        parser.add_argument(
            "--due",
            action="store_true",
            help="only runs that the rules of this version have not looked at",
        )

    def handle(
        self,
        *args: Any,
        evaluation: int | None,
        due: bool,
        **options: Any,
    ) -> None:
        runs = labelling.due() if due else labelling.labelled()
        if evaluation is not None:
            if not Evaluation.objects.filter(pk=evaluation).exists():
                raise CommandError(
                    f"There is no evaluation {evaluation}. Its page has the number "
                    "in its address."
                )
            runs = runs.filter(evaluation=evaluation)
        written = looked_at = 0
        for run in runs.iterator():
            written += labelling.label(run)
            looked_at += 1
        self.stdout.write(f"Looked at {looked_at} runs; {written} labels changed.")
