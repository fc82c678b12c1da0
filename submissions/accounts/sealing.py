"""Secrets that must be read again, encrypted: the database alone is no use."""

from __future__ import annotations

import base64
import hashlib

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings
from django.utils.encoding import force_bytes


def seal(text: str, *, purpose: str) -> str:
    return _cipher(purpose).encrypt(text.encode()).decode()


def unseal(sealed: str, *, purpose: str) -> str:
    """Raises ``cryptography.fernet.InvalidToken`` where the key is another one."""
    return _cipher(purpose).decrypt(sealed.encode()).decode()


def _cipher(purpose: str) -> MultiFernet:
    """The newest secret key encrypts; older ones in the fallbacks still decrypt."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    digests = (
        hashlib.sha256(purpose.encode() + b":" + force_bytes(key)) for key in keys
    )
    return MultiFernet(
        [Fernet(base64.urlsafe_b64encode(each.digest())) for each in digests]
    )
