from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from submissions.integrity.catalogue import Code
from submissions.integrity.labelled import LabelledError, Report, report_on


class Command(BaseCommand):
    help = (
        "Look through labelled cases with the integrity rules: recall on planted "
        "incidents, false alarms on clean cases and on the reference patches of a "
        "snapshot package. Fails where anything is missed or falsely told."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        root = Path(settings.BASE_DIR)
        parser.add_argument(
            "folder",
            nargs="?",
            default=str(root / "tests" / "fixtures" / "integrity"),
            help="holds task/ and cases/*.json (default: the project's own set)",
        )
        parser.add_argument(
            "--snapshot",
            default=str(root / "fixtures" / "snapshots" / "demo"),
            help="a snapshot package whose references are looked through; '' for none",
        )
        parser.add_argument("--format", choices=["table", "json"], default="table")

    def handle(
        self, *args: Any, folder: str, snapshot: str, format: str, **options: Any
    ) -> None:
        try:
            report = report_on(Path(folder), Path(snapshot) if snapshot else None)
        except (LabelledError, OSError) as error:
            raise CommandError(str(error)) from None
        if format == "json":
            self.stdout.write(json.dumps(_document(report), indent=1))
        else:
            self._table(report)
        if not report.is_good:
            missed, false = len(report.missed), len(report.false_alarms)
            raise CommandError(
                f"{missed} missed, {false} false alarm{'' if false == 1 else 's'}."
            )

    def _table(self, report: Report) -> None:
        self.stdout.write(f"{'incident':24}{'planted':>8}{'seen':>8}")
        for code in Code:
            planted, seen = report.planted[code], report.seen[code]
            self.stdout.write(f"{code:24}{planted:>8}{seen:>8}")
        total, seen = report.planted.total(), report.seen.total()
        self.stdout.write(f"recall {seen} of {total}")
        self.stdout.write(
            f"{report.clean} clean cases, {report.references} reference patches: "
            f"{len(report.false_alarms)} false alarms"
        )
        if report.not_held:
            self.stdout.write(f"{report.not_held} references without a base project")
        for name, code in report.missed:
            self.stdout.write(f"missed: {code} in {name}")
        for name, code in report.false_alarms:
            self.stdout.write(f"false alarm: {code} in {name}")


def _document(report: Report) -> dict[str, Any]:
    return {
        "incidents": [
            {"code": code, "planted": report.planted[code], "seen": report.seen[code]}
            for code in Code
        ],
        "planted": report.planted.total(),
        "recall": {
            "seen": report.seen.total(),
            "planted": report.planted.total(),
        },
        "clean_cases": report.clean,
        "references": report.references,
        "references_not_held": report.not_held,
        "missed": [list(each) for each in report.missed],
        "false_alarms": [list(each) for each in report.false_alarms],
    }
