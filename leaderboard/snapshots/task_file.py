"""What has to hold between the parts of ``task.json``."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from leaderboard.completion_rate import Dimension
from leaderboard.snapshots.faults import Faults, shown
from leaderboard.snapshots.outline import PointOutline, TaskOutline
from leaderboard.snapshots.patches import check_path


def check_facts(facts: TaskOutline, slug: str, *, faults: Faults) -> None:
    """Note what is said twice, and what does not go together."""
    name = f"tasks/{slug}/task.json"
    if facts.slug not in {None, slug}:
        faults.add(
            name,
            "slug",
            saw=shown(facts.slug),
            fix=f"Name the folder and the slug alike; the folder is {slug!r}.",
        )
    points = facts.f_points or ()
    methods = [
        f"{each.case}.{each.method}" for each in points if each.case and each.method
    ]
    for place, values in (
        ("f_points", [each.id for each in points]),
        ("f_points", methods),
        ("kits", facts.kits),
        ("build_paths", facts.build_paths),
    ):
        faults.add_doubles(name, place, values)
    for number, path in enumerate(facts.build_paths):
        if path is not None:
            check_path(path, name, f"build_paths[{number}]", faults=faults)
    _check_dimensions(points, name, faults=faults)


def meant_dimension(name: str) -> Dimension | None:
    """The dimension of this project that ``name`` nearly is; None for one of its own.

    More than two letters more or fewer, or another first one, make another word.

    >>> meant_dimension("regresion"), meant_dimension("non-functional")
    (<Dimension.REGRESSION: 'regression'>, None)
    """
    for found in get_close_matches(name, list(Dimension), n=1, cutoff=0.8):
        if found[0] == name[0] and abs(len(found) - len(name)) <= 2:
            return Dimension(found)
    return None


def _check_dimensions(
    points: Sequence[PointOutline], name: str, *, faults: Faults
) -> None:
    """What the base passes already decides no task alone; all else decides it."""
    meant = [each.dimension and meant_dimension(each.dimension) for each in points]
    if points and all(each == Dimension.REGRESSION for each in meant):
        faults.add(
            name,
            "f_points",
            saw="regression checks alone, which the unchanged base passes",
            fix="Add an F-point for what the task asks for.",
        )
    for number, each in enumerate(points):
        place = f"f_points[{number}]"
        if meant[number] not in {None, each.dimension}:
            faults.add(
                name,
                f"{place}.dimension",
                saw=shown(each.dimension),
                fix=f"Did you mean '{meant[number]}'? A dimension of your own needs a "
                "name that is not taken for it.",
            )
        other = each.dimension and meant[number] != Dimension.REGRESSION
        if each.required is False and other:
            faults.add(
                name,
                f"{place}.required",
                saw=f"false at {each.id}, a {each.dimension} check",
                fix="Only regression checks may be left out of Task Completion.",
            )
