"""What hvigor prints: its closing line, and compiler messages in two formats."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Literal

from evaluator.toolchains.base import Diagnostic

MAX_DIAGNOSTICS = 1000

_COLORS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[@-Z\\-_]")
_CLOSING = re.compile(
    r"^[ \t]*(?:> )?hvigor (?:ERROR: )?BUILD (SUCCESSFUL|FAILED) in ", re.MULTILINE
)
_NOT_SIMULATED = re.compile(
    r"^(?:> hvigor )?(?:ERROR: )?not simulated: (.+)$", re.MULTILINE
)
_PLACE = r"(?P<file>[^\n]+?)(?::(?P<line>\d+))?(?::(?P<column>\d+))?"

# Tools 4.x: "1 ERROR: ArkTS:ERROR File: path:line:col", the message on the next line.
_OLD = re.compile(
    r"^\d+ (?P<severity>ERROR|WARN): ArkTS:(?:ERROR|WARN) File: "
    + _PLACE
    + r"[ \t]*\n(?P<message>[^\n]*)",
    re.MULTILINE,
)
# Tools 5.x and 6.x: "1 ERROR: 10505001 ArkTS Compiler Error", then the message, which
# may go over several lines, "At File:" and the place.
_NEW = re.compile(
    r"^\d+ (?P<severity>ERROR|WARN): (?P<code>\d{8}) [^\n]*\n"
    r"(?:Error|Warning) Message: (?P<message>(?:(?!^\d+ (?:ERROR|WARN): ).)*?)"
    r"(?:[ \t]*At File: " + _PLACE + r")?[ \t]*(?=\n\n|\n*\Z|\n\d+ (?:ERROR|WARN): )",
    re.MULTILINE | re.DOTALL,
)


def without_colors(output: bytes) -> str:
    """The output as text without terminal colors, with plain line ends."""
    text = output.decode("utf-8", "replace").replace("\r\n", "\n")
    return _COLORS.sub("", text)


def closing_line_says(text: str, word: Literal["SUCCESSFUL", "FAILED"]) -> bool:
    """Whether the last of hvigor's closing lines has ``word``."""
    found = _CLOSING.findall(text)
    return bool(found) and found[-1] == word


def not_simulated(text: str) -> tuple[str, ...]:
    """What the simulated hvigorw said it cannot do."""
    names = (found.strip() for found in _NOT_SIMULATED.findall(text))
    return tuple(dict.fromkeys(names))


def read_diagnostics(output: bytes, workspace: Path) -> tuple[Diagnostic, ...]:
    """The compiler messages of a build, in order; paths are relative to ``workspace``.

    The format without codes gives an empty code.
    """
    text = without_colors(output)
    found = sorted(_matches(text), key=lambda match: match.start())
    return tuple(_diagnostic(match, workspace) for match in found[:MAX_DIAGNOSTICS])


def _matches(text: str) -> Iterator[re.Match[str]]:
    yield from _OLD.finditer(text)
    yield from _NEW.finditer(text)


def _diagnostic(match: re.Match[str], workspace: Path) -> Diagnostic:
    parts = match.groupdict()
    return Diagnostic(
        code=parts.get("code") or "",
        message=" ".join((parts["message"] or "").split()),
        file=_relative(parts["file"] or "", workspace),
        line=int(parts["line"]) if parts["line"] else None,
        column=int(parts["column"]) if parts["column"] else None,
        severity="error" if parts["severity"] == "ERROR" else "warning",
    )


def _relative(file: str, workspace: Path) -> str:
    path = PurePosixPath(file.strip().replace("\\", "/"))
    if path.is_relative_to(workspace.as_posix()):
        return str(path.relative_to(workspace.as_posix()))
    return str(path) if file.strip() else ""
