"""What an agent is told: the task, where it works, and afterwards the build's output.

Nothing of the checks, the reference or the results ever stands in here.
"""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.toolchains.base import Diagnostic
from evaluator.toolchains.hvigor_log import without_colors
from leaderboard.models import EvaluationSnapshot

LOG_CHARACTERS = 60_000
LISTED_ERRORS = 100
_MESSAGE_CHARACTERS = 500


def task_prompt(statement: str, snapshot: EvaluationSnapshot) -> str:
    """The first message: definition of the task, environment, instructions."""
    return (
        f"{statement.strip()}\n\n"
        "## Environment\n\n"
        "The folder you are in is an OpenHarmony app project in ArkTS.\n\n"
        f"- SDK: {snapshot.sdk}\n"
        f"- Toolchain: {snapshot.toolchain}\n"
        f"- Device: {snapshot.device_profile}\n\n"
        "There is no network, and nobody answers questions.\n\n"
        "## Instructions\n\n"
        "Change the project so that the app does what the task says. Your work is the "
        "state of the folder when you end: it is built with hvigor and checked on a "
        "device by what it shows and does. Leave the build scripts and the project's "
        "tests as they are.\n"
    )


def repair_prompt(log: bytes, diagnostics: Sequence[Diagnostic]) -> str:
    """A later message: the project does not build, and this is what the build said.

    The errors stand before the log, of which only the beginning and the end may be
    told: a long one says most of them in between.
    """
    text = without_colors(log)
    if len(text) > LOG_CHARACTERS:
        half = LOG_CHARACTERS // 2
        left_out = len(text) - LOG_CHARACTERS
        text = f"{text[:half]}\n[... {left_out} characters ...]\n{text[-half:]}"
    return (
        "The project does not build. Mend it, and change nothing that the task did not "
        f"ask for.\n\n{_errors(diagnostics)}"
        f"The output of the build:\n\n{text.strip()}\n"
    )


def _errors(diagnostics: Sequence[Diagnostic]) -> str:
    """Each error on a line of its own, and how many are left out."""
    errors = [each for each in diagnostics if each.severity == "error"]
    if not errors:
        return ""
    lines = [_error(each) for each in errors[:LISTED_ERRORS]]
    if rest := len(errors) - len(lines):
        lines.append(f"- and {rest} more")
    listed = "\n".join(lines)
    return f"Its errors ({len(errors)}):\n\n{listed}\n\n"


def _error(error: Diagnostic) -> str:
    place = [str(part) for part in (error.file, error.line, error.column) if part]
    before = " ".join(part for part in (error.code, ":".join(place)) if part)
    message = error.message[:_MESSAGE_CHARACTERS]
    return f"- {before}: {message}" if before else f"- {message}"
