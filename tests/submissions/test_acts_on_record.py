"""Every act of a maintainer or operator leaves a row in the audit trail."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.test import Client

from evaluator import breaker, devices, reruns
from evaluator.models import Job, JobState, SuspectDevice
from leaderboard.models import AuditEvent
from submissions import services
from submissions.integrity import verdicts
from submissions.models import Submission
from tests.factories import IntegritySignalFactory
from tests.leaderboard.packages import write_package
from tests.submissions.jobs import fail_all

pytestmark = pytest.mark.django_db


def acts() -> list[str]:
    return list(AuditEvent.objects.order_by("pk").values_list("act", flat=True))


def stop(submission: Submission) -> None:
    Job.objects.filter(evaluation=submission.evaluation).update(
        state=JobState.INFRA_EXHAUSTED, infra_left=0, reason="disk_full"
    )


def published(submission: Submission, by) -> None:
    fail_all(submission)
    services.publish(submission, by=by, note="reviewed")


CASES: dict[str, Callable] = {
    "publish": published,
    "reject": lambda submission, by: (
        fail_all(submission),
        services.reject(submission, by=by, reason="x"),
    ),
    "cancel": lambda submission, by: services.cancel(submission, by=by, reason="x"),
    "requeue": lambda submission, by: (
        stop(submission),
        reruns.requeue(submission.evaluation, by=by, reason="x"),
    ),
    "judge signal": lambda submission, by: verdicts.judge(
        IntegritySignalFactory(submission=submission),
        by=by,
        decision="dismissed",
        reason="x",
    ),
}


@pytest.mark.parametrize("act", CASES)
def test_an_act_on_a_submission_is_on_record_with_its_actor(
    act, submission, maintainer
):
    CASES[act](submission, maintainer)

    event = AuditEvent.objects.about(submission.evaluation).first()
    assert (event.act, event.actor) == (act, maintainer)
    assert event.reason


def test_a_withdrawal_is_on_record_with_its_actor(submission, user, maintainer):
    published(submission, maintainer)

    services.withdraw(submission, by=user, reason="x")

    event = AuditEvent.objects.about(submission.evaluation).first()
    assert (event.act, event.actor, event.reason) == ("withdraw", user, "x")


@pytest.mark.parametrize("act", ["publish", "reject", "withdraw", "cancel"])
def test_an_act_that_is_not_possible_leaves_no_trace(act, submission, maintainer):
    if act == "cancel":
        fail_all(submission)
    client = Client()
    client.force_login(maintainer)

    address = f"/review/{submission.pk}/decide/"
    if act in {"cancel", "withdraw"}:
        address = f"{submission.get_absolute_url()}{act}/"
    client.post(address, {"act": act, "reason": "x"})

    assert acts() == []


def test_pausing_and_resuming_a_pool_are_on_record(maintainer):
    breaker.pause("build", by=maintainer, reason="new toolchain")
    breaker.resume("build", by=maintainer, reason="installed")

    assert acts() == ["pause pool", "resume pool"]


def test_putting_a_device_back_is_on_record(maintainer, submission):
    SuspectDevice.objects.create(
        serial="SIM-1", since=submission.created_at, reason="lost"
    )

    devices.clear("SIM-1", by=maintainer, reason="new cable")

    assert acts() == ["clear device"]


def test_importing_a_package_is_on_record_once(tmp_path):
    package = write_package(tmp_path / "package")

    call_command("import_snapshot", package, verbosity=0)
    call_command("import_snapshot", package, verbosity=0)

    assert acts() == ["import snapshot"]


def test_loading_published_figures_is_on_record_once():
    call_command("load_published", verbosity=0)
    call_command("load_published", verbosity=0)

    # One for each benchmark that brings results.
    assert acts() == ["load published"] * 2
