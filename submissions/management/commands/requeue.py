from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluator import reruns
from evaluator.errors import NotPossibleError
from submissions.acting import evaluation_of, maintainer


class Command(BaseCommand):
    help = (
        "Run task runs again that trouble of ours has stopped: all of a submission, or "
        "one. The reason stays on record; the old attempts stay visible."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "what", help="uuid of a submission, or number of an evaluation (baselines)"
        )
        parser.add_argument("--task", help="slug of one task; goes with --run")
        parser.add_argument("--run", type=int, help="number of its run")
        parser.add_argument("--reason", required=True, help="why; shown to the public")
        parser.add_argument("--user", help="name of the acting user, for the record")

    def handle(
        self,
        *args: Any,
        what: str,
        task: str | None,
        run: int | None,
        reason: str,
        user: str | None,
        **options: Any,
    ) -> None:
        if (task is None) != (run is None):
            raise CommandError(
                "--task and --run go together: they name one task run. Give both, or "
                "neither to run all stuck ones again."
            )
        evaluation = evaluation_of(what)
        by = None if user is None else maintainer(user)
        try:
            found = reruns.requeue(evaluation, by=by, reason=reason, task=task, run=run)
        except NotPossibleError as error:
            raise CommandError(str(error)) from None
        for job in found:
            self.stdout.write(f"queued again: run {job.run.number}, {job.task.slug}")
