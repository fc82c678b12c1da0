"""How the command ends. Scripts rely on the numbers; they never change."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

import click

from submissions.findings import Finding


class ExitCode(IntEnum):
    OK = 0
    FINDINGS = 1
    USAGE = 2
    NETWORK = 3
    AUTH = 4
    NOT_FOUND = 5
    REFUSED = 6
    DAMAGED = 7
    NO_RESULT = 8
    INTERRUPTED = 130


class CliError(click.ClickException):
    """Something went wrong; the message says what, and what to do about it."""

    def __init__(self, message: str, code: ExitCode) -> None:
        super().__init__(message)
        self.code = code


class Told(NamedTuple):
    """A finding of this command or of the server, whose codes may be newer ones."""

    severity: str
    code: str
    where: str
    saw: str
    fix: str

    def as_dict(self) -> dict[str, str]:
        return {name: getattr(self, name) for name in ("code", "where", "saw", "fix")}


def told(findings: Iterable[Finding]) -> list[Told]:
    return [
        Told(each.severity, each.code.value, each.where, each.saw, each.fix)
        for each in findings
    ]


class FindingsExit(click.ClickException):
    """Something was refused for reasons all of which are told."""

    def __init__(
        self,
        message: str,
        findings: Iterable[Told],
        code: ExitCode = ExitCode.FINDINGS,
    ) -> None:
        super().__init__(message)
        self.findings = tuple(findings)
        self.code = code


def usage_error(message: str) -> CliError:
    return CliError(message, ExitCode.USAGE)
