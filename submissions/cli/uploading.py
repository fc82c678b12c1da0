"""Sending an archive, with a bar that shows how far it is."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from submissions.cli.client import Server
from submissions.cli.errors import CliError, ExitCode
from submissions.cli.output import note, quiet_progress

SUBMIT = "/submissions/"
VALIDATE = "/submissions/validate/"
ATTEMPTS = 3
PAUSE = 2.0


def upload(
    server: Server, path: str, archive: Path, *, team: str | None = None
) -> dict[str, Any]:
    """Send the archive and return the answer; a refusal is raised as its findings.

    A connection that breaks is tried again. The server knows the attempts by their
    key: however often it sees it, it submits once.
    """
    key = uuid4().hex
    for attempt in range(1, ATTEMPTS):
        try:
            return _send(server, path, archive, team=team, key=key)
        except CliError as error:
            if error.code is not ExitCode.NETWORK:
                raise
            note(f"{error.format_message()} Trying again.")
            time.sleep(PAUSE * attempt)
    return _send(server, path, archive, team=team, key=key)


def _send(
    server: Server, path: str, archive: Path, *, team: str | None, key: str
) -> dict[str, Any]:
    with archive.open("rb") as stream:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
        )
        with quiet_progress(*columns) as progress:
            size = archive.stat().st_size
            task = progress.add_task("uploading", total=size)
            watched = _Watched(stream, progress, task, size)
            return server.post_bundle(
                path,
                watched,  # type: ignore[arg-type]  # reads and seeks, which is enough
                name=archive.name,
                fields={"team": team} if team else {},
                headers={"Idempotency-Key": key},
            )


class _Watched:
    """A file that moves a bar when it is read."""

    def __init__(
        self, stream: BinaryIO, progress: Progress, task: Any, size: int
    ) -> None:
        self.stream = stream
        self.progress = progress
        self.task = task
        self.size = size

    def read(self, count: int = -1) -> bytes:
        data = self.stream.read(count)
        self.progress.advance(self.task, len(data))
        if self.stream.tell() >= self.size:
            self.progress.update(self.task, description="checking")
        return data

    def seek(self, offset: int, whence: int = 0) -> int:
        return self.stream.seek(offset, whence)

    def tell(self) -> int:
        return self.stream.tell()

    def fileno(self) -> int:
        return self.stream.fileno()
