"""Task statements as HTML: headings, paragraphs, lists and code, everything escaped.

A small subset of Markdown on purpose: statements come with task packages, and no input
can yield anything but these few tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

_HEADING = re.compile(r"(#{1,4})\s+(.*)")
_BULLET = re.compile(r"\s*[-*]\s+(.*)")
_NUMBER = re.compile(r"\s*\d{1,3}[.)]\s+(.*)")
_SPAN = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*")


def statement_html(text: str) -> SafeString:
    """The statement with every character escaped and only known blocks marked up."""
    blocks = list(_blocks(text.replace("\r\n", "\n").split("\n")))
    return format_html_join("\n", "{}", ((block,) for block in blocks))


def _blocks(lines: list[str]) -> Iterator[SafeString]:
    place = 0
    while place < len(lines):
        line = lines[place]
        if not line.strip():
            place += 1
        elif line.lstrip().startswith("```"):
            end = _fence_end(lines, place + 1)
            code = "\n".join(lines[place + 1 : end])
            yield format_html("<pre><code>{}</code></pre>", code)
            place = end + 1
        elif found := _HEADING.fullmatch(line.strip()):
            level = min(len(found[1]) + 2, 6)  # The page has h1 and h2 of its own.
            yield format_html("<h{0}>{1}</h{0}>", level, _inline(found[2]))
            place += 1
        elif _item(line):
            html, place = _list(lines, place)
            yield html
        else:
            end = _paragraph_end(lines, place)
            yield format_html("<p>{}</p>", _inline(" ".join(lines[place:end])))
            place = end


def _fence_end(lines: list[str], place: int) -> int:
    while place < len(lines) and not lines[place].lstrip().startswith("```"):
        place += 1
    return place


def _paragraph_end(lines: list[str], place: int) -> int:
    place += 1
    while place < len(lines) and lines[place].strip() and not _starts(lines[place]):
        place += 1
    return place


def _starts(line: str) -> bool:
    return bool(
        line.lstrip().startswith("```")
        or _HEADING.fullmatch(line.strip())
        or _item(line)
    )


def _item(line: str) -> tuple[str, str] | None:
    """The kind of list and the text of an item, or None."""
    if found := _BULLET.fullmatch(line):
        return "ul", found[1]
    if found := _NUMBER.fullmatch(line):
        return "ol", found[1]
    return None


def _list(lines: list[str], place: int) -> tuple[SafeString, int]:
    first = _item(lines[place])
    kind = first[0] if first else "ul"
    items: list[str] = []
    while place < len(lines) and lines[place].strip():
        found = _item(lines[place])
        if found and found[0] != kind:
            break
        if found:
            items.append(found[1])
        elif _starts(lines[place]):
            break
        else:
            items[-1] += " " + lines[place].strip()
        place += 1
    body = format_html_join("", "<li>{}</li>", ((_inline(item),) for item in items))
    return format_html("<{0}>{1}</{0}>", kind, body), place


def _inline(text: str) -> SafeString:
    parts, end = [], 0
    for found in _SPAN.finditer(text):
        tag = "code" if found[1] is not None else "strong"
        parts.append(escape(text[end : found.start()]))
        parts.append(format_html("<{0}>{1}</{0}>", tag, found[1] or found[2]))
        end = found.end()
    parts.append(escape(text[end:]))
    return mark_safe("".join(parts))  # noqa: S308 - every part is escaped above
