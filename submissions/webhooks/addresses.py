"""Where a webhook may go: the public internet over HTTPS, and nowhere else.

A URL comes from a user and is asked for by a machine inside, so it must not reach what
only the inside can: other services of the host, the local network, the metadata of a
cloud. The name is resolved once, and the connection is made to the very address that
was looked at; a second answer of the name server changes nothing.
"""

from __future__ import annotations

import re
import socket
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
)
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

URL_LIMIT = 500
# Beside what the standard library calls global. The single address answers for the
# host itself on Azure; 6to4, the protocol block and NAT64 lead to other addresses.
_REFUSED_V4 = [
    IPv4Network(text) for text in ("168.63.129.16/32", "192.88.99.0/24", "192.0.0.0/24")
]
_UNICAST_V6 = IPv6Network("2000::/3")
_REFUSED_V6 = [
    IPv6Network(text)
    for text in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
]
_LOCAL_NAMES = {"localhost", "127.0.0.1", "::1"}
_URL = re.compile(r"[\x21-\x7e]+")


class TargetError(ValueError):
    """The URL may not be asked for; the text says why, for people."""


class Target(NamedTuple):
    """A URL taken apart; ``path`` has the query with it."""

    secure: bool
    host: str
    port: int
    path: str


def target_of(url: str) -> Target:
    """Check what the URL itself says; nothing is resolved.

    Plain HTTP goes to this very machine only, and only under OHB_DEBUG.
    """
    if len(url) > URL_LIMIT or not _URL.fullmatch(url):
        raise TargetError(
            _("Use at most 500 characters of ASCII without spaces; xn-- for others.")
        )
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise TargetError(_("That is no URL.")) from None
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise TargetError(_("Leave out user name, password and #fragment."))
    local = _is_local_trial(host)
    if not host or parts.scheme not in ({"https", "http"} if local else {"https"}):
        raise TargetError(_("The URL must begin with https:// and name a host."))
    if not local:
        _refuse_known_inside(host)
    secure = parts.scheme == "https"
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(secure, host, port or (443 if secure else 80), path)


def _refuse_known_inside(host: str) -> None:
    """What is plainly not public, so that the form can say so at once."""
    try:
        inside = not is_public(ip_address(host))
    except ValueError:
        name = host.rstrip(".")
        inside = "." not in name or name.endswith((".localhost", ".local", ".internal"))
    if inside:
        raise TargetError(_("The host must be on the public internet."))


def addresses_of(target: Target) -> list[str]:
    """Resolve the host; only addresses that may be connected to are returned.

    Raises :class:`TargetError` when there is none of that kind, ``OSError`` when the
    name does not resolve.
    """
    rows = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    found = list(dict.fromkeys(str(row[4][0]) for row in rows))
    local = _is_local_trial(target.host)
    allowed = [
        text
        for text in found
        if (_parsed(text).is_loopback if local else is_public(_parsed(text)))
    ]
    if not allowed:
        raise TargetError(f"{target.host} is not on the public internet")
    return allowed


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether ``address`` is one host of the public internet, and surely so."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        return (
            address in _UNICAST_V6
            and address.is_global
            and not any(address in network for network in _REFUSED_V6)
        )
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not any(address in network for network in _REFUSED_V4)
    )


def _parsed(text: str) -> IPv4Address | IPv6Address:
    return ip_address(text.partition("%")[0])


def _is_local_trial(host: str) -> bool:
    return bool(settings.DEBUG) and host in _LOCAL_NAMES
