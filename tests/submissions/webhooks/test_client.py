"""One POST to the address that was checked, over a connection that is to be trusted."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from ipaddress import ip_address

import pytest

from leaderboard.outbox import NotDeliveredError
from submissions.webhooks import addresses, client
from submissions.webhooks.addresses import Target, target_of
from submissions.webhooks.client import post
from tests.submissions.webhooks.receiver import (
    Receiver,
    answer_with,
    receiving,
    write_certificate,
)

HEADERS = {"Content-Type": "application/json", "webhook-id": "msg_1"}


@pytest.fixture
def receiver(settings) -> Iterator[Receiver]:
    settings.DEBUG = True
    with receiving() as found:
        yield found


def send(receiver: Receiver) -> int:
    return post(target_of(receiver.url), b'{"a": 1}', HEADERS)


def test_the_body_arrives_with_its_headers(receiver):
    assert send(receiver) == 200

    (seen,) = receiver.received
    assert (seen.path, seen.body) == ("/hook?from=bench", b'{"a": 1}')
    assert seen.headers["host"] == f"localhost:{receiver.port}"
    assert seen.headers["webhook-id"] == "msg_1"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(status, receiver):
    receiver.answer = answer_with(status, headers={"Location": receiver.url})

    with pytest.raises(
        NotDeliveredError, match=f"{status}; redirects are not followed"
    ):
        send(receiver)

    assert len(receiver.received) == 1


def test_an_error_keeps_the_beginning_of_the_answer_and_no_more(receiver):
    receiver.answer = answer_with(503, b"\x1b[31mtry later\x00\n" + b"x" * 100_000)

    with pytest.raises(NotDeliveredError, match="answered 503: try later") as caught:
        send(receiver)

    assert len(str(caught.value)) < 400
    assert "\x00" not in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_a_receiver_that_drips_is_left_after_the_time_in_all(receiver, monkeypatch):
    """Each byte is in time for the socket; the whole is not."""
    monkeypatch.setattr(client, "SECONDS", 1.0)
    left = threading.Event()

    def drip(handler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not left.wait(0.05):
            handler.wfile.write(b"X-Drip: 1\r\n")

    receiver.answer = drip
    try:
        with pytest.raises(NotDeliveredError, match="no answer within"):
            send(receiver)
    finally:
        left.set()


def test_a_receiver_that_is_silent_is_left_as_well(receiver, monkeypatch):
    monkeypatch.setattr(client, "SECONDS", 0.5)
    answered = threading.Event()
    receiver.answer = lambda handler: answered.wait(60)
    try:
        with pytest.raises(NotDeliveredError, match="no answer within"):
            send(receiver)
    finally:
        answered.set()


def test_nobody_there_is_told_as_such(settings):
    settings.DEBUG = True
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

    with pytest.raises(NotDeliveredError, match="ConnectionRefusedError"):
        post(Target(False, "127.0.0.1", port, "/"), b"", HEADERS)


def test_what_is_no_http_is_told_as_such(receiver):
    receiver.answer = lambda handler: handler.wfile.write(b"220 smtp ready\r\n")

    with pytest.raises(NotDeliveredError, match="BadStatusLine"):
        send(receiver)


def test_the_proxy_of_the_environment_is_not_asked(receiver, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")

    assert send(receiver) == 200


# HTTPS, and a name server that changes its mind


@pytest.fixture
def secure(tmp_path, monkeypatch) -> Iterator[Receiver]:
    """``hook.example.org`` with a certificate of its own, at an address of ours.

    That address counts as public, once: the name server says so when it is asked first.
    """
    certificate = write_certificate(tmp_path / "hook.pem", "hook.example.org")
    with receiving(certificate) as found:
        asked = []

        def resolve(host, port, *args, **kwargs):
            asked.append(host)
            address = "127.0.0.1" if len(asked) == 1 else "169.254.169.254"
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

        monkeypatch.setattr(addresses.socket, "getaddrinfo", resolve)
        monkeypatch.setattr(
            addresses, "is_public", lambda each: each == ip_address("127.0.0.1")
        )
        # Connecting to a number asks the resolver too, which then says nothing new.
        monkeypatch.setattr(client.socket, "create_connection", connect_to_number)
        context = ssl.create_default_context(cafile=str(certificate))
        monkeypatch.setattr(client, "tls_context", lambda: context)
        yield found


def connect_to_number(address, timeout):
    host, port = address
    ip_address(host)
    found = socket.socket()
    found.settimeout(timeout)
    found.connect((host, port))
    return found


def test_the_connection_goes_to_the_address_that_was_checked(secure):
    target = Target(True, "hook.example.org", secure.port, "/")

    assert post(target, b"{}", HEADERS) == 200

    assert secure.received[0].headers["host"] == f"hook.example.org:{secure.port}"
    with pytest.raises(NotDeliveredError, match="not on the public internet"):
        post(target, b"{}", HEADERS)
    assert len(secure.received) == 1


def test_a_certificate_of_another_name_is_refused(secure):
    with pytest.raises(NotDeliveredError, match="TLS"):
        post(Target(True, "other.example.org", secure.port, "/"), b"{}", HEADERS)

    assert not secure.received


def test_a_certificate_that_nobody_vouches_for_is_refused(secure, monkeypatch):
    monkeypatch.setattr(client, "tls_context", ssl.create_default_context)

    with pytest.raises(NotDeliveredError, match="TLS"):
        post(Target(True, "hook.example.org", secure.port, "/"), b"{}", HEADERS)

    assert not secure.received
