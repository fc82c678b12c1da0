"""Taking the bytes of a request: into the work folder, within the limit, gone after."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.http import HttpRequest

# What the form around the file may add to the size of the request.
FORM_BYTES = 1024 * 1024


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


def is_too_large(request: HttpRequest) -> bool:
    """Whether the request announces more than an upload may have."""
    announced = request.META.get("CONTENT_LENGTH") or "0"
    limit: int = settings.UPLOAD_LIMIT_BYTES + FORM_BYTES
    return announced.isdecimal() and int(announced) > limit


@contextmanager
def as_path(upload: UploadedFile[bytes]) -> Iterator[Path]:
    """The uploaded file on disk; it is removed when the context ends."""
    name = getattr(upload.file, "name", None)
    if not isinstance(name, str) or not Path(name).is_absolute():
        raise TypeError("The request was not prepared by use_work_folder().")
    try:
        upload.flush()
        yield Path(name)
    finally:
        upload.close()
