"""JSON as the standard defines it, without the liberties of the usual readers.

Refused: duplicate keys, NaN and Infinity, numbers beyond the float range, integers
that a double cannot hold, NUL, lone surrogates, a byte-order mark, deep nesting.
Python's own reader accepts all of these or falls over them, and names no place.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable
from typing import Any

from submissions.findings import Code, Finding, FindingsError, plain, shown

LIMIT_BYTES = 4 * 1024 * 1024
MAX_DEPTH = 20
MAX_INTEGER = 2**53
MAX_FINDINGS = 25

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?P<rest>(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)")
_WORD = re.compile(r"[-+]?[A-Za-z0-9_.+-]+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONSTANTS = {"true": True, "false": False, "null": None}
_NOT_FINITE = frozenset({"NaN", "Infinity", "-Infinity"})

Path = tuple[str | int, ...]


class StrictJsonError(FindingsError):
    """The text is not strict JSON; the findings name line, column and field.

    ``is_whole`` says that the structure could be read to its end: ``value`` is then
    what the text holds, without the values at the paths in ``replaced``.
    """

    def __init__(
        self,
        findings: Iterable[Finding],
        *,
        value: Any = None,
        is_whole: bool = False,
        replaced: Iterable[Path] = (),
    ) -> None:
        super().__init__(findings)
        self.value = value
        self.is_whole = is_whole
        self.replaced = frozenset(replaced)


def loads(
    data: bytes,
    *,
    where: str,
    limit_bytes: int = LIMIT_BYTES,
    max_depth: int = MAX_DEPTH,
    parse_float: Callable[[str], Any] = float,
    first_line: int = 1,
    max_values: int | None = None,
) -> Any:
    """Return the value of one JSON text; ``where`` names its file in findings.

    ``first_line`` is the number of the text's first line in that file; ``max_values``
    bounds the memory that the value takes, where the limit of bytes is a high one.
    ``parse_float`` receives the digits of every number that has a fraction or an
    exponent, after the check that it is finite.
    """
    findings: list[Finding] = []
    if len(data) > limit_bytes:
        raise StrictJsonError(
            [
                Finding(
                    Code.JSON_TOO_LARGE,
                    where,
                    f"{len(data)} bytes",
                    f"Keep the file within {limit_bytes} bytes.",
                )
            ]
        )
    if data.startswith(b"\xef\xbb\xbf"):
        findings.append(
            Finding(
                Code.JSON_ENCODING,
                f"{where}:{first_line}:1",
                "a byte-order mark before the text",
                "Save the file as UTF-8 without a byte-order mark.",
            )
        )
        data = data[3:]
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + first_line
        column = error.start - data.rfind(b"\n", 0, error.start)
        findings.append(
            Finding(
                Code.JSON_ENCODING,
                f"{where}:{line}:{column}",
                f"byte 0x{data[error.start]:02x}, which is not UTF-8",
                "Save the file as UTF-8.",
            )
        )
        raise StrictJsonError(findings) from None
    parser = _Parser(text, where, max_depth=max_depth, parse_float=parse_float)
    parser.findings = findings
    parser.first_line = first_line
    parser.max_values = max_values
    value = parser.document()
    if findings:
        raise StrictJsonError(
            findings, value=value, is_whole=True, replaced=parser.replaced
        )
    return value


class _Parser:
    """Recursive descent; the depth limit bounds the recursion as well.

    A wrong value is noted and the reading goes on; a wrong structure ends it.
    """

    def __init__(
        self,
        text: str,
        where: str,
        *,
        max_depth: int,
        parse_float: Callable[[str], Any],
    ) -> None:
        self.text = text
        self.where = where
        self.max_depth = max_depth
        self.parse_float = parse_float
        self.findings: list[Finding] = []
        self.first_line = 1
        self.max_values: int | None = None
        self.value_count = 0
        self.path: list[str | int] = []
        self.replaced: list[Path] = []
        self.decode_string = json.JSONDecoder().raw_decode

    def document(self) -> Any:
        value, at = self.value(self.skip(0))
        at = self.skip(at)
        if at < len(self.text):
            raise self.broken(at, f"{self.seen(at)} after the end of the JSON value")
        return value

    def value(self, at: int) -> tuple[Any, int]:
        self.value_count += 1
        if self.max_values is not None and self.value_count > self.max_values:
            self.note(
                Code.JSON_TOO_LARGE,
                at,
                saw=f"more than {self.max_values} values",
                fix="Leave out what is not asked for.",
            )
            raise StrictJsonError(self.findings)
        match self.text[at : at + 1]:
            case "{":
                return self.nested(at, self.object)
            case "[":
                return self.nested(at, self.array)
            case '"':
                return self.string(at)
            case _:
                return self.scalar(at)

    def nested(
        self, at: int, read: Callable[[int], tuple[Any, int]]
    ) -> tuple[Any, int]:
        if self.max_depth == 0:
            self.note(
                Code.JSON_DEPTH,
                at,
                saw="objects and lists nested too deeply",
                fix=f"Keep the nesting within {len(self.path)} levels.",
            )
            raise StrictJsonError(self.findings)
        self.max_depth -= 1
        result = read(self.skip(at + 1))
        self.max_depth += 1
        return result

    def object(self, at: int) -> tuple[dict[str, Any], int]:
        found: dict[str, Any] = {}
        if self.text[at : at + 1] == "}":
            return found, at + 1
        while True:
            if self.text[at : at + 1] != '"':
                raise self.broken(
                    at, f"{self.seen(at)} where a key in double quotes belongs"
                )
            key_at = at
            key, at = self.string(at)
            self.path.append(key)
            if key in found:
                self.note(
                    Code.JSON_DUPLICATE_KEY,
                    key_at,
                    saw=f"the key {shown(key)} a second time",
                    fix="Keep one of the two.",
                )
            at = self.skip(at)
            if self.text[at : at + 1] != ":":
                raise self.broken(at, f"{self.seen(at)} where a colon belongs")
            found[key], at = self.value(self.skip(at + 1))
            self.path.pop()
            at, closed = self.separator(at, "}")
            if closed:
                return found, at

    def array(self, at: int) -> tuple[list[Any], int]:
        found: list[Any] = []
        if self.text[at : at + 1] == "]":
            return found, at + 1
        while True:
            self.path.append(len(found))
            item, at = self.value(at)
            found.append(item)
            self.path.pop()
            at, closed = self.separator(at, "]")
            if closed:
                return found, at

    def separator(self, at: int, end: str) -> tuple[int, bool]:
        at = self.skip(at)
        char = self.text[at : at + 1]
        if char == end:
            return at + 1, True
        if char != ",":
            raise self.broken(at, f'{self.seen(at)} where "," or "{end}" belongs')
        return self.skip(at + 1), False

    def string(self, at: int) -> tuple[str, int]:
        try:
            value, end = self.decode_string(self.text, at)
        except json.JSONDecodeError as error:
            bad = error.pos
            if self.text[bad : bad + 1] < " " and bad < len(self.text):
                saw = f"the control character {self.seen(bad)} in a string"
            else:
                saw = f"a string that is not valid here ({error.msg})"
            raise self.broken(bad, saw) from None
        if "\0" in value or _SURROGATE.search(value):
            self.note(
                Code.JSON_STRING,
                at,
                saw=f"the string {shown(value)}, with a NUL or half a surrogate pair",
                fix="Leave such characters out.",
            )
            self.replaced.append(tuple(self.path))
            value = _SURROGATE.sub("", value.replace("\0", ""))
        return value, end

    def scalar(self, at: int) -> tuple[Any, int]:
        number = _NUMBER.match(self.text, at)
        word = _WORD.match(self.text, at)
        if number and word and number.end() == word.end():
            return self.number(number), number.end()
        if word and word[0] in _CONSTANTS:
            return _CONSTANTS[word[0]], word.end()
        if word and word[0] in _NOT_FINITE:
            self.note(
                Code.JSON_NUMBER,
                at,
                saw=word[0],
                fix="Write a finite number, or leave the field out.",
            )
            self.replaced.append(tuple(self.path))
            return None, word.end()
        raise self.broken(at, f"{self.seen(at)} where a value belongs")

    def number(self, match: re.Match[str]) -> Any:
        digits = match[0]
        if match["rest"]:
            if math.isfinite(float(digits)):
                return self.parse_float(digits)
            fix = "Write a number within the range of a double."
        else:
            # The length is looked at first: converting thousands of digits is slow.
            if len(digits) <= 20 and abs(int(digits)) <= MAX_INTEGER:
                return int(digits)
            fix = "Write an integer within plus or minus 2 to the power of 53."
        self.note(
            Code.JSON_NUMBER,
            match.start(),
            saw=f"the number {plain(digits, limit=30)}",
            fix=fix,
        )
        self.replaced.append(tuple(self.path))
        return None

    def skip(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def seen(self, at: int) -> str:
        return shown(self.text[at]) if at < len(self.text) else "the end of the file"

    def note(self, code: Code, at: int, *, saw: str, fix: str) -> None:
        self.findings.append(Finding(code, self.place(at), saw, fix))
        if len(self.findings) >= MAX_FINDINGS:
            raise StrictJsonError(self.findings)

    def broken(self, at: int, saw: str) -> StrictJsonError:
        self.note(Code.JSON_SYNTAX, at, saw=saw, fix="Correct the JSON at this place.")
        return StrictJsonError(self.findings)

    def place(self, at: int) -> str:
        """``file:line:column``, then the field when the place is inside one."""
        line = self.text.count("\n", 0, at) + self.first_line
        column = at - self.text.rfind("\n", 0, at)
        place = f"{self.where}:{line}:{column}"
        return f"{place}: {dotted(self.path)}" if self.path else place


def dotted(path: list[str | int] | Path) -> str:
    """A field's place as people write it.

    >>> dotted(["runs", 0, "task"])
    'runs[0].task'
    """
    parts = [
        f"[{part}]" if isinstance(part, int) else f".{plain(part, limit=40)}"
        for part in path
    ]
    return "".join(parts).removeprefix(".")
