"""Taking a secret out of bytes, also where it comes in pieces."""

from __future__ import annotations

MARK = b"[redacted]"


def redact(content: bytes, secret: str) -> bytes:
    """``content`` without ``secret``; an empty secret is none."""
    return content.replace(secret.encode(), MARK) if secret else content


class Redactor:
    """Redacts a stream: what may be the beginning of the secret waits for the rest."""

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self._held = b""

    def feed(self, chunk: bytes) -> bytes:
        whole = redact(self._held + chunk, self._secret)
        kept = self._beginning_at_end(whole)
        self._held = whole[len(whole) - kept :]
        return whole[: len(whole) - kept]

    def rest(self) -> bytes:
        held, self._held = self._held, b""
        return held

    def _beginning_at_end(self, text: bytes) -> int:
        secret = self._secret.encode()
        most = min(len(secret) - 1, len(text))
        lengths = range(most, 0, -1)
        return next((n for n in lengths if text.endswith(secret[:n])), 0)
