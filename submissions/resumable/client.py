"""Sending a file in parts, over any number of broken connections. Needs no Django."""

from __future__ import annotations

import base64
import hashlib
import time
from collections.abc import Callable, Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple

import httpx

UPLOADS = "/api/v1/uploads/"
PART_BYTES = 8 * 1024 * 1024
PIECE_BYTES = 256 * 1024
# Seconds of waiting after each failure in a row; any progress begins the row anew.
PAUSES = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0)

_TUS = {"Tus-Resumable": "1.0.0"}
_CHECKSUM_MISMATCH = 460
_PASSING = {
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.CONFLICT,
    HTTPStatus.TOO_MANY_REQUESTS,
    _CHECKSUM_MISMATCH,
}

Progress = Callable[[int, int], None]


class RefusedError(Exception):
    """The server does not want the file; ``response`` says why."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        super().__init__(f"HTTP {response.status_code}")


class Sent(NamedTuple):
    """A file that is on the server: what to submit it by, and its digest."""

    upload: str
    sha256: str


def send(
    path: Path,
    http: httpx.Client,
    *,
    on_progress: Progress = lambda _sent, _size: None,
    on_failure: Callable[[str], None] = lambda _what: None,
    resume: bool = True,
    pauses: tuple[float, ...] = PAUSES,
) -> Sent:
    """Upload ``path`` through ``http``, which knows server and token.

    Goes on where an earlier call for the same content stopped, on this machine or
    another, unless ``resume`` is false. Raises ``RefusedError``, or the last
    ``httpx.TransportError`` when waiting did not help.
    """
    sending = _Sending(path, http, on_progress)
    failures = 0
    while True:
        before = sending.offset
        try:
            sending.go_on(resume=resume or failures > 0)
            return Sent(sending.upload, sending.sha256)
        except (httpx.TransportError, RefusedError) as error:
            if sending.offset > before:
                failures = 0
            if failures >= len(pauses) or not sending.may_pass(error):
                raise
            on_failure(_words(error))
            time.sleep(pauses[failures])
            failures += 1


class _Sending:
    """One file on its way; ``offset`` is how much of it the server has for sure."""

    def __init__(self, path: Path, http: httpx.Client, on_progress: Progress) -> None:
        self.path = path
        self.http = http
        self.on_progress = on_progress
        self.size = path.stat().st_size
        with path.open("rb") as stream:
            self.sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
        self.upload = ""
        self.offset = 0

    def go_on(self, *, resume: bool) -> None:
        """Send everything that is missing; returns when the server has it all."""
        if self.upload:
            self._ask()
        elif not (resume and self._find()):
            self._begin()
        self.on_progress(self.offset, self.size)
        with self.path.open("rb") as stream:
            while self.offset < self.size:
                stream.seek(self.offset)
                self._send_part(stream.read(PART_BYTES))

    def may_pass(self, error: Exception) -> bool:
        """Whether the same may work later; forgets an upload that is no more."""
        if not isinstance(error, RefusedError):
            return True
        status = error.response.status_code
        if self.upload and status in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}:
            self.upload, self.offset = "", 0
            return True
        if _code(error.response) == "upload-digest":
            return False
        return status in _PASSING or status in {500, 502, 503, 504}

    def _find(self) -> bool:
        """Take up what the server has of the same content."""
        found = self._answer(self.http.get(UPLOADS)).json()
        for each in found.get("results", []):
            same = (each["declared_sha256"], each["length_bytes"])
            if same == (self.sha256, self.size) and each["offset"] is not None:
                self.upload, self.offset = str(each["id"]), int(each["offset"])
                return True
        return False

    def _begin(self) -> None:
        pairs = {"filename": self.path.name, "sha256": self.sha256}
        metadata = ",".join(
            f"{key} {base64.b64encode(value.encode()).decode()}"
            for key, value in pairs.items()
        )
        headers = {
            **_TUS,
            "Upload-Length": str(self.size),
            "Upload-Metadata": metadata,
        }
        response = self._answer(self.http.post(UPLOADS, headers=headers))
        self.upload, self.offset = str(response.json()["id"]), 0

    def _ask(self) -> None:
        response = self._answer(self.http.head(self._address, headers=_TUS))
        self.offset = int(response.headers["Upload-Offset"])

    def _send_part(self, part: bytes) -> None:
        digest = base64.b64encode(hashlib.sha256(part).digest()).decode()
        headers = {
            **_TUS,
            "Content-Type": "application/offset+octet-stream",
            "Content-Length": str(len(part)),
            "Upload-Offset": str(self.offset),
            "Upload-Checksum": f"sha256 {digest}",
        }
        response = self._answer(
            self.http.patch(
                self._address, content=self._in_pieces(part), headers=headers
            )
        )
        self.offset = int(response.headers["Upload-Offset"])
        self.on_progress(self.offset, self.size)

    def _in_pieces(self, part: bytes) -> Iterator[bytes]:
        for start in range(0, len(part), PIECE_BYTES):
            yield part[start : start + PIECE_BYTES]
            sent = min(start + PIECE_BYTES, len(part))
            self.on_progress(self.offset + sent, self.size)

    @property
    def _address(self) -> str:
        return f"{UPLOADS}{self.upload}/"

    def _answer(self, response: httpx.Response) -> httpx.Response:
        if not response.is_success:
            raise RefusedError(response)
        return response


def _code(response: httpx.Response) -> str:
    """The first fault that a problem names."""
    try:
        found: Any = response.json()
        return str(found["errors"][0]["code"])
    except (ValueError, LookupError, TypeError):
        return ""


def _words(error: httpx.TransportError | RefusedError) -> str:
    if isinstance(error, RefusedError):
        return f"The server answered {error.response.status_code}."
    return f"The connection broke ({type(error).__name__})."
