"""Prints the standings of one snapshot."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.exports import standings_as_csv, standings_as_dict
from leaderboard.metrics import Scope, rounded
from leaderboard.passing.printed import printed_table
from leaderboard.passing.standings import is_by_pass_rate
from leaderboard.plain_table import aligned, printable
from leaderboard.snapshots import (
    ScopeLookupError,
    SnapshotLookupError,
    scope_by_name,
    snapshot_by_version,
)
from leaderboard.standings import Standings, StandingsRow, standings

HEADINGS = (
    "rank",
    "span",
    "lead",
    "model",
    "completed",
    "mean %",
    "min %",
    "max %",
    "first build %",
    "final build %",
    "M tokens/task",
    "s/task",
    "provenance",
)
LEFT = {"model", "provenance"}


class Command(BaseCommand):
    help = "Print the standings of one snapshot and task source."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--snapshot",
            required=True,
            help="version, such as v1.0, demo or android-bench/1.0",
        )
        parser.add_argument(
            "--source",
            default=Scope.OVERALL.value,
            help=f"{', '.join(Scope)}, or a stream of a benchmark by pass rate",
        )
        parser.add_argument(
            "--format", choices=["json", "csv", "table"], default="table"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            snapshot = snapshot_by_version(options["snapshot"])
            if is_by_pass_rate(snapshot):
                text = printed_table(snapshot, options["source"], options["format"])
                self.stdout.write(text)
                return
            scope = scope_by_name(options["source"], snapshot=snapshot)
        except (SnapshotLookupError, ScopeLookupError) as error:
            raise CommandError(str(error)) from None
        table = standings(snapshot, scope)
        match options["format"]:
            case "json":
                text = json.dumps(
                    standings_as_dict(table), ensure_ascii=False, indent=2
                )
            case "csv":
                text = standings_as_csv(table).removesuffix("\n")
            case _:
                text = "\n".join(_lines(table))
        self.stdout.write(text)


def _lines(table: Standings) -> Iterator[str]:
    rows = [_cells(row) for row in (*table.rows, *table.unranked)]
    yield f"{table.snapshot}, {table.scope.value}"
    yield from aligned(HEADINGS, rows, left=LEFT)
    if not rows:
        yield "No evaluation is public yet."


def _cells(row: StandingsRow) -> tuple[str, ...]:
    found = row.in_scope
    completion = found.task_completion
    tokens = found.tokens_per_task
    return (
        row.rank_label or "-",
        f"{row.rank_span[0]}-{row.rank_span[1]}" if row.rank_span else "-",
        "*" if row.leading_group else "",
        printable(row.evaluation.configuration.model),
        f"{found.completed_count}/{found.task_runs}",
        _percent(completion.mean),
        _percent(completion.low),
        _percent(completion.high),
        _percent(found.first_build),
        _percent(found.final_build),
        _number(None if tokens is None else tokens / 1_000_000, 2),
        _number(found.seconds_per_task, 1),
        row.evaluation.provenance,
    )


def _percent(rate: Fraction | None) -> str:
    return _number(None if rate is None else rate * 100, 2)


def _number(value: Fraction | None, digits: int) -> str:
    return "not reported" if value is None else str(rounded(value, digits))
