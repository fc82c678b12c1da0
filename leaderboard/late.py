"""What templates give to parts of a page that are drawn once (``{% kept %}``)."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from django.urls import get_script_prefix, reverse
from django.utils.translation import get_language

from leaderboard.memory import Memory

_addresses: Memory[str] = Memory(size=2_000)


class Late(str):
    """A text that differs from page to page, such as an address that keeps a query.

    It is put in after the part was drawn: a template can show it and nothing else. It
    is never empty.
    """

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Keyed:
    """Anything that is equal wherever ``kept_key`` is; with None, nowhere.

    ``it`` may be a function: templates call it, and only where the part is drawn.
    """

    kept_key: Hashable | None
    it: Any


def address(name: str, *given: str) -> str:
    """What ``reverse`` says, remembered: a page asks for the same ones every time."""
    key = (name, given, get_language(), get_script_prefix())
    return _addresses.find(key, lambda: reverse(name, args=given))
