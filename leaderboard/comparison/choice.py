"""Which evaluations a query names, and what is wrong with the names it gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from django.contrib.auth.models import AnonymousUser, User
from django.http import QueryDict

from leaderboard.models import Evaluation
from leaderboard.passing.standings import is_by_pass_rate
from leaderboard.visibility import can_view

LETTERS = ("a", "b", "c", "d")
_SHOWN_CHARACTERS = 80
# Longer numbers are no keys, and SQLite cannot even look for them.
_MAX_DIGITS = 18

FaultCode = Literal[
    "not_a_number", "unknown", "twice", "struck_out", "too_many", "by_pass_rate"
]


class Fault(NamedTuple):
    """A value that names nothing to compare.

    ``reason`` says why it is struck out, or the snapshot by whose pass rate it ranks.
    """

    code: FaultCode
    where: str
    saw: str
    reason: str = ""


class Choice(NamedTuple):
    """Evaluations by their letter, in the order of the letters."""

    members: Mapping[str, Evaluation]
    faults: Sequence[Fault]

    @property
    def by_pass_rate(self) -> bool:
        """Whether what is compared is ranked by pass rate, each of its members."""
        found = self.members.values()
        return bool(found) and all(is_by_pass_rate(each.snapshot) for each in found)


def chosen_evaluations(query: QueryDict, user: User | AnonymousUser) -> Choice:
    """Read ``?a=&b=&c=&d=``; each ``?id=`` takes the next letter that is free.

    One query. A private evaluation of somebody else is as unknown as none; that a
    withdrawn or disqualified one is out is public, and so is the reason.
    """
    wanted, faults = _wanted(query)
    numbers = {letter: int(text) for letter, text in wanted.items() if _is_id(text)}
    found = {
        each.pk: each
        for each in Evaluation.objects.filter(pk__in=numbers.values())
        .select_related("configuration", "snapshot__benchmark", "rerun_of")
        .with_totals()
    }
    members: dict[str, Evaluation] = {}
    for letter, text in wanted.items():
        if letter not in numbers:
            faults.append(Fault("not_a_number", letter, text[:_SHOWN_CHARACTERS]))
            continue
        evaluation = found.get(numbers[letter])
        if evaluation is not None and evaluation.is_struck_out:
            reason = evaluation.withdrawn_reason
            faults.append(Fault("struck_out", letter, text, reason))
        elif evaluation is None or not can_view(user, evaluation):
            faults.append(Fault("unknown", letter, text))
        elif evaluation in members.values():
            faults.append(Fault("twice", letter, text))
        else:
            members[letter] = evaluation
    return Choice(_of_one_policy(members, faults), faults)


def _of_one_policy(
    members: Mapping[str, Evaluation], faults: list[Fault]
) -> Mapping[str, Evaluation]:
    """Without those by pass rate, which are noted, where others are named as well."""
    others = {
        letter: each
        for letter, each in members.items()
        if not is_by_pass_rate(each.snapshot)
    }
    if not others:
        return members
    for letter, each in members.items():
        if letter not in others:
            name = str(each.snapshot)
            faults.append(Fault("by_pass_rate", letter, str(each.pk), name))
    return others


def _wanted(query: QueryDict) -> tuple[dict[str, str], list[Fault]]:
    wanted = {
        letter: text for letter in LETTERS if (text := query.get(letter, "").strip())
    }
    free = [letter for letter in LETTERS if letter not in wanted]
    faults = []
    for text in filter(None, map(str.strip, query.getlist("id"))):
        if free:
            wanted[free.pop(0)] = text
        else:
            faults.append(Fault("too_many", "id", text[:_SHOWN_CHARACTERS]))
    return {each: wanted[each] for each in LETTERS if each in wanted}, faults


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS
