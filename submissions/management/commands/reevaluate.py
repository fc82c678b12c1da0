"""Evaluates old submissions on another snapshot."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError

from evaluator.errors import NotPossibleError
from leaderboard.snapshots import SnapshotLookupError, snapshot_by_version
from submissions.models import Submission
from submissions.reevaluation import reevaluate


class Command(BaseCommand):
    help = (
        "Evaluate submissions once more on another snapshot, as rows of their own "
        "beside the old ones. For patches, statements and base projects must be the "
        "same; the agent of a configuration runs anew."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("snapshot", help="version to evaluate on, such as v1.1")
        parser.add_argument("uuid", type=UUID, nargs="+", help="of each submission")
        parser.add_argument("--reason", required=True, help="why; shown to the public")
        parser.add_argument("--user", required=True, help="name of the maintainer")

    def handle(
        self,
        *args: Any,
        snapshot: str,
        uuid: list[UUID],
        reason: str,
        user: str,
        **options: Any,
    ) -> None:
        try:
            target = snapshot_by_version(snapshot)
        except SnapshotLookupError as error:
            raise CommandError(str(error)) from None
        by = User.objects.filter(username=user).first()
        if by is None:
            raise CommandError(f"There is no user {user!r}.")
        refused = []
        for each in uuid:
            found = Submission.objects.filter(pk=each).first()
            try:
                if found is None:
                    raise NotPossibleError("There is no such submission.")
                again = reevaluate(found, target, by=by, reason=reason)
            except (NotPossibleError, PermissionDenied) as error:
                refused.append(f"{each}: {error}")
            else:
                self.stdout.write(f"{each}: queued on {target} as {again.pk}")
        if refused:
            raise CommandError("\n".join(refused))
