"""Recomputes the stored totals from the raw rows."""

from __future__ import annotations

from argparse import ArgumentParser
from itertools import groupby
from operator import attrgetter
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from leaderboard.models import Evaluation, record
from leaderboard.recount import Difference, differences, rewrite
from leaderboard.totals_errors import TotalsError


class Command(BaseCommand):
    help = (
        "Compare the stored totals with the raw rows. The exit code is 1 if any "
        "figure differs, unless --fix put all of them right."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--fix",
            action="store_true",
            help="write the totals again where they differ",
        )

    def handle(self, *args: Any, fix: bool, **options: Any) -> None:
        left = 0
        for pk, group in groupby(differences(), key=attrgetter("evaluation")):
            found = list(group)
            for difference in found:
                self.stdout.write(str(difference))
            if fix:
                found = self._fixed(Evaluation.objects.get(pk=pk), found)
            left += len(found)
        if left:
            raise CommandError(
                f"{left} figures differ. "
                + (
                    "They cannot be put right from the raw rows."
                    if fix
                    else "Look into the cause, then run recount --fix."
                ),
                returncode=1,
            )
        count = Evaluation.objects.count()
        self.stdout.write(f"{count} evaluations agree with their raw rows.")

    def _fixed(
        self, evaluation: Evaluation, found: list[Difference]
    ) -> list[Difference]:
        """Write the totals again and return what differs even then."""
        try:
            with transaction.atomic():
                rewrite(evaluation)
                record(
                    "recount",
                    evaluation,
                    before={"differences": [str(each) for each in found]},
                )
        except TotalsError as error:
            self.stdout.write(str(error))
        return list(differences(evaluation))
