"""Failed task runs with their reasons as data."""

from __future__ import annotations

import csv
from io import StringIO
from typing import Any

from leaderboard.failures.chosen import Narrowed, chosen_results
from leaderboard.failures.labels import in_force
from leaderboard.failures.taxonomy import LabelOrigin, group_of
from leaderboard.models import Evaluation, FailureLabel, TaskResult
from leaderboard.tables import safe_cell

COLUMNS = (
    *("run", "task", "source", "difficulty", "kits", "outcome"),
    *("f_points_passed", "f_point_count"),
    *("failure_reason", "failure_group", "failure_origin", "disputed", "reviewers"),
    *("evidence_file", "evidence_line", "evidence", "url"),
)


def failure_as_dict(result: TaskResult) -> dict[str, Any] | None:
    """The reason that is shown and every label; None where there is none at all.

    Needs the labels and the shown reason. Who a reviewer is stays out.
    """
    labels = list(result.failure_labels.all())
    if not labels:
        return None
    shown = getattr(result, "shown_reason", None)
    holding = {each.pk for each in in_force(labels)}
    people = sorted({each.by_id for each in labels if each.by_id is not None})
    return {
        "reason": (shown.reason or None) if shown else None,
        "group": (shown.group or None) if shown else None,
        "origin": shown.origin if shown else None,
        "disputed": bool(shown and shown.disputed),
        "reviewers": shown.reviewers if shown else 0,
        "labels": [_label(each, people, holds=each.pk in holding) for each in labels],
    }


def _label(label: FailureLabel, people: list[int], *, holds: bool) -> dict[str, Any]:
    evidence = label.evidence
    return {
        "reason": label.reason or None,
        "origin": label.origin,
        "rule": label.rule or None,
        "reviewer": None if label.by_id is None else people.index(label.by_id) + 1,
        "note": label.note,
        "artifact": evidence.get("artifact") or None,
        "line": evidence.get("line"),
        "quote": evidence.get("quote") or "",
        "figures": evidence.get("figures") or {},
        "holds": holds,
        "at": label.at,
    }


def failures_csv(evaluation: Evaluation) -> str:
    """One line a failed task run; an empty cell is unknown."""
    buffer = StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    found = chosen_results(evaluation, Narrowed()).prefetch_related("task__kits")
    for result in found:
        result.run.evaluation = evaluation
        cells = _cells(result)
        writer.writerow(["" if cell is None else safe_cell(cell) for cell in cells])
    return buffer.getvalue()


def _cells(result: TaskResult) -> list[object]:
    shown = getattr(result, "shown_reason", None)
    label = _telling(result, shown.reason) if shown else None
    evidence = label.evidence if label else {}
    told = evidence.get("quote") or (label.note if label else "")
    return [
        result.run.number,
        result.task.slug,
        result.task.source,
        result.task.difficulty,
        sorted(kit.name for kit in result.task.kits.all()),
        "overruled" if result.is_overruled else result.reason,
        result.f_points_passed,
        result.f_point_count,
        (shown.reason or None) if shown else None,
        group_of(shown.reason).value if shown and shown.reason else None,
        shown.origin if shown else None,
        shown.disputed if shown else None,
        shown.reviewers if shown else None,
        evidence.get("artifact") or None,
        evidence.get("line"),
        told,
        result.get_absolute_url(),
    ]


def _telling(result: TaskResult, reason: str) -> FailureLabel | None:
    """The first label in force that gives the shown reason, a reviewer's before all."""
    found = [
        each for each in in_force(result.failure_labels.all()) if each.reason == reason
    ]
    found.sort(key=lambda each: each.origin != LabelOrigin.REVIEWER)
    return next(iter(found), None)
