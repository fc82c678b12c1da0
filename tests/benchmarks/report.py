"""``make bench``: measures on databases of its own and prints tables in Markdown.

The goals come first, with what was measured. ``make bench ARGS=--write`` writes all of
it into docs/performance.md; ``--sizes 8,100`` chooses the sizes. PostgreSQL is measured
where OHB_TEST_POSTGRESQL_URL names a server.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import django
import psycopg
from django.core.management import call_command
from django.db import connection

from tests.benchmarks.goals import Found, of_reading, of_writing, table

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENT = ROOT / "docs" / "performance.md"
SIZES = (8, 100, 1_000, 10_000)
PARTS = ("pages", "writing", "packages")
_GOALS = "goals.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument(
        "--results", type=int, default=1_000, help="evaluations with results to write"
    )
    parser.add_argument(
        "--megabytes", type=int, default=60, help="size of the synthetic package"
    )
    parser.add_argument("--only", choices=PARTS, help="measure one part of it")
    parser.add_argument("--write", action="store_true", help=f"write {DOCUMENT.name}")
    parser.add_argument("--database", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.database:
        sys.stdout.write(_table(options))
        return
    if options.write and options.only:
        parser.error("--write puts all tables into the document: leave out --only.")
    parts = [options.only] if options.only else PARTS
    measured = {
        name: [_in_a_process(server, part) for part in parts]
        for name, server in _databases()
    }
    text = _report(measured)
    sys.stdout.write(text)
    if options.write:
        _write(text)


def _databases() -> list[tuple[str, str]]:
    found = [("SQLite", "sqlite")]
    if url := os.environ.get("OHB_TEST_POSTGRESQL_URL"):
        found.append(("PostgreSQL", url))
    return found


class Measured(NamedTuple):
    """A table in Markdown, and the goals that its figures tell something of."""

    table: str
    goals: Sequence[Found]


def _report(measured: Mapping[str, Sequence[Measured]]) -> str:
    """The goals on all databases, then the tables of each."""
    goals = {
        name: [goal for part in parts for goal in part.goals]
        for name, parts in measured.items()
    }
    by_database = (
        "\n".join([f"### {name}\n", *(part.table for part in parts)])
        for name, parts in measured.items()
    )
    return "\n".join([f"### Goals\n\n{table(goals)}", *by_database])


def _in_a_process(server: str, part: str) -> Measured:
    """One part, measured on a database and by a process of its own."""
    with (
        tempfile.TemporaryDirectory(prefix="ohb-bench-") as folder,
        _new_database(server, Path(folder)) as url,
    ):
        done = subprocess.run(
            [
                *[sys.executable, "-m", "tests.benchmarks.report"],
                *[*sys.argv[1:], "--database", url, "--only", part],
            ],
            cwd=ROOT,
            env={
                **os.environ,
                "DJANGO_SETTINGS_MODULE": "tests.benchmarks.settings",
                "DATABASE_URL": url,
                "OHB_DATA_DIR": folder,
                "OHB_SECRET_KEY": "measured",
                "OHB_PAGE_CACHE": "1",
                "OHB_DEBUG": "0",
            },
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        goals = json.loads(Path(folder, _GOALS).read_text("utf-8"))
    return Measured(done.stdout, [Found(*goal) for goal in goals])


@contextmanager
def _new_database(server: str, folder: Path) -> Iterator[str]:
    if server == "sqlite":
        yield f"sqlite:///{folder / 'ohb.sqlite3'}"
        return
    name = f"ohb_bench_{os.getpid()}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        try:
            yield f"{server.rpartition('/')[0]}/{name}"
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def _table(options: argparse.Namespace) -> str:
    django.setup()
    call_command("migrate", verbosity=0)
    lines = {"pages": _pages, "writing": _writing, "packages": _packages}
    goals: list[Found] = []
    text = "\n".join(lines[options.only](options, goals)) + "\n"
    # Beside the database, from where the process that puts it together takes them.
    Path(os.environ["OHB_DATA_DIR"], _GOALS).write_text(json.dumps(goals), "utf-8")
    return text


def _pages(options: argparse.Namespace, goals: list[Found]) -> Iterator[str]:
    from leaderboard.models import EvaluationSnapshot, SnapshotStatus
    from tests.benchmarks import data, pages

    call_command("collectstatic", interactive=False, verbosity=0)
    yield (
        "| evaluations | request | CPU ms | x constant | requests/s | queries "
        "| kB sent |"
    )
    yield "|---|---|---|---|---|---|---|"
    timings: dict[int, list[pages.Timing]] = {}
    for size in map(int, options.sizes.split(",")):
        version = f"size-{size}"
        # One snapshot at a time, or the worker would see to the earlier ones too.
        EvaluationSnapshot.objects.update(status=SnapshotStatus.DRAFT)
        data.evaluations(data.snapshot(version), size)
        of = timings.setdefault(size, [])
        for found in pages.timings(version, row_count=size, rounds=options.rounds):
            of.append(found)
            rate = "" if found.per_second is None else f"{found.per_second:,.0f}"
            yield (
                f"| {size:,} | {found.what} | {found.milliseconds:.2f} | "
                f"{found.ratio:.1f} | {rate} | {found.queries} | "
                f"{found.kilobytes:.1f} |"
            )
    goals += of_reading(timings)


def _writing(options: argparse.Namespace, goals: list[Found]) -> Iterator[str]:
    from tests.benchmarks import ingest

    yield "| work | ms | rows | rows/s |"
    yield "|---|---|---|---|"
    costs = []
    for found in ingest.costs(evaluation_count=options.results):
        costs.append(found)
        yield (
            f"| {found.what} | {found.milliseconds:.1f} | {found.count:,} | "
            f"{found.per_second:,.0f} |"
        )
    goals += of_writing(costs, vendor=connection.vendor)


def _packages(options: argparse.Namespace, _goals: list[Found]) -> Iterator[str]:
    from tests.benchmarks import packages

    call_command("collectstatic", interactive=False, verbosity=0)
    folder = Path(os.environ["OHB_DATA_DIR"], "measured")
    yield "| 153 tasks | ms | queries | kB sent |"
    yield "|---|---|---|---|"
    for found in packages.costs(
        folder, megabytes=options.megabytes, rounds=options.rounds
    ):
        pages = ["", ""]
        if found.kilobytes is not None:
            pages = [str(found.queries), f"{found.kilobytes:.1f}"]
        yield f"| {found.what} | {found.milliseconds:,.1f} | {' | '.join(pages)} |"


def _write(text: str) -> None:
    """Put the tables between the marks of the document."""
    machine = (
        f"{datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}, Django {django.__version__}."
    )
    document = DOCUMENT.read_text("utf-8")
    begin, end = "<!-- measured -->\n", "<!-- /measured -->"
    head, _, rest = document.partition(begin)
    _, _, tail = rest.partition(end)
    DOCUMENT.write_text(f"{head}{begin}\n{machine}\n\n{text}\n{end}{tail}", "utf-8")


if __name__ == "__main__":
    main()
