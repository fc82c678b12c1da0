"""Sending in parts with a client, to a real server, over connections that break."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from submissions.models import UploadSession
from submissions.resumable import client as sending
from submissions.resumable import sessions
from submissions.resumable.client import RefusedError, send
from tests.submissions.tus import sha256
from tests.tokens import token_for

PART = 64 * 1024
# Ten parts, no two alike.
DATA = b"".join(bytes([number]) * PART for number in range(10))


class CutError(Exception):
    """The process of the sender dies here."""


class Flaky(httpx.HTTPTransport):
    """Breaks connections: ``cuts`` says after how many bytes of which PATCH.

    ``lose`` are the PATCHes whose answer never comes back.
    """

    def __init__(self, cuts: dict[int, int] | None = None, lose: tuple[int, ...] = ()):
        super().__init__()
        self.cuts = cuts or {}
        self.lose = lose
        self.requests: list[str] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request.method)
        number = self.requests.count("PATCH")
        if request.method == "PATCH" and number in self.cuts:
            request.stream = Cut(request.stream, self.cuts[number])  # type: ignore[arg-type]
        answer = super().handle_request(request)
        if request.method == "PATCH" and number in self.lose:
            answer.read()
            raise httpx.ReadError("lost", request=request)
        return answer


class Cut(httpx.SyncByteStream):
    """A body that stops, as when a cable is pulled."""

    def __init__(self, stream: Iterator[bytes], after: int) -> None:
        self.stream = stream
        self.left = after

    def __iter__(self) -> Iterator[bytes]:
        for piece in self.stream:
            yield piece[: self.left]
            self.left -= len(piece)
            if self.left <= 0:
                raise httpx.WriteError("cut")


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(sending, "PART_BYTES", PART)
    monkeypatch.setattr(sending, "PIECE_BYTES", PART // 4)


@pytest.fixture
def path(tmp_path) -> Path:
    found = tmp_path / "bundle.zip"
    found.write_bytes(DATA)
    return found


@pytest.fixture
def http(committed_db, live_server, user):
    """Makes clients of ``user``."""
    made: list[httpx.Client] = []

    def make(transport: httpx.HTTPTransport | None = None) -> httpx.Client:
        made.append(
            httpx.Client(
                base_url=live_server.url,
                headers={"Authorization": f"Token {token_for(user)}"},
                transport=transport or Flaky(),
            )
        )
        return made[-1]

    yield make
    for each in made:
        each.close()


def arrived(upload: str) -> bytes:
    with sessions.as_path(UploadSession.objects.get(pk=upload)) as found:
        return found.read_bytes()


def test_killed_at_60_percent_it_goes_on_there_to_the_same_digest(path, http):
    def die(sent: int, size: int) -> None:
        if sent >= size * 0.6:
            raise CutError

    with pytest.raises(CutError):
        send(path, http(), on_progress=die)
    session = UploadSession.objects.get()
    # The seventh part was on its way and counts from its first byte again.
    assert sessions.offset(session) in {5 * PART, 6 * PART}

    second = Flaky()
    shown: list[int] = []
    sent = send(path, http(second), on_progress=lambda now, _size: shown.append(now))

    assert sent.upload == str(session.pk)
    assert second.requests[0] == "GET"
    assert second.requests.count("PATCH") in {4, 5}
    assert "POST" not in second.requests
    assert shown[0] >= 5 * PART
    assert shown[-1] == len(DATA)
    assert sent.sha256 == sha256(DATA)
    assert arrived(sent.upload) == DATA


def test_connections_that_break_are_made_again(path, http):
    flaky = Flaky(cuts={3: PART // 2, 4: 10, 9: 0}, lose=(6,))
    said: list[str] = []

    sent = send(path, http(flaky), on_failure=said.append, pauses=(0, 0, 0))

    assert arrived(sent.upload) == DATA
    assert len(said) == 4
    assert flaky.requests.count("POST") == 1
    # The lost answer was to a part that had arrived: it is not sent twice.
    assert flaky.requests.count("PATCH") == 13


def test_a_server_that_stays_away_is_given_up(path, http):
    flaky = Flaky(cuts=dict.fromkeys(range(2, 100), 0))

    with pytest.raises(httpx.TransportError):
        send(path, http(flaky), pauses=(0, 0))

    assert flaky.requests.count("PATCH") == 4


def test_a_refusal_is_not_tried_again(path, http, settings):
    settings.UPLOAD_LIMIT_BYTES = 1000
    flaky = Flaky()

    with pytest.raises(RefusedError) as caught:
        send(path, http(flaky), pauses=(0, 0))

    assert caught.value.response.status_code == 413
    assert flaky.requests == ["GET", "POST"]


def test_a_file_that_changes_on_the_way_is_told_by_its_digest(path, http):
    def change(sent: int, _size: int) -> None:
        if sent == 2 * PART:
            path.write_bytes(bytes(len(DATA)))

    with pytest.raises(RefusedError) as caught:
        send(path, http(), on_progress=change, pauses=(0, 0))

    assert caught.value.response.status_code == 460
    assert "SHA-256 is not the announced one" in caught.value.response.text


def test_an_upload_that_was_removed_begins_again(path, http):
    flaky = Flaky()

    def remove(sent: int, _size: int) -> None:
        if sent == 5 * PART and flaky.requests.count("POST") == 1:
            for session in UploadSession.objects.all():
                sessions.forget(session)

    sent = send(path, http(flaky), on_progress=remove, pauses=(0, 0))

    assert flaky.requests.count("POST") == 2
    assert arrived(sent.upload) == DATA


def test_another_content_is_another_upload(path, http, tmp_path):
    first = send(path, http())
    other = tmp_path / "other.zip"
    other.write_bytes(DATA[::-1])

    second = send(other, http())

    assert first.upload != second.upload
    assert send(path, http()).upload == first.upload
    assert send(path, http(), resume=False).upload != first.upload


def test_an_empty_file_is_whole_at_once(http, tmp_path):
    path = tmp_path / "empty.zip"
    path.touch()

    sent = send(path, http())

    assert arrived(sent.upload) == b""
