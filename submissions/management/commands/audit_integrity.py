from __future__ import annotations

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from submissions.integrity import scan
from submissions.integrity.summary import signals_of
from submissions.models import Submission


class Command(BaseCommand):
    help = (
        "Look through the trajectories and patches of a submission for signs of "
        "cheating and print what was seen. Verdicts of curators stay."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("uuid", help="uuid of the submission")

    def handle(self, *args: Any, uuid: str, **options: Any) -> None:
        submission = _submission(uuid)
        done = scan.look_at(submission)
        if done is None:
            raise CommandError(
                "Another process is looking through this submission now. Wait for it; "
                f"one that has died is given up after {scan.GIVEN_UP_AFTER}."
            )
        if done.trouble:
            raise CommandError(
                f"It could not be looked through: {done.trouble} The log has more."
            )
        summary = signals_of(submission)
        for group in summary.groups:
            self.stdout.write(f"{group.code}: {group.label}")
            for row in group.signals:
                signal = row.signal
                place = f"run {signal.run_number}, {signal.task}, {signal.file}"
                if signal.position is not None:
                    place += f":{signal.position}"
                decision = f" [{row.decision}]" if row.decision else ""
                self.stdout.write(
                    f"  {signal.score:.1f} {signal.severity} {place}: "
                    f"{signal.seen}{decision}"
                )
        self.stdout.write(f"{summary.total} signals, {summary.open_count} open")


def _submission(text: str) -> Submission:
    try:
        found = Submission.objects.filter(pk=UUID(text)).first()
    except ValueError:
        found = None
    if found is None:
        raise CommandError(
            f"No submission {text!r}. The page of a submission tells its uuid, and its "
            "address ends in it."
        )
    return found
