"""Where artifacts lie on one machine: files that are whole or not there."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import NamedTemporaryFile

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage

READABLE_BY_THE_SITE = 0o644


class WholeFileSystemStorage(FileSystemStorage):
    """Writes beside the name and moves the finished file there.

    A writer that is killed leaves nothing under the name, and two writers of the same
    name do not meet: names are digests here, so the last one puts down the same bytes.
    """

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        return name

    def move(self, old: str, new: str) -> None:
        """Give a file another name; raises FileNotFoundError if it is not there."""
        target = Path(self.path(new))
        target.parent.mkdir(parents=True, exist_ok=True)
        Path(self.path(old)).replace(target)

    def touch(self, name: str) -> None:
        """Make a file as young as if it had been written now."""
        os.utime(self.path(name))

    def _save(self, name: str, content: File[bytes]) -> str:
        target = Path(self.path(name))
        target.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=target.parent, prefix=".", delete=False) as handle:
            written = Path(handle.name)
            try:
                for chunk in content.chunks():
                    handle.write(chunk)
                handle.flush()
                written.chmod(READABLE_BY_THE_SITE)
                written.replace(target)
            except BaseException:
                written.unlink(missing_ok=True)
                raise
        return name
