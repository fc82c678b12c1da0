"""Sending an archive in parts, with a bar that shows how far it is."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any
from uuid import uuid4

from rich.progress import (
    BarColumn,
    DownloadColumn,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from submissions.cli.client import Server
from submissions.cli.errors import CliError, ExitCode
from submissions.cli.output import note, quiet_progress
from submissions.resumable.client import PAUSES

SUBMIT = "/submissions/"
VALIDATE = "/submissions/validate/"


def upload(
    server: Server, path: str, archive: Path, **fields: str | None
) -> dict[str, Any]:
    """Send the archive and return the answer; a refusal is raised as its findings.

    What the server has of the same content already, from whatever earlier attempt, is
    not sent again. ``fields`` go with it, those that are None left out.
    """
    given = {name: value for name, value in fields.items() if value is not None}
    form = {"upload": _send(server, archive), **given}
    return _post(server, path, form)


def _send(server: Server, archive: Path) -> str:
    columns = (
        TextColumn("uploading"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with quiet_progress(*columns) as progress:
        task = progress.add_task("uploading", total=archive.stat().st_size)
        return server.send(
            archive,
            on_progress=lambda sent, size: progress.update(task, completed=sent),
            on_failure=lambda what: note(f"{what} Going on from there."),
            pauses=PAUSES,
        )


def _post(server: Server, path: str, form: dict[str, str]) -> dict[str, Any]:
    """Ask for the check of what was uploaded.

    An answer that gets lost is asked for again: the server knows the attempts by their
    key, and however often it sees it, it submits once.
    """
    key = uuid4().hex
    with quiet_progress(TextColumn("checking"), BarColumn()) as progress:
        progress.add_task("checking", total=None)
        for pause in PAUSES[:2]:
            try:
                return server.post(path, form, key=key)
            except CliError as error:
                if error.code is not ExitCode.NETWORK:
                    raise
                note(f"{error.format_message()} Asking again.")
                time.sleep(pause)
        return server.post(path, form, key=key)
