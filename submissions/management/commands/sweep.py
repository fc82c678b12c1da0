from __future__ import annotations

from argparse import ArgumentParser
from collections import Counter
from typing import Any

from django.core.management.base import BaseCommand

from submissions.retention.sweep import sweep


class Command(BaseCommand):
    help = (
        "Free storage: expired uploads, leftovers of killed processes, old logs of "
        "results that are not public, messages sent long ago, and stored bytes that "
        "nothing refers to. Nothing that a public evaluation lists is touched."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--dry-run", action="store_true", help="only print what would go"
        )

    def handle(self, *args: Any, dry_run: bool, **options: Any) -> None:
        counts: Counter[str] = Counter()
        sizes: Counter[str] = Counter()
        for what, name, size in sweep(dry_run=dry_run):
            counts[what] += 1
            sizes[what] += size
            self.stdout.write(f"{what}: {name} ({size} bytes)")
        for what in sorted(counts):
            self.stdout.write(f"{counts[what]} x {what}, {sizes[what]} bytes")
        if not counts:
            self.stdout.write("nothing to remove")
        elif dry_run:
            self.stdout.write("nothing was removed (--dry-run)")
