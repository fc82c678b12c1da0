"""Loads the published figures of v1.0, and of other benchmarks."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from leaderboard import shelf
from leaderboard.models import record
from leaderboard.passing.published import load_guests
from leaderboard.published import PublishedFiguresError, load_published
from leaderboard.ranking.renewal import renew

DEFAULT_FOLDER = settings.BASE_DIR / "fixtures" / "published"


class Command(BaseCommand):
    help = (
        "Load the published v1.0 results and those of other benchmarks. Loading them "
        "again changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "folder",
            nargs="?",
            type=Path,
            default=DEFAULT_FOLDER,
            help="folder of the published figures (fixtures/published)",
        )

    def handle(self, *args: Any, folder: Path, **options: Any) -> None:
        try:
            with transaction.atomic():
                every = [load_published(folder), *load_guests(folder)]
                for loaded in every:
                    if loaded.created_count:
                        created = {"evaluations": loaded.created_count}
                        record("load published", loaded.snapshot, after=created)
        except PublishedFiguresError as error:
            raise CommandError(str(error)) from None
        renew()
        shelf.prepare()
        for loaded in every:
            self.stdout.write(
                f"{loaded.snapshot}: {loaded.evaluation_count} published evaluations, "
                f"{loaded.created_count} of them new."
            )
