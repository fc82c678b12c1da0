"""A reader for JSON5, the format of OpenHarmony's project files."""

from __future__ import annotations

import re
from typing import Any

_DEEPEST = 50
_SPACE = re.compile(r"(?:\s|\ufeff|//[^\n\r\u2028\u2029]*|/\*.*?\*/)*", re.DOTALL)
_NAME = re.compile(r"(?:[^\W\d]|\$)(?:\w|\$)*")
_NUMBER = re.compile(
    r"[+-]?(?:(?P<hex>0[xX][0-9a-fA-F]+)"
    r"|(?P<float>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|Infinity|NaN))"
)
_PLAIN = re.compile(r"[^\\\"'\n\r]+")
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_WORDS = {"true": True, "false": False, "null": None}


def parse(text: str) -> Any:
    """Return the value that ``text`` holds. Raises ``ValueError`` with a position.

    >>> parse("{bundle: 'a', /* why */ list: [1, 0x10,],}")
    {'bundle': 'a', 'list': [1, 16]}
    """
    reader = _Reader(text)
    value = reader.value(_DEEPEST)
    if reader.skip_space() < len(text):
        raise reader.error("something after the end")
    return value


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def error(self, what: str) -> ValueError:
        line = self.text.count("\n", 0, self.at) + 1
        return ValueError(f"line {line}: {what}")

    def skip_space(self) -> int:
        self.at = _SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]  # it matches no space too
        return self.at

    def take(self, expected: str) -> bool:
        self.skip_space()
        if not self.text.startswith(expected, self.at):
            return False
        self.at += len(expected)
        return True

    def value(self, depth: int) -> Any:
        if depth == 0:
            raise self.error(f"nested deeper than {_DEEPEST}")
        if self.take("{"):
            return dict(self.members(depth - 1))
        if self.take("["):
            return list(self.items(depth - 1))
        if (quote := self.text[self.at : self.at + 1]) in ("'", '"') and quote:
            return self.string()
        if number := _NUMBER.match(self.text, self.at):
            self.at = number.end()
            return _number(number)
        word = self.name()
        if word not in _WORDS:
            raise self.error(f"unexpected {word!r}")
        return _WORDS[word]

    def members(self, depth: int) -> list[tuple[str, Any]]:
        found = []
        while not self.take("}"):
            quoted = self.text[self.at : self.at + 1] in ("'", '"')
            key = self.string() if quoted else self.name()
            if not self.take(":"):
                raise self.error("a colon is missing")
            found.append((key, self.value(depth)))
            if not self.take(",") and not self.text.startswith("}", self.at):
                raise self.error("a comma or a closing brace is missing")
        return found

    def items(self, depth: int) -> list[Any]:
        found = []
        while not self.take("]"):
            found.append(self.value(depth))
            if not self.take(",") and not self.text.startswith("]", self.at):
                raise self.error("a comma or a closing bracket is missing")
        return found

    def name(self) -> str:
        self.skip_space()
        if not (found := _NAME.match(self.text, self.at)):
            raise self.error("a value or a name is missing")
        self.at = found.end()
        return found.group()

    def string(self) -> str:
        quote, parts = self.text[self.at], []
        self.at += 1
        while self.at < len(self.text):
            if plain := _PLAIN.match(self.text, self.at):
                parts.append(plain.group())
                self.at = plain.end()
                continue
            character = self.text[self.at]
            self.at += 1
            if character == quote:
                # Two escapes may make one character, as in JavaScript.
                whole = "".join(parts).encode("utf-16", "surrogatepass")
                return whole.decode("utf-16", "surrogatepass")
            if character == "\\":
                character = self.escaped()
            elif character in "\n\r":
                break
            parts.append(character)
        raise self.error("a string does not end")

    def escaped(self) -> str:
        character = self.text[self.at : self.at + 1]
        self.at += 1
        if digits := {"x": 2, "u": 4}.get(character):
            code = self.text[self.at : self.at + digits]
            self.at += digits
            if not re.fullmatch(r"[0-9a-fA-F]+", code) or len(code) != digits:
                raise self.error(f"a broken \\{character} escape")
            return chr(int(code, 16))
        if character == "\r" and self.text.startswith("\n", self.at):
            self.at += 1
        return (
            ""
            if character in "\r\n\u2028\u2029"
            else _ESCAPES.get(character, character)
        )


def _number(found: re.Match[str]) -> int | float:
    sign = -1 if found.group().startswith("-") else 1
    if digits := found["hex"]:
        return sign * int(digits, 16)
    text = found["float"]
    return sign * (int(text) if text.isdecimal() else float(text))
