from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluator import breaker
from evaluator.errors import NotPossibleError


class Command(BaseCommand):
    help = "Let no worker claim from a pool, for maintenance; running work goes on."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("pool", help="as manage.py doctor and the status page say")
        parser.add_argument("--reason", required=True, help="why; it stays on record")

    def handle(self, *args: Any, pool: str, reason: str, **options: Any) -> None:
        try:
            breaker.pause(pool, reason=reason)
        except NotPossibleError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(
            f"The pool {pool} is paused. manage.py resume_pool {pool} --reason ... "
            "lets it go on."
        )
