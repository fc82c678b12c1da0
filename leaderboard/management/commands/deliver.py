from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import QuerySet

from leaderboard import outbox
from leaderboard.models import OutboxMessage

SHOWN = 50


class Command(BaseCommand):
    help = (
        "Send the mail and webhooks that are due (every worker does it too; this is "
        "for cron). With --dead, list what was given up; with --again, send that anew."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--dead", action="store_true", help="list what was given up, and send none"
        )
        parser.add_argument(
            "--again",
            metavar="KEY",
            help="try a message that was given up anew; its key, or all",
        )
        parser.add_argument("--reason", default="", help="why; goes with --again")

    def handle(
        self, *args: Any, dead: bool, again: str | None, reason: str, **options: Any
    ) -> None:
        if dead:
            self._list(outbox.dead_messages())
            return
        if again is not None:
            self._send_again(again, reason)
        done = outbox.deliver_due()
        left = outbox.waiting()
        self.stdout.write(
            f"{done.sent} sent, {done.failed} failed; "
            f"{left.waiting} waiting, {left.dead} given up."
        )

    def _list(self, dead: QuerySet[OutboxMessage]) -> None:
        for message in dead[:SHOWN]:
            self.stdout.write(f"{message.key}\n  {message.last_error}")
        self.stdout.write(f"{dead.count()} given up.")

    def _send_again(self, key: str, reason: str) -> None:
        if not reason.strip():
            raise CommandError("Say why with --reason TEXT; it stays on record.")
        dead = outbox.dead_messages()
        if key != "all":
            dead = dead.filter(key=key)
        if not outbox.send_again(dead, reason=reason):
            raise CommandError(
                f"No message {key!r} was given up. `manage.py deliver --dead` lists "
                "those that were."
            )
