"""All rules on one trajectory, in two passes over the file and in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from submissions.integrity.brief import RunBrief, TaskBrief
from submissions.integrity.calls import call_sightings
from submissions.integrity.catalogue import Code
from submissions.integrity.course import Answers, Builds, Clock, Edits, Tokens, Watch
from submissions.integrity.diffs import file_diffs
from submissions.integrity.leaks import Instructions
from submissions.integrity.records import Record, read_records
from submissions.integrity.replay import Replay
from submissions.integrity.roots import Root, find_root, with_folders
from submissions.integrity.sightings import Sighting
from submissions.integrity.steps import Step, step_of

# Rows for one kind of sighting in one task run; the rest is a number.
LISTED = 3


@dataclass(frozen=True, slots=True)
class Counted:
    """A sighting with how often its kind was seen in the same file."""

    sighting: Sighting
    occurrences: int = 1


def look_through(
    stream: BinaryIO,
    *,
    lines: bool,
    brief: TaskBrief,
    run: RunBrief,
    hidden: frozenset[int] = frozenset(),
) -> list[Counted]:
    """What the rules see in a trajectory, the first few of each kind.

    ``stream`` can be sought; ``lines`` says that each line is a record. ``hidden`` is
    ``hidden_shingles(brief)``, which is costly and the same for all runs.
    """
    known = with_folders(
        [*brief.base_paths, *(each.path for each in file_diffs(run.final_patch))]
    )
    root = find_root(_steps(read_records(stream, lines=lines)), known)
    stream.seek(0)
    records = read_records(stream, lines=lines)
    return first_of_each(_sightings(records, brief, run, root, hidden))


def first_of_each(sightings: Iterable[Sighting]) -> list[Counted]:
    """The most telling ones of each code and how many there were."""
    kept: dict[Code, list[Sighting]] = {}
    counts: Counter[Code] = Counter()
    for each in sightings:
        counts[each.code] += 1
        same = kept.setdefault(each.code, [])
        if each.seen not in {other.seen for other in same}:
            same.append(each)
            same.sort(key=lambda other: -other.score)
            del same[LISTED:]
    return [Counted(each, counts[code]) for code, same in kept.items() for each in same]


def _steps(records: Iterable[Record]) -> Iterator[Step]:
    return (step_of(record) for record in records if record.value is not None)


def _sightings(
    records: Iterable[Record],
    brief: TaskBrief,
    run: RunBrief,
    root: Root,
    hidden: frozenset[int],
) -> Iterator[Sighting]:
    watches: tuple[Watch, ...] = (
        Clock(),
        Tokens(run),
        Builds(brief),
        Edits(run),
        Answers(brief),
        Instructions(hidden),
        Replay(brief, run, root),
    )
    record = None
    for record in records:
        if record.value is None:
            seen = "not JSON, no object, or longer than is read"
            yield Sighting(Code.TRAJECTORY_UNREADABLE, 0.3, seen, record.number)
            continue
        step = step_of(record)
        yield from call_sightings(step, brief, root)
        for watch in watches:
            yield from watch.see(step)
    if record is None:
        yield Sighting(Code.TRAJECTORY_UNREADABLE, 0.5, "holds no steps at all")
    for watch in watches:
        yield from watch.end()
