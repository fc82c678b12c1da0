"""Adds a public note to a task that turned out to be wrong."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.errata import note_erratum
from leaderboard.models import EvaluationSnapshot
from leaderboard.snapshots import SnapshotLookupError, snapshot_by_version


class Command(BaseCommand):
    help = (
        "Add a dated, public erratum to a task. The task stays as it is: what must "
        "change goes into a new version of the snapshot."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("version", help="of the snapshot, such as demo-0.1")
        parser.add_argument("slug", help="of the task")
        parser.add_argument("text", help="what is wrong, for the public")

    def handle(
        self, *args: Any, version: str, slug: str, text: str, **options: Any
    ) -> None:
        snapshots = list(EvaluationSnapshot.objects.select_related("benchmark"))
        try:
            snapshot = snapshot_by_version(version, among=snapshots)
        except SnapshotLookupError as error:
            raise CommandError(str(error)) from None
        task = snapshot.tasks.filter(slug=slug).first()
        if task is None:
            known = ", ".join(snapshot.tasks.values_list("slug", flat=True)[:20])
            raise CommandError(
                f"{snapshot} holds no task {slug!r}. It has: {known or 'none'}."
            )
        if not text.strip():
            raise CommandError("An erratum says something: give it a text.")
        note_erratum(task, text.strip())
        self.stdout.write(f"Noted on {task} of {snapshot}.")
