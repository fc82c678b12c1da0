"""Lines of hidden checks, which tracebacks quote, kept out of what is stored.

Only what a reader could learn from goes: the number of the line, the method and the
message of an assertion stay, and so does everything that a verdict rests on.
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

MARK = "[line of a hidden check]"

# Shorter ones tell nothing, and stand in other programs too.
_SHORTEST = 12
_JSON = (".json", ".js")


def without_hidden_lines(files: Mapping[str, bytes], folder: Path) -> dict[str, bytes]:
    """``files`` with :data:`MARK` in place of lines of the scripts in ``folder``."""
    lines = sorted(_telling_lines(folder), key=len, reverse=True)
    in_json = [form for line in lines for form in _json_forms(line)]
    elsewhere = [form for line in lines for form in _text_forms(line)]
    return {
        name: _replaced(data, in_json if name.endswith(_JSON) else elsewhere)
        for name, data in files.items()
    }


def hiding(folder: Path) -> Callable[[str], str]:
    """A function that puts :data:`MARK` in a text where it quotes such a line.

    For texts of others, which are kept as they came and may have quoted a check.
    """
    lines = sorted(_telling_lines(folder), key=len, reverse=True)
    forms = list(dict.fromkeys(form for line in lines for form in _text_forms(line)))

    def hide(text: str) -> str:
        for form in forms:
            if form in text:
                text = text.replace(form, MARK)
        return text

    return hide


def _telling_lines(folder: Path) -> set[str]:
    """Names alone, as in a list of methods, stay: reports are keyed by them."""
    return {
        line
        for script in folder.rglob("*.py")
        for line in map(str.strip, script.read_text("utf-8", "replace").splitlines())
        if len(line) >= _SHORTEST and ("(" in line or "=" in line)
    }


def _json_forms(line: str) -> Iterator[str]:
    for ascii_only in (True, False):
        yield json.dumps(line, ensure_ascii=ascii_only)[1:-1]


def _text_forms(line: str) -> Iterator[str]:
    """As it stands, in XML and HTML, and in what pages of reports embed."""
    yield from (line, html.escape(line), html.escape(line, quote=False))
    yield repr(line)[1:-1]
    yield from _json_forms(line)


def _replaced(data: bytes, forms: list[str]) -> bytes:
    for form in dict.fromkeys(forms):
        data = data.replace(form.encode(), MARK.encode())
    return data
