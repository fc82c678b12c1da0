"""What a trajectory tells of a failure: calls over and over, and words of giving up."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from typing import BinaryIO

from leaderboard.failures.facts import Repeat, Said, Trajectory
from leaderboard.plain_text import visible
from submissions.integrity.records import read_records
from submissions.integrity.sightings import excerpt
from submissions.integrity.steps import Call, Step, step_of

# A loop may go through several calls before it begins anew.
_LONGEST_CIRCLE = 3
_GAVE_UP = re.compile(
    r"\bI(?:'m| am)? (?:giv(?:e|ing) up|have to give up|will stop here|must stop here)"
    r"|\bI (?:cannot|can't|could not|couldn't|(?:am|was) unable to|won't be able to)"
    r" (?:complete|finish|implement|solve) (?:this|the) (?:task|feature|request)"
    r"|\b(?:this|the) task is (?:too (?:hard|complex|difficult|large)|not feasible"
    r"|beyond what I can)"
    r"|我(?:放弃|无法完成|不能完成|做不到)|(?:任务|问题)太(?:难|复杂)",
    re.IGNORECASE,
)


def trajectory_facts(stream: BinaryIO, *, artifact: str) -> Trajectory:
    """Read the trajectory of the name ``artifact`` once, in bounded memory."""
    lines = artifact.endswith(".jsonl")
    circles = _Circles()
    last: tuple[int, str] | None = None
    for step in _steps(stream, lines=lines):
        for call in step.calls:
            circles.see(call, step.number)
        said = " ".join(step.texts).strip()
        if step.source == "agent" and said:
            last = step.number, said
    repeat = circles.longest
    return Trajectory(
        artifact=artifact,
        calls=circles.calls,
        # Only files of lines are shown by line.
        repeat=repeat._replace(line=repeat.line if lines else None),
        gave_up=_gave_up(last, lines=lines),
    )


def _steps(stream: BinaryIO, *, lines: bool) -> Iterable[Step]:
    records = read_records(stream, lines=lines)
    return (step_of(record) for record in records if record.value is not None)


def _gave_up(last: tuple[int, str] | None, *, lines: bool) -> Said | None:
    """Only the last words count: whoever goes on working has not given up."""
    if last is None:
        return None
    number, text = last
    found = _GAVE_UP.search(text)
    if found is None:
        return None
    return Said(number if lines else None, excerpt(text, around=found.start()))


class _Circles:
    """Counts how often the same call, or the same few calls, follow one another."""

    def __init__(self) -> None:
        self.calls = 0
        self.longest = Repeat(0, None, "")
        self._latest: list[bytes] = []
        self._equal = [0] * (_LONGEST_CIRCLE + 1)

    def see(self, call: Call, number: int) -> None:
        digest = _digest(call)
        self.calls += 1
        for period in range(1, _LONGEST_CIRCLE + 1):
            same = len(self._latest) >= period and self._latest[-period] == digest
            self._equal[period] = self._equal[period] + 1 if same else 0
            times = self._equal[period] // period + 1
            if times > self.longest.times:
                self.longest = Repeat(times, number, _named(call))
        self._latest = [*self._latest, digest][-_LONGEST_CIRCLE:]


def _digest(call: Call) -> bytes:
    arguments = json.dumps(call.arguments, sort_keys=True, default=str)
    return hashlib.sha256(f"{call.tool}\n{arguments}".encode()).digest()


def _named(call: Call) -> str:
    first = next(iter(call.texts()), "")
    return visible(f"{call.tool} {first}".strip()[:200])
