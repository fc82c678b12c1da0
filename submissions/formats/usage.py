"""Reported resource use of one task run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from submissions import strict_json
from submissions.findings import Code, Finding, FindingsError, shown

MAX_TOKENS = 10**12
MAX_SECONDS = 10**7
LIMIT_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Usage:
    """What the submitter measured; None is "not reported" and never stands for 0."""

    total_tokens: int | None = None
    agent_ms: int | None = None
    repair_rounds: int | None = None


NOT_REPORTED = Usage()


class UsageError(FindingsError):
    """A usage file is refused; every field at fault has a finding of its own."""


def parse_usage(data: bytes, *, where: str, repair_limit: int | None) -> Usage:
    """Read a usage file; ``repair_limit`` is None while the snapshot is unknown.

    A field that is missing or null was not reported.
    """
    findings: list[Finding] = []
    try:
        value = strict_json.loads(
            data, where=where, limit_bytes=LIMIT_BYTES, parse_float=Decimal
        )
    except strict_json.StrictJsonError as error:
        if not error.is_whole:
            raise UsageError(error.findings) from None
        findings.extend(error.findings)
        value = error.value
    if not isinstance(value, dict):
        raise UsageError([*findings, _invalid(where, value, "an object")])
    limit = repair_limit if repair_limit is not None else MAX_TOKENS
    readers: dict[str, tuple[Callable[[Any], int | None], str]] = {
        "total_tokens": (
            lambda given: _count(given, MAX_TOKENS),
            f"a whole number from 0 to {MAX_TOKENS}",
        ),
        "agent_seconds": (
            _milliseconds,
            f"a number from 0 to {MAX_SECONDS} with at most three decimals",
        ),
        "repair_rounds": (
            lambda given: _count(given, limit),
            f"a whole number from 0 to {limit}",
        ),
    }
    numbers: dict[str, int] = {}
    for name, given in value.items():
        place = f"{where}: {strict_json.dotted([name])}"
        if name not in readers:
            findings.append(
                Finding(
                    Code.USAGE_INVALID,
                    place,
                    "an unknown field",
                    f"Remove it. Known here: {', '.join(readers)}.",
                )
            )
            continue
        if given is None:
            continue
        read, expected = readers[name]
        number = read(given)
        if number is None:
            findings.append(_invalid(place, given, expected))
        else:
            numbers[name] = number
    if findings:
        raise UsageError(findings)
    return Usage(
        total_tokens=numbers.get("total_tokens"),
        agent_ms=numbers.get("agent_seconds"),
        repair_rounds=numbers.get("repair_rounds"),
    )


def _count(value: Any, limit: int) -> int | None:
    """The number itself when it is a whole one in range; True is no number."""
    return value if type(value) is int and 0 <= value <= limit else None


def _milliseconds(value: Any) -> int | None:
    """Seconds as exact milliseconds; the digits were kept, no float lies between."""
    if type(value) is int:
        value = Decimal(value)
    if not isinstance(value, Decimal) or not 0 <= value <= MAX_SECONDS:
        return None
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or exponent < -3:
        return None
    return int(value * 1000)


def _invalid(place: str, value: object, expected: str) -> Finding:
    return Finding(
        Code.USAGE_INVALID,
        place,
        shown(value),
        f"Give {expected}, or leave the field out when it was not measured.",
    )
