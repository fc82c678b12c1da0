"""Which software made something that is stored: another one has to make it again."""

from __future__ import annotations

import hashlib
from functools import cache

from django.conf import settings

_FOLDERS = ("leaderboard", "templates", "static")
_KINDS = frozenset({".py", ".html", ".svg", ".mo", ".css", ".js"})
# What pages say and no file of ours holds.
_SETTINGS = (
    *("PUBLIC_URL", "DATA_LICENSE", "OPERATOR", "CONTACT", "LANGUAGES"),
    *("STATIC_URL", "FORCE_SCRIPT_NAME", "CONTENT_SECURITY_POLICY"),
)


@cache
def fingerprint() -> str:
    """16 hex digits over code, templates, translations and what is set for pages.

    Equal on every machine that runs the same software with the same settings.
    """
    digest = hashlib.sha256()
    for folder in _FOLDERS:
        for path in sorted((settings.BASE_DIR / folder).rglob("*")):
            if path.suffix in _KINDS:
                name = path.relative_to(settings.BASE_DIR).as_posix()
                digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    for setting in _SETTINGS:
        digest.update(repr(getattr(settings, setting)).encode() + b"\0")
    return digest.hexdigest()[:16]
