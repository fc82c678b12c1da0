"""What of ``task.json`` its other parts and other files have to agree with.

Of a faulty one as well, so that one fault hides no other: None is what is not sound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from leaderboard.snapshots.format import FPointEntry, TaskFile
from leaderboard.snapshots.strict import Document


class PointOutline(NamedTuple):
    """One F-point; ``id`` is kept where only its form is wrong."""

    id: str | None
    case: str | None
    method: str | None
    dimension: str | None
    required: bool | None


class WrongPatchOutline(NamedTuple):
    patch: str | None
    f_points: Sequence[str | None]


class TaskOutline(NamedTuple):
    """The parts that others have to agree with; a list may be None as a whole."""

    slug: str | None
    kits: Sequence[str | None]
    build_paths: Sequence[str | None]
    f_points: Sequence[PointOutline] | None
    wrong_patches: Sequence[WrongPatchOutline] | None
    screens: Sequence[str | None] | None


def outline(document: Document[TaskFile]) -> TaskOutline:
    """What of a task can be compared with other parts and files of the package."""
    if not isinstance(document.sound, dict):
        return TaskOutline(None, (), (), None, None, None)
    sound, raw = document.sound, document.raw
    points, wrong = sound.get("f_points"), sound.get("wrong_patches", [])
    return TaskOutline(
        slug=sound.get("slug"),
        kits=sound.get("kits") or (),
        build_paths=sound.get("build_paths") or (),
        f_points=None
        if points is None
        else [
            _point(_object(each), _object(given))
            for each, given in zip(points, raw["f_points"], strict=True)
        ],
        wrong_patches=None
        if wrong is None
        else [
            WrongPatchOutline(each.get("patch"), each.get("f_points") or ())
            for each in map(_object, wrong)
        ],
        screens=_screens(sound, raw),
    )


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _point(sound: Mapping[str, Any], raw: Mapping[str, Any]) -> PointOutline:
    given = raw.get("id")
    fields = FPointEntry.model_fields
    return PointOutline(
        id=given if isinstance(given, str) else None,
        case=sound.get("case"),
        method=sound.get("method"),
        dimension=sound.get("dimension", fields["dimension"].default),
        required=sound.get("required", fields["required"].default),
    )


def _screens(
    sound: Mapping[str, Any], raw: Mapping[str, Any]
) -> Sequence[str | None] | None:
    if raw.get("visual") is None:
        return ()
    screens = _object(sound["visual"]).get("screens")
    return screens and [_object(each).get("name") for each in screens]
