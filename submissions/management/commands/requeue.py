from __future__ import annotations

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from evaluator import reruns
from evaluator.errors import NotPossibleError
from leaderboard.models import Evaluation
from submissions.models import Submission


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
        evaluation = _evaluation(what)
        try:
            found = reruns.requeue(
                evaluation, by=_user(user), reason=reason, task=task, run=run
            )
        except NotPossibleError as error:
            raise CommandError(str(error)) from None
        for job in found:
            self.stdout.write(f"queued again: run {job.run.number}, {job.task.slug}")


def _evaluation(what: str) -> Evaluation:
    if what.isdecimal():
        found = Evaluation.objects.filter(pk=int(what)).first()
    else:
        submission = Submission.objects.filter(pk=_uuid(what)).first()
        found = submission.evaluation if submission else None
    if found is None:
        raise CommandError(
            f"No submission or evaluation {what}. The page of a submission tells its "
            "uuid, and its address ends in it."
        )
    return found


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise CommandError(
            f"{text!r} is neither the uuid of a submission nor the number of an "
            "evaluation."
        ) from None


def _user(name: str | None) -> User | None:
    if name is None:
        return None
    found = get_user_model().objects.filter(username=name, is_staff=True).first()
    if found is None:
        staff = get_user_model().objects.filter(is_staff=True).order_by("username")
        known = ", ".join(staff.values_list("username", flat=True)[:20])
        raise CommandError(f"No maintainer {name!r}. Known: {known or 'none'}.")
    return found
