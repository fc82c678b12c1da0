"""Files and folders that a process left behind when it was killed."""

from __future__ import annotations

import logging
import math
import re
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings

from leaderboard.blobs import storage_folder
from submissions.models import UploadSession
from submissions.resumable import sessions
from submissions.resumable.files import UploadFile, stray_files
from submissions.retention.freed import Freed

logger = logging.getLogger(__name__)

# No stage and no upload takes so long.
GRACE = timedelta(hours=24)
# Names that this project gives; what else lies in these folders is not ours.
_WORK = re.compile(r"(?:upload|pack|canary|j\d+)-\w+")
_IMPORT = re.compile(r"\.(?:incoming|old)-[0-9a-f]{32}")
_WRITING = re.compile(r"\.\w{8}")


def expire_uploads(now: datetime, *, dry_run: bool) -> Iterator[Freed]:
    """Uploads in parts that nobody has touched for a day, and strays of theirs."""
    for session in UploadSession.objects.expired():
        file = UploadFile(session.uuid)
        size = sum(_size(path) for path in (file.part, file.whole))
        yield Freed("expired upload", str(session.uuid), size)
    before = (now - 2 * GRACE).timestamp()
    for path, uuid in stray_files(before=before):
        if not UploadSession.objects.filter(pk=uuid).exists():
            yield Freed("stray upload", path.name, _size(path))
    if not dry_run:
        sessions.remove_expired()


def remove_leftovers(now: datetime, *, dry_run: bool) -> Iterator[Freed]:
    """Work folders, half-made imports and half-written files of dead processes.

    Those of this machine only: others have work folders of their own.
    """
    before = (now - GRACE).timestamp()
    snapshots = Path(settings.DATA_DIR) / "snapshots"
    places = [
        ("work folder", _WORK, Path(settings.WORK_DIR).glob("*")),
        ("half-made import", _IMPORT, snapshots.glob("*/.*")),
        ("half-written file", _WRITING, storage_folder().glob("*/*/.*")),
    ]
    for what, names, paths in places:
        for path in paths:
            if names.fullmatch(path.name) and _youngest(path) < before:
                size = _size(path)
                if dry_run or _removed(path):
                    yield Freed(what, path.name, size)


def _everything(path: Path) -> Iterator[Path]:
    yield path
    if path.is_dir() and not path.is_symlink():
        yield from path.rglob("*")


def _youngest(path: Path) -> float:
    """When anything in it was last changed; in no past, where that cannot be told."""
    try:
        return max(each.lstat().st_mtime for each in _everything(path))
    except OSError:
        return math.inf


def _size(path: Path) -> int:
    try:
        return sum(
            each.lstat().st_size for each in _everything(path) if not each.is_dir()
        )
    except OSError:
        return 0


def _removed(path: Path) -> bool:
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    except OSError as error:
        logger.warning("%s cannot be removed: %s", path, error)
        return False
    return True
