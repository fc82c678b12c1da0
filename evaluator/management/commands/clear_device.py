from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluator import devices
from evaluator.errors import NotPossibleError


class Command(BaseCommand):
    help = "Trust a suspect device again; the act stays on record."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("serial")
        parser.add_argument("--reason", required=True, help="why it is well again")

    def handle(self, *args: Any, serial: str, reason: str, **options: Any) -> None:
        try:
            devices.clear(serial, reason=reason)
        except NotPossibleError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"The device {serial} is trusted again.")
