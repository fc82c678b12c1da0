"""One POST to an address that was checked: no redirects, no proxies, no waiting."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException, HTTPSConnection

from leaderboard.outbox import NotDeliveredError
from leaderboard.plain_text import visible
from submissions.webhooks.addresses import Target, TargetError, addresses_of

SECONDS = 10.0
# So much of an answer is looked at, and kept where it tells of a failure.
READ_BYTES = 300


def post(target: Target, body: bytes, headers: Mapping[str, str]) -> int:
    """Send ``body`` and return the status, one of 200 to 299.

    Everything else raises :class:`NotDeliveredError` with a text for the owner of the
    webhook. Ten seconds in all from the moment that the name is resolved.
    """
    try:
        status, excerpt = _exchange(target, body, headers)
    except TargetError as error:
        raise NotDeliveredError(f"not sent: {error}") from None
    except TimeoutError:
        raise NotDeliveredError(f"no answer within {SECONDS:.0f} seconds") from None
    except ssl.SSLError as error:
        raise NotDeliveredError(f"TLS: {error.reason or error}") from None
    except (OSError, HTTPException) as error:
        raise NotDeliveredError(f"{type(error).__name__}: {error}") from None
    if 200 <= status < 300:
        return status
    if 300 <= status < 400:
        raise NotDeliveredError(f"answered {status}; redirects are not followed")
    raise NotDeliveredError(f"answered {status}: {excerpt}".removesuffix(": "))


def tls_context() -> ssl.SSLContext:
    return ssl.create_default_context()


def _exchange(
    target: Target, body: bytes, headers: Mapping[str, str]
) -> tuple[int, str]:
    with _deadline() as watch, _connect(target) as connected:
        watch.socket = connected
        connection: HTTPConnection
        if isinstance(connected, ssl.SSLSocket):
            connected.do_handshake()
            connection = HTTPSConnection(
                target.host, target.port, context=connected.context
            )
        else:
            connection = HTTPConnection(target.host, target.port)
        connection.sock = connected
        connection.request("POST", target.path, body=body, headers=dict(headers))
        with connection.getresponse() as answer:
            text = answer.read(READ_BYTES).decode("utf-8", errors="replace")
            return answer.status, visible(" ".join(text.split()))


def _connect(target: Target) -> socket.socket:
    raw = _reach(addresses_of(target), target.port)
    if not target.secure:
        return raw
    # The name in the certificate must be that of the URL, whatever the address.
    return tls_context().wrap_socket(
        raw, server_hostname=target.host, do_handshake_on_connect=False
    )


def _reach(addresses: list[str], port: int) -> socket.socket:
    """The first of at most two addresses that answers, in half of the time each."""
    *before, last = addresses[:2]
    for address in before:
        try:
            return socket.create_connection((address, port), SECONDS / 2)
        except OSError:
            continue
    return socket.create_connection((last, port), SECONDS / 2)


class _Watch:
    """Ends a connection that takes too long in all, however busily it drips."""

    def __init__(self) -> None:
        self.socket: socket.socket | None = None
        self.passed = False

    def end(self) -> None:
        self.passed = True
        if self.socket is not None:
            # Not the method of TLS, which the other thread is using at this moment.
            socket.socket.shutdown(self.socket, socket.SHUT_RDWR)


@contextmanager
def _deadline() -> Iterator[_Watch]:
    watch = _Watch()
    timer = threading.Timer(SECONDS, watch.end)
    timer.daemon = True
    timer.start()
    try:
        yield watch
    except (OSError, HTTPException) as error:
        if watch.passed:
            raise TimeoutError from error
        raise
    finally:
        timer.cancel()
    # A connection that ends amid the headers looks like a whole answer.
    if watch.passed:
        raise TimeoutError
