"""Texts that a snapshot brings along in more than one language."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import get_language


def in_language(texts: Mapping[str, str]) -> str:
    """The text in the language of the page, in English where there is none."""
    return texts.get(get_language() or "en") or texts.get("en", "")
