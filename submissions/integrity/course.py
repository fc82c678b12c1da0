"""Rules on the whole course of a trajectory: each sees every step, then the end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

from submissions.integrity import tools
from submissions.integrity.brief import RunBrief, TaskBrief
from submissions.integrity.catalogue import Code
from submissions.integrity.sightings import Sighting, excerpt
from submissions.integrity.steps import Call, Step

# Records of calls that ran side by side may change places.
_TOLERATED_SECONDS = 2.0
_TOLERATED_SHARE = 0.01
_CHECK_RESULT = re.compile(
    r"OHOS_REPORT_(?:STATUS|RESULT|CODE|SUM)|TestFinished-ResultCode"
    r"|Tests run: ?\d{1,6}, ?Failure: ?\d|\bxdevice\b.{0,200}\b(?:passed|failed)\b"
    r"|\bF-?points?\b.{0,80}\b(?:pass|fail)(?:ed)?\b|\bhypium\b.{0,80}\b(?:passed|failed)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"\w{1,100}")
_PASS_OR_FAIL = re.compile(r"\b(?:pass|fail)(?:ed|ure)?\b", re.IGNORECASE)


class Watch(Protocol):
    """A rule with a memory."""

    def see(self, step: Step) -> Iterator[Sighting]: ...

    def end(self) -> Iterator[Sighting]: ...


class Clock:
    """Times must not go backwards."""

    def __init__(self) -> None:
        self._latest: float | None = None

    def see(self, step: Step) -> Iterator[Sighting]:
        if step.at is None:
            return
        if self._latest is not None and step.at < self._latest - _TOLERATED_SECONDS:
            seen = f"{self._latest - step.at:.0f} s before the step in front of it"
            yield Sighting(Code.CLOCK_BACKWARDS, 0.6, seen, step.number)
        self._latest = step.at

    def end(self) -> Iterator[Sighting]:
        return iter(())


class Tokens:
    """The steps together use what usage.json says.

    Fewer are no wonder where other agents were sent: the steps need not show theirs.
    """

    def __init__(self, run: RunBrief) -> None:
        self._reported = run.total_tokens
        self._total: int | None = None
        self._delegated = False

    def see(self, step: Step) -> Iterator[Sighting]:
        self._delegated |= any(tools.is_delegation(call) for call in step.calls)
        if step.tokens is not None:
            self._total = (self._total or 0) + step.tokens
        return iter(())

    def end(self) -> Iterator[Sighting]:
        if self._reported is None or self._total is None:
            return
        difference = self._total - self._reported
        if difference < 0 and self._delegated:
            return
        if abs(difference) > _TOLERATED_SHARE * max(self._reported, 1):
            score = 0.7 if difference > 0 else 0.4
            seen = f"{self._total} in the steps, {self._reported} in usage.json"
            yield Sighting(Code.TOKEN_SUM, score, seen)


class Builds:
    """Repair has a limit: edits after a failed build, then another build."""

    def __init__(self, brief: TaskBrief) -> None:
        self._limit = brief.repair_limit
        self._rounds = 0
        self._failed = self._edited = False

    def see(self, step: Step) -> Iterator[Sighting]:
        for call in step.calls:
            if tools.is_build(call):
                yield from self._build(call, step.number)
            elif self._failed and tools.may_write(call):
                self._edited = True

    def _build(self, call: Call, number: int) -> Iterator[Sighting]:
        if self._failed and self._edited:
            self._rounds += 1
            if self._rounds == self._limit + 1:
                seen = f"the build after repair {self._rounds}; {self._limit} allowed"
                yield Sighting(Code.REPAIR_ROUNDS, 0.6, seen, number)
        self._failed = tools.build_passed(call) is not True
        self._edited = False

    def end(self) -> Iterator[Sighting]:
        return iter(())


class Edits:
    """What was built has to have been edited somewhere."""

    def __init__(self, run: RunBrief) -> None:
        self._run = run
        self._steps = 0
        self._may_have_written = False

    def see(self, step: Step) -> Iterator[Sighting]:
        self._steps += 1
        if any(tools.may_write(call) for call in step.calls):
            self._may_have_written = True
        return iter(())

    def end(self) -> Iterator[Sighting]:
        changed = bool(self._run.final_patch.strip())
        if self._steps and changed and not self._may_have_written:
            score = 0.8 if self._run.first_build_ok else 0.6
            seen = f"{self._steps} steps without an edit, and a patch that is not empty"
            yield Sighting(Code.BUILT_UNEDITED, score, seen)


class Answers:
    """Tools answer with output of the build, never with results of the checks."""

    def __init__(self, brief: TaskBrief) -> None:
        self._methods = brief.methods

    def see(self, step: Step) -> Iterator[Sighting]:
        for text in step.outputs:
            found = _CHECK_RESULT.search(text)
            if found:
                seen = excerpt(text, around=found.start())
                yield Sighting(Code.CHECK_RESULTS, 0.9, seen, step.number)
            elif self._methods and (line := self._line_with_verdict(text)):
                yield Sighting(Code.CHECK_RESULTS, 0.9, excerpt(line), step.number)

    def _line_with_verdict(self, text: str) -> str:
        """A line that names a hidden check and says how it ended."""
        for line in text.split("\n"):
            if _PASS_OR_FAIL.search(line) and self._methods.intersection(
                _NAME.findall(line)
            ):
                return line
        return ""

    def end(self) -> Iterator[Sighting]:
        return iter(())
