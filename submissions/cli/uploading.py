"""Sending an archive, with a bar that shows how far it is."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, BinaryIO

from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from submissions.cli.client import Server
from submissions.cli.output import stderr

SUBMIT = "/submissions/"
VALIDATE = "/submissions/validate/"


def upload(server: Server, path: str, archive: Path) -> dict[str, Any]:
    """Send the archive and return the answer; a refusal is raised as its findings."""
    with archive.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
        stream.seek(0)
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=stderr(), transient=True) as progress:
            size = archive.stat().st_size
            task = progress.add_task("uploading", total=size)
            watched = _Watched(stream, progress, task, size)
            return server.post_bundle(
                path,
                watched,  # type: ignore[arg-type]  # reads and seeks, which is enough
                name=archive.name,
                # The same archive sent twice is one submission.
                headers={"Idempotency-Key": digest},
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
