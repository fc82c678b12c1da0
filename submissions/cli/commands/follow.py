"""How far a submission is: once, or until its evaluation ends."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from submissions.cli.client import Server
from submissions.cli.errors import CliError, ExitCode
from submissions.cli.options import connected, server_options, settings, submission_id
from submissions.cli.output import note, print_json, say, stderr
from submissions.cli.standing import standing

_FIRST_WAIT = 1.0
_LONGEST_WAIT = 15.0
_GOING_ON = "evaluating"
_GOOD_ENDS = frozenset({"evaluated", "asked", "embargoed", "published"})
# Told by every line without a terminal, and what makes a line worth it.
_TOLD = ("queue", "estimate", "last sign of life", "tried again")
_TELLING = ("queue", "estimate", "tried again")
_COUNTS = {
    "scored": "scored",
    "running": "running",
    "queued": "queued",
    "waiting_for_a_maintainer": "waiting for a maintainer",
    "cancelled": "cancelled",
}


@click.command()
@click.argument("uuid")
@click.option("--json", "as_json", is_flag=True, help="Print what the API says.")
@server_options
def status(
    uuid: str, *, as_json: bool, server: str | None, config_file: Path | None
) -> None:
    """Print how far the submission UUID is."""
    with connected(settings(server, config_file), needs_token=True) as connection:
        found = connection.get(f"/submissions/{submission_id(uuid)}/")
    if as_json:
        print_json(found)
        return
    say(f"state: {found['state']}")
    for name in ("configuration", "snapshot"):
        say(f"{name}: {found[name]}")
    say(f"task runs: {_in_words(found['task_runs'])}")
    for name, text in _standing(found).items():
        say(f"{name}: {text}")
    if found.get("differing_fields"):
        say(f"not comparable: {', '.join(found['differing_fields'])}")
    say(f"page: {found['url']}")
    say(f"evaluation: {found['evaluation_url']}")


@click.command()
@click.argument("uuid")
@server_options
def watch(uuid: str, *, server: str | None, config_file: Path | None) -> None:
    """Follow the submission UUID with live bars until its evaluation ends.

    Without a terminal it prints a line for every change.
    """
    with connected(settings(server, config_file), needs_token=True) as connection:
        follow(connection, str(submission_id(uuid)))


def follow(connection: Server, uuid: str) -> None:
    """Show every change until the evaluation ends; raise when that is no result."""
    show = _bars if sys.stderr.isatty() else _lines
    last = show(_changes(connection, uuid))
    state = str(last["state"])
    counts = last["task_runs"]
    if state == _GOING_ON:
        raise CliError(
            f"{counts['waiting_for_a_maintainer']} task runs met trouble that is not "
            "yours and wait for a maintainer. Nothing is lost; look again later.",
            ExitCode.NO_RESULT,
        )
    say(f"{state}: {counts['scored']} of {counts['total']} task runs are scored.")
    say(f"evaluation: {last['evaluation_url']}")
    if state not in _GOOD_ENDS:
        raise CliError(f"The submission is {state}.", ExitCode.NO_RESULT)


def _changes(connection: Server, uuid: str) -> Iterator[dict[str, Any]]:
    """The submission each time something in it changed; ends with the evaluation.

    Asks less and less often while nothing happens.
    """
    etag, last, wait = None, None, _FIRST_WAIT
    while True:
        fresh = connection.poll(f"/submissions/{uuid}/", etag)
        etag = fresh.etag
        if fresh.document is None or fresh.document == last:
            wait = min(wait * 1.5, _LONGEST_WAIT)
        else:
            last, wait = fresh.document, _FIRST_WAIT
            yield last
        if last is not None and _ended(last):
            return
        time.sleep(fresh.retry_after or wait)


def _ended(found: Mapping[str, Any]) -> bool:
    counts = found["task_runs"]
    stuck = (
        counts["waiting_for_a_maintainer"]
        and not counts["queued"]
        and not counts["running"]
    )
    return found["state"] != _GOING_ON or bool(stuck)


def _lines(changes: Iterator[dict[str, Any]]) -> dict[str, Any]:
    """A line where something changed; a sign of life alone is not worth one."""
    last: dict[str, Any] = {}
    before: list[str] = []
    for last in changes:
        where = _standing(last)
        head = f"{last['state']}: {_in_words(last['task_runs'])}"
        telling = [head, *(where.get(name, "") for name in _TELLING)]
        if telling != before:
            told = [f"{name}: {where[name]}" for name in _TOLD if name in where]
            note("; ".join([head, *told]))
        before = telling
    return last


def _bars(changes: Iterator[dict[str, Any]]) -> dict[str, Any]:
    last: dict[str, Any] = {}
    columns = (TextColumn("{task.description:<24}"), BarColumn(), MofNCompleteColumn())
    progress = Progress(*columns)
    with Live(progress, console=stderr()) as live:
        tasks = {
            name: progress.add_task(label, total=None, visible=name == "scored")
            for name, label in _COUNTS.items()
        }
        for last in changes:
            counts = last["task_runs"]
            for name, task in tasks.items():
                progress.update(
                    task,
                    total=counts["total"],
                    completed=counts[name],
                    visible=name == "scored" or bool(counts[name]),
                )
            lines = [f"{name}: {text}" for name, text in _standing(last).items()]
            live.update(Group(progress, Text("\n".join(lines), style="dim")))
    stderr().print(Text(f"{last['configuration']} on {last['snapshot']}"))
    return last


def _standing(found: Mapping[str, Any]) -> dict[str, str]:
    return standing(found, now=datetime.now(UTC))


def _in_words(counts: Mapping[str, int]) -> str:
    parts = [
        f"{counts[name]} {label}"
        for name, label in _COUNTS.items()
        if counts[name] or name == "scored"
    ]
    return f"{', '.join(parts)}, of {counts['total']}"
