"""What the command prints: results to stdout, everything else to stderr."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress, ProgressColumn
from rich.text import Text

from submissions.cli.errors import Told

_STYLES = {"error": "bold red", "warning": "yellow"}


def say(line: str) -> None:
    """One line of the result."""
    click.echo(line)


def note(line: str) -> None:
    """Something that is not part of the result."""
    click.echo(line, err=True)


def stderr() -> Console:
    return Console(stderr=True, soft_wrap=True, highlight=False)


def quiet_progress(*columns: ProgressColumn) -> Progress:
    """Bars that leave nothing behind, and never appear where there is no terminal."""
    console = stderr()
    return Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    )


def print_json(value: Any) -> None:
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


def print_findings(findings: Iterable[Told]) -> None:
    """Errors first, each with its place, what was seen there and how to mend it."""
    console = stderr()
    for finding in sorted(findings, key=lambda each: each.severity):
        head = Text(finding.severity, style=_STYLES.get(finding.severity, ""))
        head.append(f"  {finding.where}", style="bold")
        head.append(f"  [{finding.code}]", style="dim")
        console.print(head)
        console.print(Text(f"    saw: {finding.saw}"))
        console.print(Text(f"    fix: {finding.fix}"))


def in_words(findings: Iterable[Told]) -> str:
    """The number of errors and of warnings."""
    counts = Counter(each.severity for each in findings)
    return " and ".join(_plural(counts[kind], kind) for kind in ("error", "warning"))


def as_document(findings: Iterable[Told]) -> dict[str, Any]:
    """The findings as the API gives them."""
    found = list(findings)
    kinds = {
        f"{kind}s": [each.as_dict() for each in found if each.severity == kind]
        for kind in ("error", "warning")
    }
    return {"ok": not kinds["errors"], **kinds}


def _plural(count: int, noun: str) -> str:
    return f"{count or 'no'} {noun}{'' if count == 1 else 's'}"
