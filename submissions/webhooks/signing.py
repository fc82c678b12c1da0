"""Signatures as in the Standard Webhooks specification, which has libraries.

The key is 32 random bytes; it signs id, time and body, joined by dots.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

PREFIX = "whsec_"


def new_secret() -> str:
    """A secret as receivers keep it: the prefix and base64."""
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def signature(secret: str, *, message_id: str, timestamp: int, body: bytes) -> str:
    """What the header ``webhook-signature`` says.

    >>> signature("whsec_AAAA", message_id="msg_1", timestamp=1, body=b"{}")
    'v1,OmiNie3fi8ZEZmbPlxeTQD55tTTpVS4mgkAkQDtSVQg='
    """
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = f"{message_id}.{timestamp}.".encode() + body
    digest = hmac.new(key, signed, hashlib.sha256).digest()
    return "v1," + base64.b64encode(digest).decode()
