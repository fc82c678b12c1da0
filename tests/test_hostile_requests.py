"""Whatever is sent to an address, nothing of ours breaks over it.

No text of PostgreSQL holds a NUL or half a character, no number or moment of it is as
large as one likes; to SQLite these are values like others. So the suite there sends
these alone, each by itself, and the suite on SQLite everything else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.test import Client
from django.test.client import FakePayload
from django.utils import translation

from tests.permissions import every_url
from tests.tokens import token_for

pytestmark = pytest.mark.django_db

TEXTS = (
    "%00",
    "a%00b",
    "%FF%FE",
    "%ED%A0%80",
    "a%0Ab",
    "%E2%80%AE",
    "..%2F",
    "x" * 5000,
)
NUMBERS = ("0", "9" * 18, "9" * 19, "9" * 400)
QUERY = (
    *("a", "b", "difficulty", "family", "kit", "limit", "next", "offset", "page", "q"),
    *(
        "provenance",
        "reason",
        "run",
        "snapshot",
        "sort",
        "source",
        "state",
        "task",
        "team",
    ),
)
QUERY_VALUES = (*TEXTS, "-1", "9" * 40, "1e400", "%D9%A1", "", "&")
HEADERS = {
    "Accept": ("text/html", "*/*;q=0", "a/b/c", "\xff", "application/json;q=x", ","),
    "Accept-Language": ("\xff", "zh-Hans-" + "x" * 600, ";q=1", "*"),
    "Authorization": (
        *("Token", "Token ", "Token a b", "Token \xff", "Basic Og==", "Bearer x"),
        "Token " + "x" * 9000,
    ),
    "Cookie": ("sessionid=\x01\xff", "csrftoken=" + "x" * 9000, "=;;"),
    "Idempotency-Key": ("\xff", "x" * 300, "'"),
    "If-Modified-Since": ("yesterday", "Thu, 01 Jan 9999999 00:00:00 GMT"),
    "If-None-Match": ("*", '"', 'W/"x', "\xff"),
    "Range": ("bytes=5-1", "bytes=-", "x"),
    "X-Forwarded-For": ("\xff", "1.2.3", ", ,"),
    "X-HTTP-Method-Override": ("PATCH", "TRACE", "\xff"),
}
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
PARTS = "multipart/form-data"
BODIES = (
    (JSON, b""),
    (JSON, b"{"),
    (JSON, b"null"),
    (JSON, b"[1]"),
    (JSON, b'"text"'),
    (JSON, b"\xff\xfe"),
    (JSON, b'{"reason": "\\u0000", "team": "\\u0000", "upload": "\\u0000"}'),
    (JSON, b'{"reason": "\\ud800", "team": "\\ud800", "public_from": "\\ud800"}'),
    (JSON, b'{"reason": {}, "team": [], "upload": {}, "public_from": []}'),
    (JSON, b'{"reason": NaN, "team": 1e999, "upload": 1, "public_from": -1}'),
    (JSON, b'{"public_from": "99999-01-01T00:00:00Z", "reason": ' + b"9" * 9000 + b"}"),
    (JSON, b'{"public_from": "0001-01-01T00:00:00+14:00"}'),
    (JSON, b'{"public_from": "9999-12-31T23:59:59-12:00"}'),
    (JSON, b"[" * 100_000),
    ("application/json; charset=nonsense", b"{}"),
    ("application/json; charset=utf-16", b"\x00"),
    (FORM, b"reason=%00&team=%00&name=%00&q=%00&email=%00&login=%00"),
    (FORM, b"reason=%FF&team=%FF&name=%FF&login=%FF&password=%00"),
    (FORM + "; charset=nonsense", b"a=b"),
    (PARTS, b""),
    (PARTS + "; boundary=", b"x"),
    (PARTS + "; boundary=\xff", b"x"),
    (PARTS + "; boundary=b", b"--b\r\nContent-Disposition: form-data; name\r\n\r\n"),
    (
        PARTS + "; boundary=b",
        b"--b\r\nContent-Disposition: form-data; name=bundle; filename=\x00\r\n"
        b"Content-Transfer-Encoding: base64\r\n\r\n***\r\n--b--\r\n",
    ),
    (
        PARTS + "; boundary=b",
        b'--b\r\nContent-Disposition: form-data; name="team"\r\n\r\n\0\r\n--b--\r\n',
    ),
    ("\xff", b"x"),
    ("", b"x"),
    ("application/offset+octet-stream", b"x"),
)

OURS = [url for url in every_url() if not url.route.startswith("admin/")]


class Sent(NamedTuple):
    method: str
    path: str
    headers: dict[str, str] = {}
    body: bytes = b""
    content_type: str = JSON


def hard_for_postgresql(path: str) -> Iterator[Sent]:
    """What a database with stricter values than SQLite's may stumble over."""
    parts = path.split("/")
    for place in range(1, len(parts)):
        for strange in ("a%00b", "%ED%A0%80", "9" * 19) if parts[place] else ():
            changed = "/".join([*parts[:place], strange, *parts[place + 1 :]])
            yield Sent("GET", changed)
    # One by one: what is refused would hide those after it.
    for name in QUERY:
        yield Sent("GET", f"{path}?{name}=%00")
    for content_type, body in BODIES:
        if any(each in body for each in (b"\0", b"%00", b"\\u", b"99", b"0001")):
            yield Sent("POST", path, {}, body, content_type)


def everything(path: str) -> Iterator[Sent]:
    """All strange requests to one address; headers where they are read one by one."""
    parts = path.split("/")
    for place in range(1, len(parts)):
        for strange in (*TEXTS, *NUMBERS) if parts[place] else ():
            changed = "/".join([*parts[:place], strange, *parts[place + 1 :]])
            yield Sent("GET", changed)
    for value in QUERY_VALUES:
        yield Sent("GET", f"{path}?{'&'.join(f'{name}={value}' for name in QUERY)}")
    if path == "/" or path.startswith(("/api/", "/submi")):
        for name, values in HEADERS.items():
            yield from (Sent("GET", path, {name: value}) for value in values)
    for content_type, body in BODIES:
        yield Sent("POST", path, {}, body, content_type)


def sent(client: Client, each: Sent) -> int:
    """The status of the answer; what it changed is undone."""
    cache.clear()
    path, _, query = each.path.partition("?")
    environ = {
        # As a server hands them on: the bytes of the address, read as Latin-1.
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "QUERY_STRING": query,
        "REQUEST_METHOD": each.method,
        "CONTENT_TYPE": each.content_type,
        "CONTENT_LENGTH": str(len(each.body)),
        "wsgi.input": FakePayload(each.body),
    }
    with transaction.atomic(), translation.override("en"):
        answer = client.request(
            **environ,
            **{
                f"HTTP_{k.upper().replace('-', '_')}": v
                for k, v in each.headers.items()
            },
        )
        if answer.streaming:
            b"".join(answer.streaming_content)
        transaction.set_rollback(True)
    return answer.status_code


@pytest.mark.parametrize("url", OURS, ids=[url.name for url in OURS])
def test_nothing_breaks(url, world):
    admin = world.users["admin"]
    client = Client(raise_request_exception=False)
    if url.route.startswith("api/"):
        client.defaults["HTTP_AUTHORIZATION"] = f"Token {token_for(admin)}"
    else:
        client.force_login(admin)

    postgresql = connection.vendor == "postgresql"
    requests_to = hard_for_postgresql if postgresql else everything
    broken = [
        (each, status)
        for each in requests_to(world.path(url))
        if (status := sent(client, each)) >= 500
    ]

    assert broken == []
