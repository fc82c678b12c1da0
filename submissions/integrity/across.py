"""Rules on what several task runs have in common."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from submissions.integrity.catalogue import Code
from submissions.integrity.sightings import Sighting

# Of so few added words two authors may well agree on every one.
SMALL_PATCH_BYTES = 600


class Held(NamedTuple):
    """A submitted file of one task run."""

    run: int
    task: str
    sha256: str


class Twin(NamedTuple):
    """The same final patch in an evaluation of somebody else and another model."""

    task: str
    sha256: str
    size_bytes: int
    model: str
    evaluation: int


def repeated_trajectories(
    trajectories: Iterable[Held],
) -> Iterator[tuple[Held, Sighting]]:
    """Trajectories that are equal byte by byte, told at each place but the first."""
    places: dict[str, list[Held]] = defaultdict(list)
    for each in sorted(trajectories):
        places[each.sha256].append(each)
    for same in places.values():
        first, *others = same
        for each in others:
            seen = f"the very trajectory of run {first.run}, {first.task}"
            yield each, Sighting(Code.TRAJECTORY_REPEATED, 1.0, seen)


def repeated_patches(
    patches: Iterable[Held], twins: Iterable[Twin]
) -> Iterator[tuple[Held, Sighting]]:
    """Patches that others handed in for the same task. Small ones say little."""
    found: dict[tuple[str, str], list[Twin]] = defaultdict(list)
    for twin in twins:
        found[twin.task, twin.sha256].append(twin)
    for each in sorted(patches):
        same = found.get((each.task, each.sha256))
        if same:
            small = same[0].size_bytes <= SMALL_PATCH_BYTES
            others = sorted({(twin.evaluation, twin.model) for twin in same})
            named = ", ".join(f"{model} (evaluation {pk})" for pk, model in others[:3])
            yield (
                each,
                Sighting(
                    Code.PATCH_REPEATED,
                    0.3 if small else 0.9,
                    f"the very patch of {named}",
                ),
            )
