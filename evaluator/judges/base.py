"""What is asked of a judge of pictures, and the shape of its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple, Protocol

MILLION = 1_000_000
# A screenshot of the largest profile has a tenth of it.
MOST_PICTURE_BYTES = 8 * 1024 * 1024


class Region(NamedTuple):
    """A part of the reference in pixels that is not compared, such as a status bar."""

    left: int
    top: int
    right: int
    bottom: int


@dataclass(frozen=True, slots=True)
class Pair:
    """A reference picture and what the app showed in its place."""

    reference: bytes = field(repr=False)
    picture: bytes = field(repr=False)
    ignored: Sequence[Region] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """``millionths`` is the score of 1; None where the judge could not say.

    ``detail`` is kept with it: what another could do the same again with.
    """

    millionths: int | None
    reason: str
    detail: Mapping[str, Any] = field(default_factory=dict)

    @property
    def score(self) -> Fraction | None:
        return None if self.millionths is None else Fraction(self.millionths, MILLION)


class VisualJudge(Protocol):
    """Compares a picture of an app with its reference."""

    @property
    def name(self) -> str:
        """Such as "blocks", or the model that was asked."""
        ...

    @property
    def version(self) -> str:
        """Equal for two judges that would say the same."""
        ...

    def judge(self, pair: Pair, *, scratch: Path, deadline: float) -> Judgement:
        """Judge one pair; ``scratch`` is an empty folder, ``deadline`` monotonic."""
        ...
