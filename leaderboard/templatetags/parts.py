"""Parts of pages that a process draws once and then only fills in."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from datetime import date
from html import escape
from typing import Any

from django import template
from django.template import Context
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from leaderboard.late import Late
from leaderboard.memory import Memory
from leaderboard.moulds import Mould, hole

register = template.Library()
# 1, 1.0 and True are equal and look different.
_PLAIN = frozenset({str, SafeString, int, bool, float, date})
_moulds: Memory[Mould] = Memory(size=1_000)


@register.simple_tag(takes_context=True)
def kept(context: Context, name: str, **given: Any) -> SafeString:
    """Like ``{% include name with ... only %}``, drawn once for all equal values.

    Values are texts, numbers, dates, tuples, lists and dictionaries of them. A
    :class:`Late` text is put in afterwards, so that it may differ. Anything else says
    by its ``kept_key`` what it is equal to; with None the part is drawn anew.
    """
    late: list[str] = []
    key = _key(given, late)

    def draw(values: Mapping[str, Any]) -> str:
        engine = context.template.engine  # type: ignore[union-attr]  # it is being rendered
        found = engine.get_template(name)
        return str(found.render(context.new(dict(values))))

    if key is None:
        return SafeString(draw(given))
    mould = _moulds.find(
        (name, get_language(), key), lambda: Mould(draw(_hollow(given, _Count())))
    )
    return SafeString(mould.fill([escape(text) for text in late]))


class _Count:
    """Numbers the holes in the order in which :func:`_key` meets the texts."""

    def __init__(self) -> None:
        self.number = -1

    def next(self) -> int:
        self.number += 1
        return self.number


def _key(value: Any, late: list[str]) -> Hashable | None:
    """What ``value`` is equal to, None for nothing; its late texts go to ``late``."""
    kind = type(value)
    if kind is Late:
        late.append(value)
        return kind
    if value is None:
        return ()
    if kind in _PLAIN:
        return (kind, value)
    if kind is dict:
        return _keys(tuple(value), value.values(), late)
    if isinstance(value, tuple | list):
        return _keys((kind,), value, late)
    if isinstance(value, str | Promise):
        return (kind, str(value))
    found: Hashable | None = value.kept_key
    return found


def _keys(head: Hashable, values: Iterable[Any], late: list[str]) -> Hashable | None:
    found = [_key(each, late) for each in values]
    return None if None in found else (head, *found)


def _hollow(value: Any, count: _Count) -> Any:
    """``value`` with holes in place of its late texts."""
    if isinstance(value, Late):
        return hole(count.next())
    if isinstance(value, dict):
        return {name: _hollow(each, count) for name, each in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_hollow(each, count) for each in value))
    if isinstance(value, tuple | list):
        return type(value)(_hollow(each, count) for each in value)
    return value
