"""Labels are only added; the reason that is shown follows from those in force."""

from __future__ import annotations

import pytest
from django.db import DatabaseError, transaction

from leaderboard.failures.labels import add_review, label_run
from leaderboard.failures.rules import RULES_BY_CODE, Evidence, Finding
from leaderboard.models import FailureLabel, ShownReason
from leaderboard.overrulings import overrule
from tests.factories import TaskResultFactory, UserFactory, scored_evaluation

pytestmark = pytest.mark.django_db


@pytest.fixture
def result(db):
    return TaskResultFactory(completed=False)


def finding(code: str, quote: str | None = "seen") -> Finding:
    evidence = None if quote is None else Evidence(quote=quote)
    return Finding(RULES_BY_CODE[code], evidence)


def told(result) -> tuple[str, str, bool, int] | None:
    shown = ShownReason.objects.filter(result=result).first()
    return shown and (shown.reason, shown.origin, shown.disputed, shown.reviewers)


def review(result, reason: str, by) -> None:
    add_review(result, reason, by=by, note="because", evidence={})


def test_a_sure_rule_goes_before_a_suggestion_and_a_reviewer_before_both(result):
    label_run(result.run, {result.pk: [finding("near_miss"), finding("other_files")]})
    assert told(result) == ("missed_requirement", "suggested", False, 0)

    label_run(result.run, {result.pk: [finding("loop")]})
    assert told(result) == ("model_looping", "automatic", False, 0)

    review(result, "wrong_logic", UserFactory())
    assert told(result) == ("wrong_logic", "reviewer", False, 1)


def test_reviewers_who_disagree_show_none_until_a_majority(result):
    ann, ben, cem = (UserFactory() for _ in range(3))
    review(result, "wrong_logic", ann)
    review(result, "regression", ben)
    assert told(result) == ("", "reviewer", True, 2)

    review(result, "regression", cem)
    assert told(result) == ("regression", "reviewer", True, 3)

    review(result, "regression", ann)
    assert told(result) == ("regression", "reviewer", False, 3)
    assert result.failure_labels.filter(by=ann).count() == 2


def test_a_second_look_adds_only_what_changed_and_takes_back_what_is_gone(result):
    run, looks = result.run, [finding("near_miss"), finding("loop", None)]
    assert label_run(run, {result.pk: looks}) == 1
    assert label_run(run, {result.pk: looks}) == 0

    assert label_run(run, {result.pk: [finding("near_miss", "other")]}) == 1
    assert label_run(run, {result.pk: [finding("near_miss", None)]}) == 1

    assert told(result) is None
    reasons = list(result.failure_labels.values_list("reason", flat=True))
    assert reasons == ["missed_requirement", "missed_requirement", ""]


def test_evidence_stays_when_the_files_that_showed_it_are_gone(result):
    label_run(result.run, {result.pk: [finding("build_failed")]})

    assert label_run(result.run, {result.pk: [finding("build_failed", "")]}) == 0

    assert result.failure_labels.get().evidence["quote"] == "seen"


def test_the_database_changes_no_label(result):
    label_run(result.run, {result.pk: [finding("loop")]})

    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        FailureLabel.objects.update(reason="regression")

    assert told(result) == ("model_looping", "automatic", False, 0)


def test_an_overruled_task_run_is_cheating_by_the_verdict_of_two():
    evaluation = scored_evaluation([[0]], task_count=2)
    completed = evaluation.runs.get().results.get(completed=True)

    overrule(
        completed,
        proposed_by=UserFactory(),
        confirmed_by=UserFactory(),
        reason="answers written into the app",
    )

    assert told(completed) == ("cheating", "automatic", False, 0)
    label = completed.failure_labels.get()
    assert (label.rule, label.evidence["quote"]) == (
        "overruled",
        "answers written into the app",
    )
