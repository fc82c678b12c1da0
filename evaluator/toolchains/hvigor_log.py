"""What hvigor prints: its closing line, and compiler messages in two formats."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple

from evaluator.toolchains.base import Diagnostic
from evaluator.toolchains.hvigor_refusals import read_refusals

MAX_DIAGNOSTICS = 1000

_LINE_LENGTH = 2000
_MESSAGE_LINES = 30
_MESSAGE_LENGTH = 4000

_COLORS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[@-Z\\-_]")
_CLOSING = re.compile(
    r"^[ \t]*(?:> )?hvigor (?:ERROR: )?BUILD (SUCCESSFUL|FAILED) in ", re.MULTILINE
)
_ERROR = re.compile(r"^[ \t]*> hvigor ERROR: \S", re.MULTILINE)
_NOT_SIMULATED = re.compile(
    r"^(?:> hvigor )?(?:ERROR: )?not simulated: (.+)$", re.MULTILINE
)
_COMPILED = re.compile(r"COMPILE RESULT: ?(\w+) ?\{ERROR:(\d+) +WARN:(\d+)\}")
_FAILED_TASK = re.compile(
    r"^[ \t]*(?:> hvigor )?ERROR: Failed :\S*@(\w+)", re.MULTILINE
)
# Only where hvigor itself says so: a compiler message quotes the project.
_NO_SDK = re.compile(
    r"^[ \t]*(?:> hvigor )?(?:ERROR|Error Message): .*"
    r"(SDK component missing|Invalid value of 'DEVECO_SDK_HOME'|spawn java ENOENT"
    r"|Unable to find the SDK).*$",
    re.MULTILINE,
)
_OHPM_FAULT = re.compile(r"^ohpm ERROR: ?(.*)$", re.MULTILINE)
_HEADER = re.compile(
    r"(?:> hvigor |\d+ )(ERROR|WARN): "
    r"(?:(\d{8})\b|ArkTS:(?:ERROR|WARN) File: (.+))?"
)
_MESSAGE = re.compile(r"(?:Error|Warning) Message: ?(.*)")
_PLACE = re.compile(r"(.*?)(?::(\d{1,9}))?(?::(\d{1,9}))?")
_AT_FILE = "At File:"


def without_colors(output: bytes) -> str:
    """The output as text without terminal colors, with plain line ends."""
    text = output.decode("utf-8", "replace").replace("\r\n", "\n")
    return _COLORS.sub("", text)


def closing_line_says(text: str, word: Literal["SUCCESSFUL", "FAILED"]) -> bool:
    """Whether the last of hvigor's closing lines has ``word``."""
    found = _CLOSING.findall(text)
    return bool(found) and found[-1] == word


class CompileResult(NamedTuple):
    """The compiler's own count; ``errors`` includes one line that sums them up."""

    ok: bool
    errors: int
    warnings: int


def compile_result(text: str) -> CompileResult | None:
    """The last result of the ArkTS compiler; None if it never ran to its end."""
    found = _COMPILED.findall(text)
    if not found:
        return None
    word, errors, warnings = found[-1]
    return CompileResult(word != "FAIL", int(errors), int(warnings))


def failed_task(text: str) -> str:
    """The task that failed, such as PreBuild or CompileArkTS, if one is named."""
    found = _FAILED_TASK.findall(text)
    return found[-1] if found else ""


def lacks_sdk(text: str) -> str:
    """Hvigor's words for an SDK or Java that is not there; empty if it has none."""
    found = _NO_SDK.search(text)
    return "" if found is None else found[0].strip()[:300]


def ohpm_fault(text: str) -> str:
    """The last error of ohpm; empty if it told of none."""
    found = _OHPM_FAULT.findall(text)
    return found[-1].strip()[:300] if found else ""


def reports_an_error(text: str) -> bool:
    """Whether hvigor, not the shell or a crash of it, says that something is wrong."""
    return _ERROR.search(text) is not None


def not_simulated(text: str) -> tuple[str, ...]:
    """What the simulated hvigorw said it cannot do."""
    names = (found.strip() for found in _NOT_SIMULATED.findall(text))
    return tuple(dict.fromkeys(names))


def read_diagnostics(output: bytes, workspace: Path) -> tuple[Diagnostic, ...]:
    """The compiler messages of a build, in order; paths are relative to ``workspace``.

    Tools 4.x print "1 ERROR: ArkTS:ERROR File: path:line:col" and the message on the
    next line; tools 5.x and 6.x "1 ERROR: 10505001 ArkTS Compiler Error", then "Error
    Message:", a text that may go over several lines, "At File:" and the place. A
    message without a code gets an empty one. Where the build failed before the compiler
    ran, hvigor's own words take their place.
    """
    lines = [line[:_LINE_LENGTH].strip() for line in without_colors(output).split("\n")]
    found = _compiler_messages(lines, workspace)
    if not any(each.severity == "error" for each in found):
        found += [
            _diagnostic(
                "ERROR",
                each.code,
                " ".join(each.words),
                each.place,
                workspace=workspace,
                log_line=each.log_line,
            )
            for each in read_refusals(lines)
        ]
    return tuple(found)


def place_of(text: str, workspace: Path) -> tuple[str, int | None, int | None]:
    """File, line and column of ``path:line:col``; what is not there is None."""
    match = _PLACE.fullmatch(text.strip())
    file, line, column = match.groups() if match else (text, None, None)
    return (
        _relative(file, workspace),
        int(line) if line else None,
        int(column) if column else None,
    )


def _compiler_messages(lines: Sequence[str], workspace: Path) -> list[Diagnostic]:
    found: list[Diagnostic] = []
    for number, line in enumerate(lines):
        header = _HEADER.match(line)
        if header is None or len(found) >= MAX_DIAGNOSTICS:
            continue
        severity, code, place = header.groups()
        rest = lines[number + 1 : number + 1 + _MESSAGE_LINES]
        if place is not None:
            message = rest[0] if rest else ""
        else:
            text = _message_of(rest)
            if text is None:
                continue
            before, mark, after = text.rpartition(_AT_FILE)
            message, place = (before, after) if mark else (text, "")
        found.append(
            _diagnostic(
                severity,
                code,
                message,
                place,
                workspace=workspace,
                log_line=number + 1,
            )
        )
    return found


def _message_of(lines: Sequence[str]) -> str | None:
    """The text up to a blank line or the next header; None if it is no message."""
    first = _MESSAGE.match(lines[0]) if lines else None
    if first is None:
        return None
    parts = [first[1]]
    for line in lines[1:]:
        if not line or _HEADER.match(line):
            break
        parts.append(line)
    return " ".join(parts)


def _diagnostic(
    severity: str,
    code: str | None,
    message: str,
    place: str,
    *,
    workspace: Path,
    log_line: int,
) -> Diagnostic:
    file, line, column = place_of(place, workspace)
    return Diagnostic(
        code=code or "",
        message=" ".join(message.split())[:_MESSAGE_LENGTH],
        file=file,
        line=line,
        column=column,
        severity="error" if severity == "ERROR" else "warning",
        log_line=log_line,
    )


def _relative(file: str, workspace: Path) -> str:
    if not file:
        return ""
    path = PurePosixPath(file.replace("\\", "/"))
    root = workspace.as_posix()
    return str(path.relative_to(root) if path.is_relative_to(root) else path)
