"""Writing labels, and the one reason that follows from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction

from leaderboard.failures.rules import RULES, RULES_VERSION, Finding
from leaderboard.failures.taxonomy import FailureReason, LabelOrigin
from leaderboard.models import (
    FailureLabel,
    LabelPass,
    Run,
    ShownReason,
    TaskResult,
)

_ORDER = {rule.code: place for place, rule in enumerate(RULES)}


class Shown(NamedTuple):
    reason: str
    origin: LabelOrigin
    disputed: bool
    reviewers: int


def in_force(labels: Iterable[FailureLabel]) -> list[FailureLabel]:
    """The latest label of each rule and reviewer, without those taken back."""
    latest = {(each.rule, each.by_id): each for each in _in_order(labels)}
    return [each for each in latest.values() if each.reason]


def shown(labels: Iterable[FailureLabel]) -> Shown | None:
    """The reason to show: of reviewers, else of a sure rule, else of any; or None.

    Where reviewers disagree, more than half of them decide; otherwise nobody does.
    """
    holding = in_force(labels)
    reviewed = [each for each in holding if each.origin == LabelOrigin.REVIEWER]
    if reviewed:
        counts = Counter(each.reason for each in reviewed)
        reason, votes = counts.most_common(1)[0]
        decided = 2 * votes > len(reviewed)
        return Shown(
            reason if decided else "",
            LabelOrigin.REVIEWER,
            disputed=len(counts) > 1,
            reviewers=len(reviewed),
        )
    for origin in (LabelOrigin.AUTOMATIC, LabelOrigin.SUGGESTED):
        found = [each for each in holding if each.origin == origin]
        if found:
            first = min(found, key=lambda each: _ORDER.get(each.rule, len(_ORDER)))
            return Shown(first.reason, origin, disputed=False, reviewers=0)
    return None


def label_run(run: Run, found: Mapping[int, Sequence[Finding]]) -> int:
    """Keep what the rules say of the failed task runs of ``run``; how many labels.

    ``found`` has the findings by the result's key. Only what differs from the rule's
    latest label is written, so doing it twice gives the same rows. Labels of reviewers
    stay.
    """
    with transaction.atomic():
        Run.objects.select_for_update().get(pk=run.pk)
        labels = _labels_of(found)
        new = [
            label
            for result_id, each in found.items()
            for label in _changes(result_id, each, labels.get(result_id, []))
        ]
        FailureLabel.objects.bulk_create(new)
        settle({label.result_id for label in new})
        LabelPass.objects.update_or_create(run=run, defaults={"rules": RULES_VERSION})
    return len(new)


def label_result(result: TaskResult, found: Sequence[Finding]) -> None:
    """Keep what some rules say of one task run; call inside a transaction."""
    labels = list(FailureLabel.objects.filter(result=result))
    FailureLabel.objects.bulk_create(_changes(result.pk, found, labels))
    settle([result.pk])


def add_review(
    result: TaskResult,
    reason: FailureReason,
    *,
    by: User,
    note: str,
    evidence: Mapping[str, Any],
) -> FailureLabel:
    """Keep a reviewer's label; it replaces their earlier one. Inside a transaction."""
    label = FailureLabel.objects.create(
        result=result,
        reason=reason,
        origin=LabelOrigin.REVIEWER,
        by_id=by.pk,
        note=note,
        evidence=dict(evidence),
    )
    settle([result.pk])
    return label


def settle(results: Iterable[int]) -> None:
    """Write the shown reasons of ``results`` anew from their labels."""
    wanted = list(results)
    labels = _labels_of(wanted)
    found = {pk: shown(labels.get(pk, [])) for pk in wanted}
    ShownReason.objects.filter(
        result__in=[pk for pk, each in found.items() if each is None]
    ).delete()
    ShownReason.objects.bulk_create(
        [
            ShownReason(result_id=pk, **each._asdict())
            for pk, each in found.items()
            if each is not None
        ],
        update_conflicts=True,
        unique_fields=["result"],
        update_fields=list(Shown._fields),
    )


def _changes(
    result_id: int, found: Sequence[Finding], labels: Sequence[FailureLabel]
) -> list[FailureLabel]:
    latest = {each.rule: each for each in _in_order(labels) if each.rule}
    new = []
    for rule, evidence in found:
        told = evidence.as_dict() if evidence is not None else {}
        reason = rule.reason.value if evidence is not None else ""
        before = latest.get(rule.code)
        said = (before.reason, before.evidence) if before else ("", {})
        if said != (reason, told) and not _tells_less(said, (reason, told)):
            new.append(
                FailureLabel(
                    result_id=result_id,
                    reason=reason,
                    origin=rule.origin,
                    rule=rule.code,
                    evidence=told,
                )
            )
    return new


def _tells_less(
    before: tuple[str, Mapping[str, Any]], now: tuple[str, Mapping[str, Any]]
) -> bool:
    """Whether the same is said without what showed it: files go after their time."""
    same = before[0] == now[0] != ""
    return same and bool(before[1].get("quote")) and not now[1].get("quote")


def _labels_of(results: Iterable[int]) -> dict[int, list[FailureLabel]]:
    found: dict[int, list[FailureLabel]] = {}
    for each in FailureLabel.objects.filter(result__in=list(results)).order_by("pk"):
        found.setdefault(each.result_id, []).append(each)
    return found


def _in_order(labels: Iterable[FailureLabel]) -> list[FailureLabel]:
    return sorted(labels, key=lambda each: each.pk)
