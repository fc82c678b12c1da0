"""``make bench``: measures on databases of its own and prints tables in Markdown.

``ARGS="--sizes 8,100 --write" make bench`` chooses the sizes and writes the tables
into docs/performance.md. PostgreSQL is measured where OHB_TEST_POSTGRESQL_URL names a
server.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import django
import psycopg
from django.core.management import call_command

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENT = ROOT / "docs" / "performance.md"
SIZES = (8, 100, 1_000, 10_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--ingest", type=int, default=20, help="evaluations to ingest")
    parser.add_argument("--write", action="store_true", help=f"write {DOCUMENT.name}")
    parser.add_argument("--database", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.database:
        sys.stdout.write(_tables(options))
        return
    text = "\n".join(_measured(name, url) for name, url in _databases())
    sys.stdout.write(text)
    if options.write:
        _write(text)


def _databases() -> list[tuple[str, str]]:
    found = [("SQLite", "sqlite")]
    if url := os.environ.get("OHB_TEST_POSTGRESQL_URL"):
        found.append(("PostgreSQL", url))
    return found


def _measured(name: str, server: str) -> str:
    """The tables of one database, measured by a process of its own."""
    with (
        tempfile.TemporaryDirectory(prefix="ohb-bench-") as folder,
        _new_database(server, Path(folder)) as url,
    ):
        done = subprocess.run(
            [
                *[sys.executable, "-m", "tests.benchmarks.report"],
                *[*sys.argv[1:], "--database", url],
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
    return f"### {name}\n\n{done.stdout}"


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


def _tables(options: argparse.Namespace) -> str:
    django.setup()
    from tests.benchmarks import data, ingest, pages

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    lines = [
        "| evaluations | request | CPU ms | x constant | queries | kB sent |",
        "|---|---|---|---|---|---|",
    ]
    for size in map(int, options.sizes.split(",")):
        version = f"size-{size}"
        data.evaluations(data.snapshot(version), size)
        lines += [
            f"| {size:,} | {found.what} | {found.milliseconds:.2f} | "
            f"{found.ratio:.1f} | {found.queries} | {found.kilobytes:.1f} |"
            for found in pages.timings(version, rounds=options.rounds)
        ]
    lines += ["", "| work | ms | rows | rows/s |", "|---|---|---|---|"]
    snapshot = data.snapshot("ingested")
    lines += [
        f"| {found.what} | {found.milliseconds:.1f} | {found.count:,} | "
        f"{found.count / found.milliseconds * 1000:,.0f} |"
        for found in ingest.costs(snapshot, evaluation_count=options.ingest)
    ]
    return "\n".join(lines) + "\n"


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
