from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from evaluator import closing, queue


class Command(BaseCommand):
    help = "Take back leases that ran out and close finished runs (beat does it too)."

    def handle(self, *args: Any, **options: Any) -> None:
        freed = queue.reap()
        closing.close_left_open()
        self.stdout.write(f"{len(freed)} jobs queued again.")
