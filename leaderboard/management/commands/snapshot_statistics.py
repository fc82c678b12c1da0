"""Prints what a snapshot is made of."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from leaderboard.formats import percent
from leaderboard.kit_names import KitListError
from leaderboard.metrics import rounded
from leaderboard.models import EvaluationSnapshot
from leaderboard.published_checks import differences, failed_checks
from leaderboard.snapshots import (
    PackageError,
    PackageNotHeldError,
    SnapshotLookupError,
    computed_statistics,
    kit_differences,
    package_folder,
    read_package,
    snapshot_by_version,
    write_derived,
)
from leaderboard.statistics import Document

HEADINGS = (
    *("source", "inputs", "F-points", "mean", "repos", "E/M/H"),
    *("length [IQR]", "ref. files", "ref. LOC", "largest %", "top 3 %"),
)


class Command(BaseCommand):
    help = "Print the statistics of a snapshot: Table 2 and Figure 3 of the paper."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("snapshot", help="version, such as demo-0.1 or demo")
        parser.add_argument("--format", choices=["table", "json"], default="table")
        parser.add_argument(
            "--recompute",
            action="store_true",
            help="compute Kits and statistics anew from the package and store them",
        )
        parser.add_argument(
            "--against",
            metavar="VERSION",
            help="compare with the published figures of this snapshot, not its own",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            snapshot = snapshot_by_version(options["snapshot"])
            if options["recompute"]:
                _recompute(snapshot)
            found = snapshot.statistics or computed_statistics(snapshot)
            other = options["against"]
            report = snapshot_by_version(other) if other else snapshot
        except (
            SnapshotLookupError,
            PackageError,
            PackageNotHeldError,
            KitListError,
        ) as error:
            raise CommandError(str(error)) from None
        if options["format"] == "json":
            document = {
                "statistics": found or None,
                "published": report.composition or None,
                "published_faults": failed_checks(report.composition),
                "differences": _differences(report, found),
            }
            self.stdout.write(json.dumps(document, ensure_ascii=False, indent=2))
            return
        for line in (*_lines(snapshot, found), *_report_lines(report, found)):
            self.stdout.write(line)


def _recompute(snapshot: EvaluationSnapshot) -> None:
    package = read_package(package_folder(snapshot))
    with transaction.atomic():
        write_derived(snapshot, package.folder, package.tasks)


def _lines(snapshot: EvaluationSnapshot, found: Document) -> Iterator[str]:
    yield str(snapshot)
    if found:
        rows = [HEADINGS, *(_cells(scope) for scope in found["scopes"])]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for cells in rows:
            yield "  ".join(map(str.ljust, cells, widths)).rstrip()
        yield from _kit_lines(found["kits"])
        for difference in kit_differences(snapshot):
            yield f"Warning: {difference}"
    else:
        yield "Its tasks are not held; nothing can be computed."


def _report_lines(report: EvaluationSnapshot, found: Document) -> Iterator[str]:
    if not report.composition:
        return
    yield "Published figures: " + report.composition.get("source", "")
    yield from failed_checks(report.composition) or ["They agree with each other."]
    if found:
        yield from _differences(report, found) or ["Those computed here are the same."]


def _differences(report: EvaluationSnapshot, found: Document) -> list[str]:
    return differences(report.composition, found) if found else []


def _cells(found: Document) -> tuple[str, ...]:
    inputs, length = found["inputs"], found["input_length"]
    return (
        found["scope"],
        str(inputs),
        str(found["f_points"]),
        str(rounded(Fraction(found["f_points"], inputs))),
        str(found["repositories"]),
        "/".join(str(count) for count in found["difficulty"].values()),
        f"{length['median']:g} [{length['low']:g}-{length['high']:g}]",
        f"{found['reference_files_median']:g}",
        f"{found['reference_lines_median']:g}",
        percent(Fraction(found["largest_repository"]["inputs"], inputs), 1),
        percent(Fraction(found["top3_repositories"]["inputs"], inputs), 1),
    )


def _kit_lines(kits: Document) -> Iterator[str]:
    listed, inputs = kits["list"], kits["inputs"]
    yield f"Kits: {kits['covered']} of {listed['size']} ({listed['source']})"
    if not listed["complete"] and listed["wanted"]:
        yield (
            f"  The benchmark counts against {listed['wanted']} Kits whose list is not "
            "complete here; put kits.json into OHB_BENCHMARK_FACTS."
        )
    yield "  " + ", ".join(f"{name} {n}" for name, n in kits["buckets"].items())
    for each in (*kits["top"], *kits["outside"]):
        share = percent(Fraction(each["inputs"], inputs), 1)
        yield f"  {share:>5} %  {each['inputs']}/{inputs}  {each['kit']}"
