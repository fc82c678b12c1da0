"""Downloading the artifacts of an evaluation."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import click
import httpx
from rich.progress import BarColumn, DownloadColumn, TextColumn

from submissions.cli.client import Server
from submissions.cli.errors import CliError, ExitCode, usage_error
from submissions.cli.options import PATH, connected, server_options, settings
from submissions.cli.output import quiet_progress, say
from submissions.cli.unpack import CHUNK_BYTES, unpack

_PAGE = re.compile(r"(?:/[a-z-]+)?/e/(?P<id>[0-9]+)/.*")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@click.command()
@click.argument("evaluation")
@click.option("--run", type=click.IntRange(1, 99), help="One run; without it, all.")
@click.option(
    "--out", type=PATH, required=True, help="The folder to make, with run-<n> in it."
)
@server_options
def download(
    evaluation: str,
    *,
    run: int | None,
    out: Path,
    server: str | None,
    config_file: Path | None,
) -> None:
    """Download the artifacts of EVALUATION and compare every file with its checksum.

    EVALUATION is its number, the address of its page, or the UUID of your submission.
    """
    with connected(settings(server, config_file)) as connection:
        number = _number(connection, evaluation)
        runs = _runs(connection, number, run)
        for each in runs:
            target = out / f"run-{each['number']}"
            if target.exists():
                raise usage_error(f"{target} exists already. Name another folder.")
        for each in runs:
            _fetch(connection, each, out)


def _number(connection: Server, text: str) -> int:
    if text.isdecimal():
        return int(text)
    if _UUID.fullmatch(text):
        found = connection.get(f"/submissions/{text}/")
        text = str(found["evaluation_url"])
    page = _PAGE.fullmatch(urlsplit(text).path)
    if page is None:
        raise usage_error(
            f"{text!r} is no evaluation. Give its number, the address of its page, or "
            "the UUID of your submission."
        )
    return int(page["id"])


def _runs(connection: Server, number: int, run: int | None) -> list[dict[str, Any]]:
    rows = connection.rows(f"/evaluations/{number}/runs/")
    runs = [row for row in rows if run in (None, row["number"])]
    if not runs:
        there = ", ".join(str(row["number"]) for row in rows)
        raise CliError(
            f"Evaluation {number} has no run {run}; it has {there}."
            if rows
            else f"Evaluation {number} has no runs with artifacts here.",
            ExitCode.NOT_FOUND,
        )
    return runs


def _fetch(connection: Server, run: dict[str, Any], out: Path) -> None:
    """Download one run beside its place, check it, and move it when it is right."""
    out.mkdir(parents=True, exist_ok=True)
    target = out / f"run-{run['number']}"
    with TemporaryDirectory(prefix=".ohbench-", dir=out) as folder:
        archive, unpacked = Path(folder, "run.zip"), Path(folder, "files")
        with connection.download(f"/api/v1/runs/{run['id']}/artifacts.zip") as answer:
            _save(answer, archive, f"run {run['number']}")
        count = unpack(archive, unpacked)
        shutil.move(unpacked, target)
    say(f"{target}: {count} files, all as in SHA256SUMS.")


def _save(answer: httpx.Response, archive: Path, label: str) -> None:
    length = answer.headers.get("Content-Length", "")
    total = int(length) if length.isdecimal() else None
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with quiet_progress(*columns) as progress:
        task = progress.add_task(label, total=total)
        with archive.open("xb") as sink:
            for chunk in answer.iter_bytes(CHUNK_BYTES):
                sink.write(chunk)
                progress.advance(task, len(chunk))
