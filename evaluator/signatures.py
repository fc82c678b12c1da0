"""The key of an attempt, and the signature that it puts on a report.

A key is derived from the secret of this installation and 32 random bytes of the attempt
itself, which are struck out when the attempt ends. So neither a copy of the database
nor the secret alone gives a key, and nothing gives that of an attempt that is over.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from typing import Any

from django.conf import settings

SALT_BYTES = 32


def new_salt() -> str:
    """What an attempt keeps while it runs, as hexadecimal digits."""
    return secrets.token_hex(SALT_BYTES)


def attempt_key(salt: str, *, job_id: int, fence: int) -> bytes:
    """The 32 bytes that only the holder of a lease is given."""
    words = f"attempt key|{salt}|{job_id}|{fence}"
    return hmac.digest(settings.SECRET_KEY.encode(), words.encode(), "sha256")


def digest(content: Mapping[str, Any]) -> str:
    """The SHA-256 of ``content``, whatever the order of its keys."""
    return hashlib.sha256(_canonical(content)).hexdigest()


def sign(key: bytes, content: Mapping[str, Any]) -> str:
    """The HMAC-SHA256 of ``content`` as hexadecimal digits."""
    return hmac.digest(key, _canonical(content), "sha256").hex()


def is_signed(key: bytes, content: Mapping[str, Any], signature: str) -> bool:
    return hmac.compare_digest(sign(key, content), signature)


def _canonical(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
