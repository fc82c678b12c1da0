"""The words of tus 1.0: what the headers of a request say."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import NamedTuple

from django.http import HttpHeaders

VERSION = "1.0.0"
EXTENSIONS = "creation,termination,checksum,expiration"
ALGORITHMS = ("sha256", "sha1")
PART_TYPE = "application/offset+octet-stream"

_NUMBER = re.compile(r"[0-9]{1,15}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


class HeaderError(Exception):
    """A header that cannot be used: what was seen in it and how it has to look."""

    def __init__(self, header: str, *, saw: str, fix: str) -> None:
        self.header = header
        self.saw = saw
        self.fix = fix
        super().__init__(header)


class Checksum(NamedTuple):
    """The digest that a part has to have."""

    algorithm: str
    digest: bytes

    def new(self) -> hashlib._Hash:
        return hashlib.new(self.algorithm, usedforsecurity=False)


class Metadata(NamedTuple):
    file_name: str
    sha256: str


def number(headers: HttpHeaders, name: str) -> int:
    """A count of bytes."""
    text = headers.get(name, "")
    if not _NUMBER.fullmatch(text):
        raise HeaderError(name, saw=text[:80], fix="Send a whole number of bytes.")
    return int(text)


def metadata(headers: HttpHeaders) -> Metadata:
    """``filename`` and ``sha256`` of Upload-Metadata; other keys are passed over."""
    name = "Upload-Metadata"
    found: dict[str, str] = {}
    for pair in filter(None, headers.get(name, "").split(",")):
        key, _, value = pair.strip().partition(" ")
        try:
            found[key] = base64.b64decode(value, validate=True).decode()
        except ValueError:
            raise HeaderError(
                name,
                saw=pair[:80],
                fix="Send pairs of a key and the Base64 of a UTF-8 text, with a space "
                "between and a comma after each.",
            ) from None
    sha256 = found.get("sha256", "").lower()
    if sha256 and not _SHA256.fullmatch(sha256):
        raise HeaderError(
            name,
            saw=f"sha256 {sha256[:80]}",
            fix="Give the SHA-256 of the file as 64 hexadecimal digits, or none.",
        )
    return Metadata(found.get("filename", ""), sha256)


def checksum(headers: HttpHeaders) -> Checksum | None:
    name = "Upload-Checksum"
    text = headers.get(name, "")
    if not text:
        return None
    algorithm, _, value = text.partition(" ")
    if algorithm not in ALGORITHMS:
        raise HeaderError(
            name, saw=text[:80], fix=f"Use one of {', '.join(ALGORITHMS)}."
        )
    try:
        digest = base64.b64decode(value, validate=True)
    except ValueError:
        digest = b""
    if len(digest) != hashlib.new(algorithm, usedforsecurity=False).digest_size:
        raise HeaderError(
            name, saw=text[:80], fix=f"Send {algorithm}, a space, and the Base64 of it."
        )
    return Checksum(algorithm, digest)
