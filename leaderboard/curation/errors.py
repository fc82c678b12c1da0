"""What curation tells people who ask for something that cannot be."""

from __future__ import annotations


class CurationError(Exception):
    """An act that the present state does not allow; the message is for people."""
