"""Values that are drawn anew for every attempt at a task's checks.

An app that answers with the text of the statement's example meets another one. What may
be drawn stands in ``checks/<case>.json``; the seed of an attempt is on record, and the
same seed gives the same values at any time: they come from SHA-256, not from a
generator that a later Python may change. Knows nothing of Django.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

# Names that a check may type and look for: short, and no part of one another.
_WORDS = (
    *("amber", "basil", "cedar", "delta", "ember", "fjord", "gravel", "harbor"),
    *("indigo", "juniper", "kettle", "lagoon", "maple", "nectar", "orchid", "pebble"),
    *("quartz", "ripple", "saffron", "timber", "umbra", "velvet", "walnut", "yonder"),
    *("zephyr", "bramble", "copper", "drizzle", "fennel", "glacier", "hazel", "meadow"),
)
_LARGEST = 2**53 - 1


class _Rule(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class TextRule(_Rule):
    """Words and a number at the end: ``cedar ripple 4821``."""

    kind: Literal["text"]
    words: int = Field(default=2, ge=1, le=12)


class NumberRule(_Rule):
    """A whole number, both ends included."""

    kind: Literal["number"]
    least: int = Field(ge=-_LARGEST, le=_LARGEST)
    most: int = Field(ge=-_LARGEST, le=_LARGEST)

    @model_validator(mode="after")
    def _in_order(self) -> NumberRule:
        if self.least >= self.most:
            raise ValueError("least has to be smaller than most")
        return self


class DateRule(_Rule):
    """A day in ISO 8601, both ends included."""

    kind: Literal["date"]
    first: date = Field(strict=False)
    last: date = Field(strict=False)

    @model_validator(mode="after")
    def _in_order(self) -> DateRule:
        if self.first >= self.last:
            raise ValueError("first has to be before last")
        return self


class ChoiceRule(_Rule):
    """One of a list."""

    kind: Literal["choice"]
    of: list[str] = Field(min_length=2, max_length=1000)


Rule: TypeAlias = TextRule | NumberRule | DateRule | ChoiceRule
Rules: TypeAlias = Mapping[str, Rule]
Value: TypeAlias = str | int

RULES: TypeAdapter[dict[str, Rule]] = TypeAdapter(
    dict[
        Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)],
        Annotated[Rule, Field(discriminator="kind")],
    ]
)


def read_rules(settings: Any) -> Rules:
    """The rules in the settings of a case; none where it draws nothing.

    Raises pydantic's ValidationError, whose places count from ``values``.
    """
    found = settings.get("values") if isinstance(settings, dict) else None
    return {} if found is None else RULES.validate_python(found)


def draw(rules: Rules, *, seed: str, case: str) -> dict[str, Value]:
    """A value for each rule; equal for equal seed, case and name.

    >>> draw({"count": NumberRule(kind="number", least=2, most=9)}, seed="s", case="c")
    {'count': 2}
    """
    return {name: _drawn(rule, (seed, case, name)) for name, rule in rules.items()}


def drawn_record(folder: Path, cases: Iterable[str], *, seed: str) -> dict[str, Any]:
    """The seed with the values of each case in ``folder``; empty where none draws any.

    Raises ValueError where the settings of a case cannot be read.
    """
    values = {}
    for case in cases:
        text = (folder / f"{case}.json").read_text("utf-8")
        if rules := read_rules(json.loads(text)):
            values[case] = draw(rules, seed=seed, case=case)
    return {"seed": seed, "values": values} if values else {}


def _drawn(rule: Rule, key: tuple[str, ...]) -> Value:
    match rule:
        case TextRule():
            words = [_WORDS[_below(len(_WORDS), *key, n)] for n in range(rule.words)]
            return f"{' '.join(words)} {1000 + _below(9000, *key, 'number')}"
        case NumberRule():
            return rule.least + _below(rule.most - rule.least + 1, *key)
        case DateRule():
            days = (rule.last - rule.first).days
            return (rule.first + timedelta(_below(days + 1, *key))).isoformat()
        case ChoiceRule():
            return rule.of[_below(len(rule.of), *key)]


def _below(count: int, *key: object) -> int:
    """A number from 0 to ``count`` - 1; 256 bits leave no bias worth the name."""
    digest = hashlib.sha256("\0".join(map(str, key)).encode()).digest()
    return int.from_bytes(digest, "big") % count
