"""What can go wrong with an upload in parts, as problem details."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

from leaderboard.api.problems import Problem
from submissions.resumable.body import CutOffError
from submissions.resumable.files import GoneError, MovedError, NoSpaceError
from submissions.resumable.protocol import VERSION, HeaderError
from submissions.resumable.sessions import DigestError, IncompleteError, TooLongError

# Of tus: the bytes are not the ones that the checksum was made of.
CHECKSUM_MISMATCH = 460


@contextmanager
def told() -> Iterator[None]:
    """Let the errors of uploads leave as problems."""
    try:
        yield
    except GoneError:
        raise gone() from None
    except HeaderError as error:
        raise _problem(
            400,
            f"The header {error.header} cannot be used.",
            code="upload-header",
            where=error.header,
            saw=error.saw,
            fix=error.fix,
        ) from None
    except MovedError as error:
        raise moved(error.size) from None
    except TooLongError as error:
        raise _problem(
            413,
            f"More bytes than there is room for: {error.limit} at most.",
            code="upload-too-long",
            where="Upload-Length",
            saw=f"more than {error.limit} bytes",
            fix="Send a smaller bundle, and of it only what was announced.",
        ) from None
    except DigestError as error:
        raise _problem(
            CHECKSUM_MISMATCH,
            "All bytes arrived, but their SHA-256 is not the announced one. "
            "The upload was removed.",
            code="upload-digest",
            where="the whole file",
            saw=f"{error.found} instead of {error.declared}",
            fix="Did the file change meanwhile? Upload it again from the start.",
        ) from None
    except IncompleteError as error:
        raise incomplete(error.missing) from None
    except NoSpaceError:
        raise _problem(
            507,
            "This server has no room for the upload at present.",
            code="upload-no-space",
            where="this installation",
            saw="a disk that is nearly full",
            fix="Try again later, or tell the operator.",
        ) from None
    except CutOffError:
        raise _problem(
            400,
            "The connection ended before the part did.",
            code="upload-cut-off",
            where="body",
            saw="fewer bytes than Content-Length says",
            fix="Ask for the offset with HEAD and go on from there.",
        ) from None


def unsupported_version(saw: str) -> Problem:
    return _problem(
        412,
        "This is not a version of tus that is spoken here.",
        code="tus-version",
        where="Tus-Resumable",
        saw=saw,
        fix=f"Send Tus-Resumable: {VERSION}.",
    )


def gone() -> Problem:
    """The same answer for what is not there and for what is somebody else's."""
    return _problem(
        404,
        "You have no such upload, or it has expired.",
        code="upload-missing",
        where="address",
        saw="",
        fix="Begin a new upload.",
    )


def moved(size: int) -> Problem:
    return _problem(
        409,
        f"The upload goes on at offset {size}.",
        code="upload-offset",
        where="Upload-Offset",
        saw="another offset, or another request that writes",
        fix="Ask for the offset with HEAD and go on from there.",
    )


def incomplete(missing: int) -> Problem:
    return _problem(
        409,
        "The upload is not complete.",
        code="upload-incomplete",
        where="upload",
        saw=f"{missing} bytes are missing",
        fix="Send the rest first.",
    )


def wrong_part() -> Problem:
    return _problem(
        CHECKSUM_MISMATCH,
        "The bytes of this part are not the ones of its checksum. They were dropped.",
        code="upload-checksum",
        where="Upload-Checksum",
        saw="another digest",
        fix="Send the part again.",
    )


def length_required() -> Problem:
    return _problem(
        HTTPStatus.LENGTH_REQUIRED,
        "A part says how long it is.",
        code="upload-part-length",
        where="Content-Length",
        saw="",
        fix="Send Content-Length; a chunked body is not read.",
    )


def _problem(
    status: int, detail: str, *, code: str, where: str, saw: str, fix: str
) -> Problem:
    item = {"code": code, "where": where, "saw": saw, "fix": fix}
    return Problem(detail, status_code=status, errors=[item])  # type: ignore[list-item]  # the four keys of an item
