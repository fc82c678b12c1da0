"""Reviewers say why task runs failed; a false failure takes two and moves no figure."""

from __future__ import annotations

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.forms.models import model_to_dict
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.failures.labels import add_review
from leaderboard.models import (
    AuditEvent,
    Erratum,
    FailureLabel,
    ScopeTotals,
    TaskResult,
)
from submissions.models import Submission, SubmissionState
from submissions.review import decisions
from submissions.review.failures import Opinion, label_failure
from submissions.review.false_failures import FALSE_FAILURE
from submissions.services import NotPossibleError
from submissions.transitions import Act
from tests.factories import UserFactory, scored_evaluation
from tests.leaderboard.evaluations import stored

pytestmark = pytest.mark.django_db

TOO_STRICT = Opinion("tests_need_changes", "The check wants a text nobody asked for.")


@pytest.fixture
def result(evaluated) -> TaskResult:
    """A task run that was built and failed its checks."""
    found = (
        evaluated.evaluation.runs.get(number=1).results.select_related("run").first()
    )
    TaskResult.objects.filter(pk=found.pk).update(
        reason="check_failed", final_build_ok=True
    )
    found.refresh_from_db()
    return found


def label(submission, result, reason, by, **more):
    return label_failure(submission, result, Opinion(reason, "because", **more), by=by)


def acts(submission) -> list[str]:
    found = AuditEvent.objects.about(submission.evaluation).order_by("pk")
    return list(found.values_list("act", flat=True))


def test_a_label_is_on_record_with_its_evidence(evaluated, result, maintainer):
    stored(result.run, result.task, "build_final.log", b"text")

    made = label(
        evaluated, result, "wrong_logic", maintainer, artifact="build_final.log", line=3
    )

    assert made is None
    kept = FailureLabel.objects.get(result=result)
    assert (kept.by, kept.reason, kept.note) == (maintainer, "wrong_logic", "because")
    assert kept.evidence == {"artifact": "build_final.log", "line": 3}
    event = AuditEvent.objects.get(act="label failure")
    assert event.after == {
        "run": 1,
        "task": result.task.slug,
        "reason": "wrong_logic",
    }


@pytest.mark.parametrize(
    ("opinion", "told"),
    [
        (Opinion("cheating", "copied"), "'cheating' is none of them"),
        (Opinion("wrong_logic", " "), "Say what shows it"),
        (Opinion("wrong_logic", "x", line=3), "A line needs the file"),
        (Opinion("wrong_logic", "x", artifact="no.log"), "has no file 'no.log'"),
    ],
)
def test_bad_labels_are_refused_with_what_to_do(
    evaluated, result, maintainer, opinion, told
):
    with pytest.raises(NotPossibleError, match=told):
        label_failure(evaluated, result, opinion, by=maintainer)

    assert not FailureLabel.objects.exists()


def test_neither_the_team_nor_others_than_maintainers_label(
    evaluated, result, insider, user
):
    with pytest.raises(NotPossibleError, match="submitting team"):
        label(evaluated, result, "wrong_logic", insider)
    with pytest.raises(PermissionDenied):
        label(evaluated, result, "wrong_logic", UserFactory())


def test_a_completed_task_run_has_no_failure_reason(evaluated, result, maintainer):
    result.completed = True

    with pytest.raises(NotPossibleError, match="Only a failed task run"):
        label(evaluated, result, "wrong_logic", maintainer)


def test_a_false_failure_opens_an_erratum_and_a_rerun_together(
    evaluated, result, maintainer, second
):
    decisions.decide(evaluated, Act.PUBLISH, by=maintainer)
    measured = model_to_dict(result), list(ScopeTotals.objects.order_by("pk").values())

    proposal = label_failure(evaluated, result, TOO_STRICT, by=maintainer)

    assert proposal.act == FALSE_FAILURE
    assert not Erratum.objects.exists()
    with pytest.raises(NotPossibleError, match="Another maintainer"):
        decisions.confirm(proposal, by=maintainer)
    decisions.confirm(proposal, by=second)

    erratum = Erratum.objects.get()
    assert (erratum.task, erratum.text) == (result.task, TOO_STRICT.note)
    again = Submission.objects.get(rerun_of=evaluated)
    assert again.shown_state == SubmissionState.EVALUATING
    assert again.evaluation.rerun_of == evaluated.evaluation
    event = AuditEvent.objects.get(act="false failure")
    assert event.after["erratum"] == erratum.pk
    assert event.after["evaluation"] == again.evaluation_id
    assert event in AuditEvent.objects.public()
    result.refresh_from_db()
    now = model_to_dict(result), list(ScopeTotals.objects.order_by("pk").values())
    assert now == measured
    evaluated.refresh_from_db()
    assert evaluated.shown_state == SubmissionState.PUBLISHED


def test_one_of_the_team_does_not_confirm(evaluated, result, maintainer, insider):
    proposal = label_failure(evaluated, result, TOO_STRICT, by=maintainer)

    with pytest.raises(NotPossibleError, match="submitting team"):
        decisions.confirm(proposal, by=insider)

    assert not Erratum.objects.exists()


def test_without_the_rerun_there_is_no_erratum_either(
    evaluated, result, maintainer, second, isolating
):
    Submission.objects.filter(pk=evaluated.pk).update(trusted=False)
    proposal = label_failure(evaluated, result, TOO_STRICT, by=maintainer)
    isolating(False)

    with pytest.raises(NotPossibleError, match="no working sandbox"):
        decisions.confirm(proposal, by=second)

    assert not Erratum.objects.exists()
    assert not evaluated.reruns.exists()
    proposal.refresh_from_db()
    assert proposal.confirmed is None


def test_the_same_fault_in_another_run_opens_nothing_twice(
    evaluated, result, maintainer, second
):
    other = TaskResult.objects.get(
        task=result.task, run__number=2, run__evaluation=evaluated.evaluation
    )
    first = label_failure(evaluated, result, TOO_STRICT, by=maintainer)
    assert label_failure(evaluated, other, TOO_STRICT, by=maintainer) is None
    decisions.decline(first, by=second, reason="the statement says so")

    assert label_failure(evaluated, other, TOO_STRICT, by=maintainer) is not None


@pytest.fixture
def staff(client: Client, maintainer) -> Client:
    client.force_login(maintainer)
    return client


def text_of(response) -> str:
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def test_the_page_hides_labels_of_others_until_the_own_is_set(
    staff, evaluated, result, second
):
    label(evaluated, result, "regression", second)
    path = f"/review/{evaluated.pk}/failures/"

    before = text_of(staff.get(path))
    form = {
        "run": 1,
        "task": result.task.slug,
        "failure": "wrong_logic",
        "note": "The list stays empty.",
    }
    after = text_of(staff.post(f"{path}label/", form, follow=True))

    assert "1 other reviewer has set a label." in before
    assert "because" not in before
    assert "Label kept." in after
    assert "because" in after
    assert "Reviewers disagree" in after


def test_the_form_leads_a_benchmark_error_to_a_second_maintainer(
    staff, evaluated, result, second
):
    path = f"/review/{evaluated.pk}/failures/label/"
    form = {
        "run": 1,
        "task": result.task.slug,
        "failure": "infrastructure_error",
        "note": "The device was lost.",
    }

    page = text_of(staff.post(path, form, follow=True))
    refused = text_of(staff.post(path, {**form, "task": "no-task"}, follow=True))

    assert "wait for another maintainer to confirm" in page
    assert "There is no such task run" in refused
    other = Client()
    other.force_login(second)
    review = text_of(other.get(f"/review/{evaluated.pk}/"))
    assert "Publish an erratum and run the files again" in review
    proposal = evaluated.proposals.get()
    settle = f"/review/{evaluated.pk}/proposals/{proposal.pk}/"
    text_of(other.post(settle, {"verdict": "confirm"}, follow=True))
    assert Erratum.objects.get().text == "The device was lost."


def test_agreement_is_shown_with_names_to_maintainers_only(
    staff, evaluated, result, maintainer, second
):
    other = evaluated.evaluation.runs.get(number=2).results.first()
    for each, reason in ((result, "regression"), (other, "wrong_logic")):
        label(evaluated, each, "wrong_logic", maintainer)
        label(evaluated, each, reason, second)

    page = text_of(staff.get("/review/failures/"))

    assert "Reviewers agree: 50.00 % (1 of 2 pairs of labels)" in page
    assert f"{maintainer} · second" in page or f"second · {maintainer}" in page
    assert "Regression · Wrong logic" in page
    public = text_of(staff.get(f"/e/{evaluated.evaluation_id}/"))
    assert "Reviewers agree: 50.00 %" in public
    assert ">1 · 2<" in public


def test_a_dispute_outside_of_any_submission_has_no_link_to_one(
    staff, maintainer, second
):
    scored_evaluation([[]], task_count=1)
    disputed = TaskResult.objects.get()
    for reviewer, reason in ((maintainer, "wrong_logic"), (second, "regression")):
        add_review(disputed, reason, by=reviewer, note="because", evidence={})

    page = text_of(staff.get("/review/failures/"))

    assert disputed.get_absolute_url() in page
    assert "All failed task runs" not in page


def test_the_number_of_queries_of_the_page_does_not_grow(
    staff, evaluated, result, second
):
    path = f"/review/{evaluated.pk}/failures/"

    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            staff.get(path)
        return len(found)

    label(evaluated, result, "regression", second)
    before = queries()
    for each in TaskResult.objects.filter(run__evaluation=evaluated.evaluation):
        label(evaluated, each, "wrong_logic", second)

    assert queries() == before
