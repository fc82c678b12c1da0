"""The attempts of a task run as a page, and the operator's re-run from a page."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from evaluator import queue
from evaluator.models import INFRA_BUDGET, Job
from evaluator.verdicts import InfraReason, Trouble
from leaderboard.models import AuditEvent, Evaluation, Visibility
from tests.evaluator.jobs import make_jobs
from tests.evaluator.test_reruns import exhaust, states
from tests.evaluator.test_status import text_of

EVERYBODY = "tests.evaluator.jobs.everybody"

pytestmark = pytest.mark.django_db


def attempts_url(job: Job) -> str:
    return reverse(
        "task-run-attempts",
        args=[job.evaluation_id, job.run.number, job.task.slug],
    )


@pytest.fixture
def evaluation() -> Evaluation:
    return make_jobs()


@pytest.fixture
def job(evaluation) -> Job:
    return evaluation.jobs.get()


@pytest.fixture
def staff(maintainer) -> Client:
    client = Client()
    client.force_login(maintainer)
    return client


def meet_trouble(job: Job) -> None:
    lease = queue.claim(job.pk, owner="host-1:7", pools=[job.pool], isolated=True)
    trouble = Trouble(InfraReason.DEVICE_LOST, "\x1b[31mgone\x1b[0m <b>\u202e")
    queue.finish(lease, trouble)


def test_attempts_are_listed_with_worker_stage_time_and_reason(staff, job):
    meet_trouble(job)

    text = text_of(staff.get(attempts_url(job)))

    for part in ("Agent", "infrastructure outcome", "Device lost", "host-1:7"):
        assert part in text
    assert f"attempt 2 of {INFRA_BUDGET}" in text


def test_old_attempts_stay_listed_after_a_rerun(staff, job, maintainer):
    exhaust(job)
    page = reverse("requeue", args=[job.evaluation_id])

    staff.post(page, {"reason": "device replaced"})

    text = text_of(staff.get(attempts_url(job)))
    assert text.count("Device lost") == INFRA_BUDGET
    assert "Waiting for an operator" not in text


def test_details_are_for_maintainers_and_made_safe(
    staff, signed_in, user, job, settings
):
    meet_trouble(job)
    settings.OHB_VIEWER_RULE = EVERYBODY

    page = staff.get(attempts_url(job)).content.decode()
    assert "gone &lt;b&gt;⟦U+202E⟧" in page
    assert "gone" not in signed_in.get(attempts_url(job)).content.decode()


def test_attempts_are_seen_by_whoever_may_see_the_result(signed_in, job):
    assert Client().get(attempts_url(job)).status_code == 404
    assert signed_in.get(attempts_url(job)).status_code == 404

    Evaluation.objects.update(visibility=Visibility.PUBLIC, scored_at=timezone.now())

    assert Client().get(attempts_url(job)).status_code == 200


def test_a_task_run_that_is_not_there_is_not_found(staff, job):
    url = reverse("task-run-attempts", args=[job.evaluation_id, 9, job.task.slug])

    assert staff.get(url).status_code == 404


def test_a_task_run_that_nobody_took_up_says_so(staff, job):
    assert "No worker has taken it up yet." in text_of(staff.get(attempts_url(job)))


def test_an_operator_runs_one_task_run_again_and_comes_back(staff, job):
    exhaust(job)
    here = attempts_url(job)
    fields = {"task": job.task.slug, "run": job.run.number, "next": here}

    response = staff.post(
        reverse("requeue", args=[job.evaluation_id]),
        {"reason": "checked the cable", **fields},
        follow=True,
    )

    assert response.redirect_chain == [(here, 302)]
    assert "1 task run is queued again." in text_of(response)
    assert states(job.evaluation) == ["queued"]
    assert AuditEvent.objects.get().reason == "checked the cable"


@pytest.mark.parametrize("reason", ["", "  "])
def test_without_a_reason_nothing_is_run_again(reason, staff, job):
    exhaust(job)

    response = staff.post(
        reverse("requeue", args=[job.evaluation_id]),
        {"reason": reason, "next": attempts_url(job)},
        follow=True,
    )

    assert "Give a reason" in text_of(response)
    assert states(job.evaluation) == ["infra_exhausted"]


def test_the_form_stands_where_it_can_be_used(staff, signed_in, user, job, settings):
    settings.OHB_VIEWER_RULE = EVERYBODY
    assert "requeue-reason" not in staff.get(attempts_url(job)).content.decode()

    exhaust(job)

    assert "requeue-reason" in staff.get(attempts_url(job)).content.decode()
    assert "requeue-reason" not in signed_in.get(attempts_url(job)).content.decode()


def test_only_maintainers_run_anything_again(signed_in, user, job, settings):
    exhaust(job)
    url = reverse("requeue", args=[job.evaluation_id])

    assert Client().post(url, {"reason": "x"})["Location"].startswith("/login/")
    assert signed_in.post(url, {"reason": "x"}).status_code == 404
    settings.OHB_VIEWER_RULE = EVERYBODY
    assert signed_in.post(url, {"reason": "x"}).status_code == 403
    assert states(job.evaluation) == ["infra_exhausted"]


def test_a_rerun_needs_a_post_and_the_token_of_the_form(maintainer, job):
    client = Client(enforce_csrf_checks=True)
    client.force_login(maintainer)
    url = reverse("requeue", args=[job.evaluation_id])

    assert client.get(url).status_code == 405
    assert client.post(url, {"reason": "x"}).status_code == 403


@pytest.mark.parametrize("address", ["https://evil.example/", "//evil.example", "x:y"])
def test_nobody_is_sent_to_another_site(address, staff, job):
    exhaust(job)

    response = staff.post(
        reverse("requeue", args=[job.evaluation_id]), {"reason": "x", "next": address}
    )

    assert response["Location"] == job.evaluation.get_absolute_url()


@pytest.mark.parametrize("fields", [{"run": "0"}, {"run": "x"}, {"task": "a/b"}])
def test_a_wrong_place_changes_nothing(fields, staff, job):
    exhaust(job)

    staff.post(reverse("requeue", args=[job.evaluation_id]), {"reason": "x", **fields})

    assert states(job.evaluation) == ["infra_exhausted"]
