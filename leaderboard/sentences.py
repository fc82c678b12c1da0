"""Sentences that are kept in English, and told in the language of the reader.

What the software writes on record (a step, a proof, a finding) stays one text for the
API, the command line and the audit trail. A ``Sentence`` is the form it has; pages find
the form again by ``told`` and fill its translation with the same facts. What matches
no form is somebody's own words and stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import NamedTuple

from django.utils.translation import get_language, gettext, pgettext

CONTEXT = "kept sentence"
_PLACE = re.compile(r"%\((\w+)\)s")
_SOURCE_LANGUAGE = "en"
# Nothing that the software writes is longer, with a reason of somebody in it.
_LONGEST = 5_000


class Sentence:
    """An English text with places for facts, as ``%(name)s``.

    Facts named in ``inner`` are words of the software themselves, and told as well;
    all others are quoted as they are. A ``part`` is only found inside of others: on its
    own it may as well be what somebody wrote.

    >>> Sentence("run again as %(name)s")(name="x-1")
    'run again as x-1'
    """

    def __init__(
        self,
        text: str,
        *,
        inner: Collection[str] = (),
        part: bool = False,
        context: str | None = CONTEXT,
    ) -> None:
        self.text = text
        self.part = part
        self.context = context
        self.inner = frozenset(inner)
        # Text and names of places take turns.
        parts = _PLACE.split(text)
        parts[::2] = [part.replace("%%", "%") for part in parts[::2]]
        self._form = re.compile(
            "".join(
                f"(?P<{part}>.+?)" if number % 2 else re.escape(part)
                for number, part in enumerate(parts)
            ),
            re.DOTALL,
        )
        self._first, self._last = parts[0], parts[-1]
        # What begins with a place fits much, and is tried last.
        self.weight = (bool(self._first), sum(map(len, parts[::2])))

    def __call__(self, **facts: object) -> str:
        """The sentence as it is kept."""
        return self.text % facts

    def facts_of(self, text: str) -> dict[str, str] | None:
        """What stands in the places of ``text``; None if it has another form."""
        if not (text.startswith(self._first) and text.endswith(self._last)):
            return None
        found = self._form.fullmatch(text)
        return None if found is None else found.groupdict()

    def told(self, facts: dict[str, str]) -> str:
        inner = {name: _told(facts[name], whole=False) for name in self.inner}
        text = pgettext(self.context, self.text) if self.context else gettext(self.text)
        return text % {**facts, **inner}


class _Known(NamedTuple):
    by_text: dict[str, Sentence]
    ordered: list[Sentence]


_known = _Known({}, [])


def know(sentences: Iterable[Sentence]) -> None:
    """Let ``told`` find ``sentences``; each app says at its start what it writes."""
    for each in sentences:
        _known.by_text[each.text] = each
    # Where several forms fit, the one with the most words of its own is meant.
    _known.ordered[:] = sorted(
        _known.by_text.values(), key=lambda each: each.weight, reverse=True
    )
    _find.cache_clear()


def known_messages() -> set[tuple[str | None, str]]:
    """Context and text of all forms, as the catalog of translations has them."""
    return {(each.context, each.text) for each in _known.ordered}


def is_known(text: str) -> bool:
    return _find(text, whole=True) is not None


@lru_cache(maxsize=1024)
def _find(text: str, *, whole: bool) -> tuple[Sentence, dict[str, str]] | None:
    for each in _known.ordered if len(text) <= _LONGEST else ():
        if whole and each.part:
            continue
        facts = each.facts_of(text)
        if facts is not None:
            return each, facts
    return None


def gap() -> str:
    """What stands between two sentences: a space, in Chinese nothing."""
    return "" if (get_language() or "").startswith("zh") else " "


def told(text: str) -> str:
    """``text`` in the reader's language, if the software wrote it; else as it is."""
    language = get_language() or _SOURCE_LANGUAGE
    return text if language.startswith(_SOURCE_LANGUAGE) else _told(text, whole=True)


def _told(text: str, *, whole: bool) -> str:
    found = _find(text, whole=whole)
    return text if found is None else found[0].told(found[1])


# What stands in front of a sentence in a list: a code, and the file or F-point meant.
_HEAD = re.compile(r"(?P<head>\S+(?: \S+)?: )(?P<words>.+)", re.DOTALL)


class Part(NamedTuple):
    """One of several sentences; ``own`` where it is the software's."""

    own: bool
    text: str


def list_told(text: str) -> list[Part]:
    """``told`` for each part between semicolons; a head with a colon is kept."""
    return [_part_told(each) for each in text.split("; ")]


def _part_told(text: str) -> Part:
    if is_known(text):
        return Part(own=True, text=told(text))
    found = _HEAD.fullmatch(text)
    if found is None or not is_known(found["words"]):
        return Part(own=False, text=text)
    return Part(own=True, text=found["head"] + told(found["words"]))
