"""Bundles as they come: as the file of a request, or as an upload in parts.

The file of a request goes into the work folder, within the limit, and is gone after.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, TypeAlias

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.http import HttpRequest

from submissions.intake import file_digest
from submissions.models import UploadSession
from submissions.resumable import sessions
from submissions.resumable.files import NoSpaceError

Given: TypeAlias = "UploadedFile[bytes] | UploadSession"

# What the form around the file may add to the size of the request.
FORM_BYTES = 1024 * 1024
_CHUNK_BYTES = 1024 * 1024


class WorkFolderUploadHandler(TemporaryFileUploadHandler):
    """Writes every upload to the work folder, whatever its size."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super(TemporaryFileUploadHandler, self).new_file(*args, **kwargs)
        settings.WORK_DIR.mkdir(parents=True, exist_ok=True)
        # The file lives until it is closed, at the latest by as_path() or the request.
        target = NamedTemporaryFile(prefix="upload-", dir=settings.WORK_DIR)  # noqa: SIM115
        self.file = UploadedFile(  # type: ignore[assignment]  # any uploaded file will do
            target,
            name=self.file_name,
            content_type=self.content_type,
            size=0,
        )


def use_work_folder(request: HttpRequest) -> None:
    """Send the uploads of ``request`` to the work folder; before its body is read."""
    request.upload_handlers = [WorkFolderUploadHandler(request)]


def is_too_large(request: HttpRequest, *, as_file: bool = True) -> bool:
    """Whether the request announces more than an upload may have.

    What is not ``as_file`` is read into memory and has to be small.
    """
    announced = request.META.get("CONTENT_LENGTH") or "0"
    limit: int = FORM_BYTES + (settings.UPLOAD_LIMIT_BYTES if as_file else 0)
    return announced.isdecimal() and int(announced) > limit


@contextmanager
def as_path(upload: Given) -> Iterator[Path]:
    """The bundle on disk; the file of a request is removed when the context ends.

    Raises one of ``sessions.UNUSABLE`` for an upload that is not, or no longer, whole.
    """
    if isinstance(upload, UploadSession):
        with sessions.as_path(upload) as path:
            yield path
        return
    name = getattr(upload.file, "name", None)
    if not isinstance(name, str) or not Path(name).is_absolute():
        raise TypeError("The request was not prepared by use_work_folder().")
    try:
        upload.flush()
        yield Path(name)
    finally:
        upload.close()


def keep(user: User, upload: Given, archive: Path) -> UploadSession | None:
    """Keep what came with a request as if it had come in parts, to be used later.

    None where there is no room for it; ``archive`` is what ``as_path`` gave.
    """
    if isinstance(upload, UploadSession):
        return upload
    try:
        session = sessions.begin(
            user, length=archive.stat().st_size, file_name=upload.name or ""
        )
        with archive.open("rb") as stream:
            chunks = iter(partial(stream.read, _CHUNK_BYTES), b"")
            sessions.append(session, chunks, at=0)
    except NoSpaceError:
        return None
    return session


def digest(upload: Given, archive: Path) -> str:
    """The SHA-256 of what ``as_path`` gave."""
    if isinstance(upload, UploadSession):
        return upload.sha256
    return file_digest(archive)


def let_go(upload: Given) -> None:
    """Remove an upload in parts that was used; of anything else nothing is left."""
    if isinstance(upload, UploadSession):
        sessions.discard(upload)
