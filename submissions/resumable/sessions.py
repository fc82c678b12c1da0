"""Uploads in parts: begin, go on, end, use, forget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.utils import timezone

from submissions.models import UploadSession
from submissions.models.uploads import KEPT_FOR
from submissions.resumable.files import GoneError, UploadFile, stray_files

# Room for an upload that went wrong and one that goes on; the oldest make way.
KEPT_PER_USER = 4

_TOUCHED_EVERY = timedelta(minutes=1)


class TooLongError(Exception):
    """More than an upload, or than this upload, may have: ``limit`` bytes."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        super().__init__(limit)


class DigestError(Exception):
    """All bytes are here, and they are not the ones that were announced."""

    def __init__(self, *, declared: str, found: str) -> None:
        self.declared = declared
        self.found = found
        super().__init__(found)


class IncompleteError(Exception):
    """The upload cannot be used while ``missing`` bytes have not come."""

    def __init__(self, missing: int) -> None:
        self.missing = missing
        super().__init__(missing)


def begin(
    user: User, *, length: int, file_name: str = "", sha256: str = ""
) -> UploadSession:
    """Make room for ``length`` bytes; ``sha256`` is what they are to be in the end."""
    limit: int = settings.UPLOAD_LIMIT_BYTES
    if length > limit:
        raise TooLongError(limit)
    remove_expired()
    session = UploadSession(
        user_id=user.pk,
        file_name="".join(filter(str.isprintable, file_name))[:255],
        length_bytes=length,
        declared_sha256=sha256,
    )
    UploadFile(session.uuid).create(length)
    session.save()
    for old in UploadSession.objects.of(user)[KEPT_PER_USER:]:
        forget(old)
    if length == 0:
        _end(session)
    return session


def find(user: User | AnonymousUser, uuid: UUID) -> UploadSession | None:
    """The upload of ``user``; those of others are none."""
    return UploadSession.objects.of(user).filter(pk=uuid).first()


def find_whole(user: User | AnonymousUser, uuid: UUID) -> UploadSession | None:
    """The upload of ``user`` if all of it is here and waits to be used."""
    found = find(user, uuid)
    try:
        whole = found is not None and offset(found) == found.length_bytes
    except GoneError:
        return None
    return found if whole else None


def offset(session: UploadSession) -> int:
    """How many bytes are here. Raises ``GoneError`` after they were used."""
    return UploadFile(session.uuid).size()


def append(
    session: UploadSession,
    chunks: Iterable[bytes],
    *,
    at: int,
    accept: Callable[[int], bool] = lambda _end: True,
) -> int:
    """Go on with an upload from offset ``at``; return the new offset.

    The bytes behind the last one end the upload. See ``UploadFile.append``.
    """
    _touch(session)
    end = UploadFile(session.uuid).append(
        _within(session, chunks, at), at=at, accept=accept
    )
    if end == session.length_bytes:
        _end(session)
    return end


@contextmanager
def as_path(session: UploadSession) -> Iterator[Path]:
    """The whole file for reading, whatever happens to the upload meanwhile."""
    if not session.sha256:
        missing = session.length_bytes - offset(session)
        if missing:
            raise IncompleteError(missing)
        # The process that took the last byte did not live to end the upload.
        _end(session)
    _touch(session)
    with UploadFile(session.uuid).in_use() as path:
        yield path


def discard(session: UploadSession) -> None:
    """Remove the bytes; what was uploaded is remembered until it expires."""
    UploadFile(session.uuid).remove()


def forget(session: UploadSession) -> None:
    discard(session)
    UploadSession.objects.filter(pk=session.pk).delete()


def remove_expired() -> int:
    """Forget what nobody has touched for long; how many that were."""
    expired = list(UploadSession.objects.expired())
    for session in expired:
        forget(session)
    before = (timezone.now() - 2 * KEPT_FOR).timestamp()
    for path, uuid in stray_files(before=before):
        if not UploadSession.objects.filter(pk=uuid).exists():
            path.unlink(missing_ok=True)
    return len(expired)


def _within(
    session: UploadSession, chunks: Iterable[bytes], at: int
) -> Iterator[bytes]:
    """The chunks, as long as they fit into the announced length."""
    for chunk in chunks:
        at += len(chunk)
        if at > session.length_bytes:
            raise TooLongError(session.length_bytes)
        yield chunk


def _end(session: UploadSession) -> None:
    """Close the file and compare its digest; of several callers all see the same."""
    file = UploadFile(session.uuid)
    file.close()
    found = file.digest()
    if session.declared_sha256 and found != session.declared_sha256:
        forget(session)
        raise DigestError(declared=session.declared_sha256, found=found)
    session.sha256 = found
    UploadSession.objects.filter(pk=session.pk).update(sha256=found)


def _touch(session: UploadSession) -> None:
    """Put the end off; written at most once a minute."""
    now = timezone.now()
    if now - session.touched_at > _TOUCHED_EVERY:
        session.touched_at = now
        UploadSession.objects.filter(pk=session.pk).update(touched_at=now)


# What keeps an upload from being used.
UNUSABLE = (GoneError, IncompleteError, DigestError)

__all__ = [
    "UNUSABLE",
    "DigestError",
    "GoneError",
    "IncompleteError",
    "TooLongError",
    "append",
    "as_path",
    "begin",
    "discard",
    "find",
    "find_whole",
    "forget",
    "offset",
    "remove_expired",
]
