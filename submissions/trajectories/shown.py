"""One step of a trajectory as a page shows it: short, harmless, with marked places."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.plain_text import visible
from submissions.integrity.records import Record
from submissions.integrity.sight import ShownSignal
from submissions.integrity.steps import Call, Step, step_of
from submissions.trajectories.spans import Piece, pieces_of, spans_of

# A step with more of them has them in the file.
BLOCKS = 24
STEP_CHARACTERS = 24_000
_NAME_CHARACTERS = 80

_ROLES: Mapping[str, str | Promise] = {
    "agent": pgettext_lazy("role in a trajectory", "agent"),
    "system": pgettext_lazy("role in a trajectory", "system"),
    "developer": pgettext_lazy("role in a trajectory", "system"),
    "tool": pgettext_lazy("role in a trajectory", "tool"),
    "user": pgettext_lazy("role in a trajectory", "user"),
}


class Kind(StrEnum):
    TEXT = "text"
    THOUGHT = "thought"
    CALL = "call"
    ANSWER = "answer"


_LABELS: Mapping[Kind, str | Promise] = {
    Kind.TEXT: _("Text"),
    Kind.THOUGHT: _("Reasoning"),
    Kind.CALL: _("Tool call"),
    Kind.ANSWER: _("Answer of the tool"),
}


@dataclass(frozen=True, slots=True)
class Block:
    """A text of a step. ``name`` is that of the tool; ``seconds`` what it took."""

    kind: Kind
    pieces: Sequence[Piece]
    name: str = ""
    failed: bool = False
    seconds: float | None = None

    @property
    def label(self) -> str | Promise:
        return _LABELS[self.kind]


@dataclass(frozen=True, slots=True)
class ShownStep:
    """``step`` is None where the record cannot be read.

    ``blocks_cut`` counts texts beyond those that a page has room for.
    """

    number: int
    step: Step | None
    role: str | Promise
    at: datetime | None
    blocks: Sequence[Block]
    blocks_cut: int
    signals: Sequence[ShownSignal]

    @property
    def marked(self) -> set[int]:
        """The signals that a place of the step is marked for."""
        pieces = (piece for block in self.blocks for piece in block.pieces)
        return {piece.signal for piece in pieces if piece.signal is not None}


@dataclass(frozen=True, slots=True)
class _Raw:
    kind: Kind
    text: str
    call: Call | None = None


def shown_step(
    record: Record, signals: Sequence[ShownSignal], *, hide: Callable[[str], str]
) -> ShownStep:
    """``signals`` are those of this very step."""
    if record.value is None:
        return ShownStep(record.number, None, "", None, (), 0, signals)
    step = step_of(record)
    quoted = [(each.signal.pk, each.signal.seen) for each in signals]
    blocks: list[Block] = []
    left, cut = STEP_CHARACTERS, 0
    for raw in _raw_blocks(step):
        spans = spans_of(raw.text, quoted)
        # What a signal speaks of is shown, however long the step is.
        if not spans and (len(blocks) >= BLOCKS or left <= 0):
            cut += 1
            continue
        block = _block(raw, pieces_of(raw.text, spans, hide=hide))
        left -= sum(len(piece.text) for piece in block.pieces)
        blocks.append(block)
    return ShownStep(
        number=record.number,
        step=step,
        role=_ROLES.get(step.source, visible(step.source[:_NAME_CHARACTERS])),
        at=_moment(step.at),
        blocks=blocks,
        blocks_cut=cut,
        signals=signals,
    )


def _block(raw: _Raw, pieces: Sequence[Piece]) -> Block:
    call = raw.call
    if call is None:
        return Block(raw.kind, pieces)
    name = visible(call.tool[:_NAME_CHARACTERS])
    return Block(raw.kind, pieces, name, call.failed, call.seconds)


def _raw_blocks(step: Step) -> Iterator[_Raw]:
    """Reasoning, words, then each call with its answer; answers of other steps last."""
    for text in step.thoughts:
        yield _Raw(Kind.THOUGHT, text)
    for text in step.texts:
        if text.strip():
            yield _Raw(Kind.TEXT, text)
    for call in step.calls:
        yield _Raw(Kind.CALL, _arguments(call.arguments), call)
        if call.output is not None:
            yield _Raw(Kind.ANSWER, call.output)
    told = [call.output for call in step.calls]
    for text in step.outputs:
        if text in told:
            told.remove(text)
        else:
            yield _Raw(Kind.ANSWER, text)


def _arguments(arguments: Mapping[str, Any]) -> str:
    """One argument a line; texts as they are, so that a quotation is found in them."""
    return "\n".join(f"{name}: {_value(value)}" for name, value in arguments.items())


def _value(value: object) -> str:
    if isinstance(value, str):
        return value if "\n" not in value else f"\n{value}"
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return " ".join(value)
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "…"


def _moment(at: float | None) -> datetime | None:
    try:
        return None if at is None else datetime.fromtimestamp(at, UTC)
    except (ValueError, OverflowError, OSError):
        return None
