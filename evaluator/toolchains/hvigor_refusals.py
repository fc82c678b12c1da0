"""What hvigor says where a build fails before the ArkTS compiler runs.

PreBuild names a field of a JSON file, CompileResource passes on what the resource tool
printed, and other tasks say a sentence. None of them has the compiler's form.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

MAX_REFUSALS = 100
MAX_LINES = 5000

_HVIGOR = re.compile(r"(?:> hvigor )?ERROR: ?(?:(\d{8}) )?(.*)")
# Lines that only announce or sum up.
_BOILERPLATE = re.compile(
    r"Failed :|BUILD FAILED|Tools execution failed|ArkTS Compiler Error"
    r"|\w+ Error$|Tasks? .*failed|$"
)
_TOOL = re.compile(r"(?:\d+ )?Error(?: Message)?: (.*)")
_CODE = re.compile(r"Error Code: (\d{8})")
_FIELD = re.compile(r"(message|location|instancePath): [\"'](.*)[\"'],?")
_AT = re.compile(r"(.*?)\bat(?: file)?:? ((?:[A-Za-z]:|/)\S.*)", re.IGNORECASE)


@dataclass(slots=True)
class Refusal:
    """One message; ``place`` is ``path:line:col``, as far as it was told.

    ``log_line`` counts from 1.
    """

    code: str = ""
    words: list[str] = field(default_factory=list)
    place: str = ""
    log_line: int = 0


def read_refusals(lines: Sequence[str]) -> list[Refusal]:
    """The messages in lines without colors and without white space around them.

    Hvigor gives up at once, so they stand at the end of even the longest log.
    """
    found: list[Refusal] = []
    code = ""
    skipped = max(0, len(lines) - MAX_LINES)
    for number, line in enumerate(lines[skipped:], start=skipped + 1):
        if len(found) > MAX_REFUSALS:
            break
        if announced := _CODE.match(line):
            code = announced[1]
        elif hvigor := _HVIGOR.match(line):
            code = hvigor[1] or ""
            if not _BOILERPLATE.match(hvigor[2]):
                found.append(Refusal(code, [hvigor[2]], log_line=number))
        elif tool := _TOOL.match(line):
            # After a code "Error:" is only the title of the message that comes.
            if not code or line.startswith("Error Message"):
                found.append(Refusal(code, [tool[1]], log_line=number))
                _split_place(found[-1])
        elif found:
            _add(found[-1], line)
    _share_places(found)
    return found[:MAX_REFUSALS]


def _add(refusal: Refusal, line: str) -> None:
    named = _FIELD.match(line)
    if named is not None and named[1] == "location":
        refusal.place = refusal.place or named[2]
    elif named is not None:
        refusal.words.append(named[2])
    elif (at := _AT.fullmatch(line)) is not None and not at[1]:
        refusal.place = refusal.place or at[2]


def _split_place(refusal: Refusal) -> None:
    at = _AT.fullmatch(refusal.words[0])
    if at is not None and at[1]:
        refusal.words, refusal.place = [at[1].strip()], at[2]


def _share_places(found: Sequence[Refusal]) -> None:
    """The resource tool names the file once, after all messages about it."""
    place = ""
    for refusal in reversed(found):
        place = refusal.place or place
        refusal.place = place
