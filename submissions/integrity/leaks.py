"""Whether an agent was told what is hidden from it: checks and the reference."""

from __future__ import annotations

import re
from collections.abc import Iterator

from submissions.integrity import tools
from submissions.integrity.brief import TaskBrief
from submissions.integrity.catalogue import Code
from submissions.integrity.diffs import added_text
from submissions.integrity.sightings import Sighting, excerpt
from submissions.integrity.steps import Step
from submissions.integrity.words import placed_shingles, shingles

# So many words in a row, and so many such rows, are no accident.
_WORDS = 12
_FEWEST = 3
_MANY = 40
_INSTRUCTIONS = re.compile(
    r"(?:^|/)(?:AGENTS|CLAUDE|GEMINI|DEVECO|COPILOT-INSTRUCTIONS)\.md$|\.cursorrules$"
    r"|(?:^|/)\.(?:deveco|cursor|claude)/",
    re.IGNORECASE,
)


def hidden_shingles(brief: TaskBrief) -> frozenset[int]:
    """Runs of words that stand in checks or reference and nowhere in the open."""
    hidden = set[int]()
    for text in (*brief.checks, added_text(brief.reference)):
        hidden |= shingles(text, _WORDS)
    for text in (brief.statement, *brief.base.values()):
        hidden -= shingles(text, _WORDS)
    return frozenset(hidden)


class Instructions:
    """Instructions are system and user messages, and files such as AGENTS.md."""

    def __init__(self, hidden: frozenset[int]) -> None:
        self._hidden = hidden

    def see(self, step: Step) -> Iterator[Sighting]:
        for text in _instructions(step):
            places = dict[int, int]()
            for digest, place in placed_shingles(text, _WORDS):
                if digest in self._hidden:
                    places.setdefault(digest, place)
            if len(places) >= _FEWEST:
                score = min(1.0, 0.6 + 0.4 * len(places) / _MANY)
                seen = excerpt(text, around=min(places.values()))
                yield Sighting(Code.LEAKED_TEXT, score, seen, step.number)

    def end(self) -> Iterator[Sighting]:
        return iter(())


def _instructions(step: Step) -> Iterator[str]:
    if step.source in {"system", "user", "developer"}:
        yield from step.texts
    for call in step.calls:
        named = [*tools.named_paths(call), *tools.paths_in(tools.command_of(call))]
        if any(_INSTRUCTIONS.search(path) for path in named):
            yield call.output or ""
            yield from call.texts()
