"""Rules on what several task runs have in common."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from submissions.integrity.catalogue import Code
from submissions.integrity.sightings import Sighting
from submissions.integrity.sketches import WORDS

# Of so few added words two authors may well agree on every one.
SMALL_PATCH_BYTES = 600


class Held(NamedTuple):
    """A submitted file of one task run."""

    run: int
    task: str
    sha256: str


class Twin(NamedTuple):
    """A final patch in an evaluation of somebody else and another model."""

    task: str
    sha256: str
    size_bytes: int
    model: str
    evaluation: int
    artifact: int


class Alike(NamedTuple):
    """A patch, the digest of another one, and how alike they are (0 to 1)."""

    held: Held
    sha256: str
    share: float


class Seen(NamedTuple):
    """What was seen at ``place``; ``twin`` is the file that it was compared with."""

    place: Held
    sighting: Sighting
    twin: int | None = None


def repeated_trajectories(trajectories: Iterable[Held]) -> Iterator[Seen]:
    """Trajectories that are equal byte by byte, told at each place but the first."""
    places: dict[str, list[Held]] = defaultdict(list)
    for each in sorted(trajectories):
        places[each.sha256].append(each)
    for same in places.values():
        first, *others = same
        for each in others:
            seen = f"the very trajectory of run {first.run}, {first.task}"
            yield Seen(each, Sighting(Code.TRAJECTORY_REPEATED, 1.0, seen))


def repeated_patches(patches: Iterable[Held], twins: Iterable[Twin]) -> Iterator[Seen]:
    """Patches that others handed in for the same task. Small ones say little."""
    found: dict[tuple[str, str], list[Twin]] = defaultdict(list)
    for twin in twins:
        found[twin.task, twin.sha256].append(twin)
    for each in sorted(patches):
        same = found.get((each.task, each.sha256))
        if same:
            score = 0.3 if same[0].size_bytes <= SMALL_PATCH_BYTES else 0.9
            seen = f"the very patch of {_named(same)}"
            yield Seen(
                each, Sighting(Code.PATCH_REPEATED, score, seen), _first(same).artifact
            )


def similar_patches(alike: Iterable[Alike], twins: Iterable[Twin]) -> Iterator[Seen]:
    """Patches that are nearly another's; told is the likest one of each."""
    found: dict[tuple[str, str], list[Twin]] = defaultdict(list)
    for twin in twins:
        found[twin.task, twin.sha256].append(twin)
    best: dict[Held, tuple[float, str]] = {}
    for held, sha256, share in alike:
        if (held.task, sha256) in found:
            best[held] = max(best.get(held, (0.0, "")), (share, sha256))
    for held, (share, sha256) in sorted(best.items()):
        same = found[held.task, sha256]
        seen = f"{share:.1%} of the runs of {WORDS} words are those of {_named(same)}"
        score = min(share, 0.95)
        yield Seen(
            held, Sighting(Code.PATCH_SIMILAR, score, seen), _first(same).artifact
        )


def _first(twins: Iterable[Twin]) -> Twin:
    return min(twins, key=lambda twin: (twin.evaluation, twin.artifact))


def _named(twins: Iterable[Twin]) -> str:
    others = sorted({(twin.evaluation, twin.model) for twin in twins})
    return ", ".join(f"{model} (evaluation {pk})" for pk, model in others[:3])
