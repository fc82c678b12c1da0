"""Loads the published figures of v1.0."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from leaderboard.models import record
from leaderboard.published import PublishedFiguresError, load_published

DEFAULT_FOLDER = settings.BASE_DIR / "fixtures" / "published"


class Command(BaseCommand):
    help = "Load the published v1.0 results. Loading them again changes nothing."

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
                loaded = load_published(folder)
                if loaded.created_count:
                    created = {"evaluations": loaded.created_count}
                    record("load published", loaded.snapshot, after=created)
        except PublishedFiguresError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(
            f"{loaded.snapshot}: {loaded.evaluation_count} published evaluations, "
            f"{loaded.created_count} of them new."
        )
