from __future__ import annotations

from io import StringIO
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command

from evaluator import queue
from evaluator.models import Job, JobState
from leaderboard.models import AuditEvent
from submissions.models import Submission

# Fixed: every process of the suite must collect the same tests.
UNKNOWN = UUID(int=4711)

pytestmark = pytest.mark.django_db


def requeue(what: object, **options: object) -> str:
    out = StringIO()
    call_command("requeue", str(what), stdout=out, **options)
    return out.getvalue()


@pytest.fixture
def stuck(submission) -> Submission:
    Job.objects.filter(evaluation=submission.evaluation).update(
        state=JobState.INFRA_EXHAUSTED, infra_left=0, reason="disk_full"
    )
    return submission


def test_all_stuck_task_runs_are_queued_again_and_named(stuck):
    printed = requeue(stuck.pk, reason="more disk")

    assert queue.counts(stuck.evaluation)["queued"] == 4
    assert printed.count("queued again: run") == 4
    event = AuditEvent.objects.get()
    assert (event.act, event.actor, event.reason) == ("requeue", None, "more disk")


def test_one_task_run_is_queued_again(stuck):
    slug = stuck.snapshot.tasks.first().slug

    printed = requeue(stuck.pk, reason="x", task=slug, run=2)

    assert printed == f"queued again: run 2, {slug}\n"
    assert queue.counts(stuck.evaluation)["infra_exhausted"] == 3


def test_an_evaluation_without_a_submission_goes_by_its_number(stuck):
    requeue(stuck.evaluation_id, reason="x")

    assert queue.counts(stuck.evaluation)["queued"] == 4


def test_the_acting_maintainer_is_on_record(stuck, maintainer):
    requeue(stuck.pk, reason="x", user=maintainer.username)

    assert AuditEvent.objects.get().actor == maintainer


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reason": " "}, "Give a reason"),
        ({"reason": "x", "task": "a"}, "--task and --run go together"),
        ({"reason": "x", "run": 1}, "--task and --run go together"),
        ({"reason": "x", "task": "nothing", "run": 1}, "These do: run 1"),
        ({"reason": "x", "user": "nobody"}, "No maintainer 'nobody'. Known: none."),
    ],
)
def test_what_cannot_be_is_refused_with_the_way_out(options, message, stuck):
    with pytest.raises(CommandError, match=message):
        requeue(stuck.pk, **options)

    assert queue.counts(stuck.evaluation)["infra_exhausted"] == 4
    assert not AuditEvent.objects.exists()


def test_a_reason_must_be_given(stuck):
    with pytest.raises(CommandError, match="--reason"):
        call_command("requeue", str(stuck.pk))


@pytest.mark.parametrize("what", [UNKNOWN, 4711])
def test_an_unknown_submission_is_said(what, db):
    with pytest.raises(CommandError, match="No submission or evaluation"):
        requeue(what, reason="x")


def test_garbage_is_no_uuid(db):
    with pytest.raises(CommandError, match="neither the uuid"):
        requeue("x", reason="x")


def test_a_user_who_is_no_maintainer_cannot_act(stuck, user):
    with pytest.raises(CommandError, match="No maintainer"):
        requeue(stuck.pk, reason="x", user=user.username)
