"""Which task sources a package may use: those of its policy, or its own streams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from leaderboard.metrics import Scope
from leaderboard.models import ScoringPolicy
from leaderboard.snapshots.faults import Faults, shown
from leaderboard.snapshots.format import SnapshotFile, TaskFile
from leaderboard.snapshots.strict import Document

_FILE = "snapshot.json"


def sources_of(facts: SnapshotFile) -> Sequence[str]:
    """The sources in their order."""
    fixed = facts.policy.fixed_sources
    return [each.slug for each in facts.streams] if fixed is None else fixed


def package_sources(document: Document[SnapshotFile]) -> Sequence[str] | None:
    """The same of a file that may have faults; None where these hide the sources."""
    sound = _sound(document)
    policy = _policy(sound)
    if policy is None:
        return None
    return _streams(sound) if policy.fixed_sources is None else policy.fixed_sources


def check_source(
    document: Document[TaskFile],
    name: str,
    sources: Sequence[str] | None,
    *,
    faults: Faults,
) -> str | None:
    """The source of a task, None if it has none; noted where it is none of those.

    Nothing is noted where the ``sources`` are unknown.
    """
    found: str | None = _sound(document).get("source")
    if found is not None and sources is not None and found not in sources:
        faults.add(name, "source", saw=shown(found), fix=_one_of(sources))
    return found


def check_sources(
    document: Document[SnapshotFile], used: Sequence[str | None], *, faults: Faults
) -> None:
    """Note faults of the streams, and of what is said by source.

    ``used`` are the sources of the tasks, None where one could not be read.
    """
    sound = _sound(document)
    policy, sources = _policy(sound), package_sources(document)
    if policy is not None and policy.fixed_sources is None:
        _check_streams(sound, used, policy, faults=faults)
    elif policy is not None and sound.get("streams"):
        faults.add(
            _FILE,
            "streams",
            saw=f"streams under the policy {policy}",
            fix=f"Remove them: this policy has sources of its own. {_one_of(sources)}",
        )
    for source, text in (sound.get("contamination") or {}).items():
        if text is not None and sources is not None and source not in sources:
            place = f"contamination.{source}"
            faults.add(_FILE, place, saw=shown(source), fix=_one_of(sources))


def _check_streams(
    sound: Mapping[str, Any],
    used: Sequence[str | None],
    policy: ScoringPolicy,
    *,
    faults: Faults,
) -> None:
    slugs = _streams(sound)
    if slugs is None:
        return
    if not slugs:
        faults.add(
            _FILE,
            "streams",
            saw=f"none under the policy {policy}, which fixes no sources",
            fix="Name the streams that the tasks belong to.",
        )
    faults.add_doubles(_FILE, "streams", slugs)
    for number, slug in enumerate(slugs):
        place = f"streams[{number}].slug"
        if slug == Scope.OVERALL:
            saw = f"{shown(slug)}, which stands for all tasks"
            faults.add(_FILE, place, saw=saw, fix="Choose another slug.")
        elif None not in used and slug not in used:
            saw = f"{shown(slug)}, which no task has as its source"
            faults.add(_FILE, place, saw=saw, fix="Remove it, or add a task.")


def _sound(document: Document[Any]) -> Mapping[str, Any]:
    return document.sound if isinstance(document.sound, dict) else {}


def _policy(sound: Mapping[str, Any]) -> ScoringPolicy | None:
    """None where the file has none that can be read; absent, it is the usual one."""
    name = sound.get("policy", ScoringPolicy.TASK_COMPLETION)
    return None if name is None or not sound else ScoringPolicy(name)


def _streams(sound: Mapping[str, Any]) -> list[str] | None:
    """Slugs of the streams; None where one of them has none that can be read."""
    streams = sound.get("streams", [])
    if streams is None or any(not each or not each.get("slug") for each in streams):
        return None
    return [each["slug"] for each in streams]


def _one_of(sources: Sequence[str] | None) -> str:
    names = [f"'{each}'" for each in sources or ()]
    listed = " or ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
    return f"Input should be {listed}."
