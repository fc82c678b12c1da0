"""Scores an evaluation by pass rate without its stuck task runs."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluator.errors import NotPossibleError
from evaluator.incomplete import leave_incomplete
from submissions.acting import evaluation_of, maintainer


class Command(BaseCommand):
    help = (
        "Leave the stuck task runs of an evaluation incomplete: they count in neither "
        "rate, and their number stands beside them. For benchmarks that rank by pass "
        "rate only."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "what", help="uuid of a submission, or number of an evaluation"
        )
        parser.add_argument("--reason", required=True, help="why; shown to the public")
        parser.add_argument("--user", required=True, help="name of the maintainer")

    def handle(
        self, *args: Any, what: str, reason: str, user: str, **options: Any
    ) -> None:
        evaluation = evaluation_of(what)
        try:
            count = leave_incomplete(evaluation, by=maintainer(user), reason=reason)
        except NotPossibleError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"evaluation {evaluation.pk}: {count} task runs incomplete")
