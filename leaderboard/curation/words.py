"""What a proof of a task found, as it is kept and as pages tell it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from leaderboard.sentences import Sentence, told

PASSES_ALREADY = Sentence("%(point)s passes already")
REGRESSION_FAILS = Sentence("%(point)s is a regression check and fails")
PASSES_WRONGLY = Sentence("%(point)s passes with %(patch)s")
FAILS = Sentence("%(point)s fails (%(message)s)", inner={"message"})
DOES_NOT_BUILD = Sentence(
    "it does not build (%(reason)s: %(detail)s)", inner={"reason", "detail"}
)
REASONS = (
    Sentence("no_change", part=True),
    Sentence("patch_rejected", part=True),
    Sentence("patch_does_not_apply", part=True),
    Sentence("build_failed", part=True),
    Sentence("install_failed", part=True),
    Sentence("check_failed", part=True),
    Sentence("timed_out", part=True),
)
SENTENCES = (
    PASSES_ALREADY,
    REGRESSION_FAILS,
    PASSES_WRONGLY,
    FAILS,
    DOES_NOT_BUILD,
    *REASONS,
)
_NEXT = re.compile(
    r"; (?=\S+ (?:passes already|passes with |fails \(|is a regression check))"
)


def kept(found: Iterable[str]) -> str:
    """Everything that one proof run found, in one text."""
    return "; ".join(found)


def proof_told(text: str) -> str:
    """What ``kept`` wrote, in the reader's language; messages of tools stay."""
    return "; ".join(map(told, _NEXT.split(text)))
