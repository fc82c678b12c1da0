"""The page that tells two snapshots of a benchmark apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.models import EvaluationSnapshot, ScopeName
from leaderboard.presenters.conditions import CONDITIONS, condition_text
from leaderboard.snapshots.diff import SnapshotDiff, snapshot_diff

PARTS: dict[str, str | Promise] = {
    "statement": _("statement"),
    "base": _("base project"),
    "f_points": _("F-points"),
    "reference": _("reference patch"),
    "checks": _("checks"),
    "facts": _("source, difficulty or repository"),
    "kits": _("Kits"),
}


class ConditionChange(NamedTuple):
    label: str | Promise
    before: str
    after: str


class ScopeChange(NamedTuple):
    """Tasks and F-points of one scope in both snapshots; None where it has none."""

    scope: str
    tasks_before: int | None
    tasks_after: int | None
    f_points_before: int | None
    f_points_after: int | None


class TaskChange(NamedTuple):
    title: str
    slug: str
    href_before: str
    href_after: str
    parts: str


@dataclass(frozen=True, slots=True)
class ChangesPage:
    diff: SnapshotDiff
    conditions: Sequence[ConditionChange]
    scopes: Sequence[ScopeChange]
    changed: Sequence[TaskChange]

    @property
    def same(self) -> bool:
        return self.diff.before == self.diff.after


def changes_page(before: EvaluationSnapshot, after: EvaluationSnapshot) -> ChangesPage:
    """Both know their scopes, or are asked for them."""
    diff = snapshot_diff(before, after)
    return ChangesPage(
        diff=diff,
        conditions=[
            ConditionChange(
                CONDITIONS[name],
                condition_text(name, before),
                condition_text(name, after),
            )
            for name in diff.conditions
        ],
        scopes=_scopes(before, after),
        changed=[
            TaskChange(
                title=each.after.title,
                slug=each.after.slug,
                href_before=each.before.get_absolute_url(),
                href_after=each.after.get_absolute_url(),
                parts=_(", ").join(str(PARTS[part]) for part in each.parts),
            )
            for each in diff.changed
        ],
    )


def _scopes(before: EvaluationSnapshot, after: EvaluationSnapshot) -> list[ScopeChange]:
    old = {each.scope: each for each in before.scope_rows}
    new = {each.scope: each for each in after.scope_rows}
    return [
        ScopeChange(
            scope=scope,
            tasks_before=old[scope].task_count if scope in old else None,
            tasks_after=new[scope].task_count if scope in new else None,
            f_points_before=old[scope].f_point_count if scope in old else None,
            f_points_after=new[scope].f_point_count if scope in new else None,
        )
        for scope in ScopeName.values
        if scope in old or scope in new
    ]
