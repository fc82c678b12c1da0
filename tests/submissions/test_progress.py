"""What a submitter reads while waiting: queue, estimate, signs of life, re-runs."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from evaluator import queue
from evaluator.models import INFRA_BUDGET, AgentKind, Job, JobState, PoolPause
from evaluator.verdicts import InfraReason, Trouble
from leaderboard.models import AuditEvent
from submissions.models import Scope, Submission
from tests.evaluator.test_forecast import history  # noqa: F401 - a fixture
from tests.evaluator.test_status import add_worker
from tests.factories import UserFactory
from tests.submissions.bundles import files_for, make_snapshot, zipped
from tests.submissions.jobs import claim_one, fail_all, pass_one_stage
from tests.submissions.test_pages import text_of, upload
from tests.tokens import api_client

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(signed_in, submission):
    """The text of the submission's page as it is now."""
    return lambda: text_of(signed_in.get(submission.get_absolute_url()))


@pytest.fixture
def staff(maintainer) -> Client:
    client = Client()
    client.force_login(maintainer)
    return client


@pytest.fixture
def worker(submission):
    profile = submission.snapshot.device_profile.lower().replace(" ", "-")
    pools = ["agent", "build", f"device.{profile}"]
    return add_worker(pools=pools, capabilities={"isolates": True})


def meet_trouble(submission: Submission) -> Job:
    lease = claim_one(submission)
    queue.finish(lease, Trouble(InfraReason.DEVICE_LOST, "gone: /var/run/secret"))
    return Job.objects.get(pk=lease.job_id)


def exhaust(submission: Submission) -> None:
    Job.objects.filter(evaluation=submission.evaluation).update(
        state=JobState.INFRA_EXHAUSTED, infra_left=0, reason=InfraReason.DISK_FULL
    )


def test_no_worker_is_said_with_the_comfort_that_nothing_is_lost(page):
    text = page()

    assert "No worker is running" in text
    assert "nothing is lost" in text
    assert "no estimate yet" in text


def test_a_pool_without_a_worker_is_named(page, submission):
    add_worker(pools=["build"], capabilities={"isolates": True})

    assert "No worker serves the pool agent" in page()


def test_an_agent_that_nobody_offers_is_named_with_what_to_do(page, submission):
    Job.objects.filter(evaluation=submission.evaluation).update(
        agent=AgentKind.CONFIGURED, inputs={"offer": "OpenCode 1 with m-1 of Lab"}
    )
    add_worker(pools=["agent", "build"], capabilities={"isolates": True})

    text = page()
    assert "No worker offers OpenCode 1 with m-1 of Lab" in text
    assert "You may cancel and name another agent or model." in text


def test_with_a_worker_nothing_is_missed(page, worker):
    text = page()

    assert "No worker" not in text
    assert "task runs of others ahead in the pool agent 0" in text


def test_whoever_is_at_work_needs_no_registration(page, submission):
    claim_one(submission)

    assert "No worker" not in page()


def test_the_estimate_is_a_range_from_the_history(
    page,
    submission,
    worker,
    history,  # noqa: F811 - the fixture
):
    assert re.search(r"estimated time to the end \d+ min( – \d+ min)?", page())
    assert "a range, not a promise" in page()


def test_silence_is_told_in_minutes_from_two_minutes_on(page, submission, worker):
    lease = claim_one(submission)
    jobs = Job.objects.filter(pk=lease.job_id)
    now = timezone.now()

    jobs.update(updated_at=now - timedelta(seconds=60))
    assert "No sign of life" not in page()

    jobs.update(updated_at=now - timedelta(minutes=2, seconds=1))
    assert "No sign of life for 2 minutes" in page()

    jobs.update(updated_at=now - timedelta(minutes=11))
    assert "No sign of life for 11 minutes" in page()


def test_a_pause_is_told_without_its_inner_details(page, submission, worker):
    PoolPause.objects.create(pool="agent", since=timezone.now(), reason="host-7 broke")

    text = page()

    assert "The pool agent is paused" in text
    assert "host-7" not in text


def test_a_rerun_is_shown_with_reason_and_number(page, submission):
    job = meet_trouble(submission)

    text = page()

    assert "Tried again after infrastructure trouble" in text
    row = rf"{job.task.slug} {job.run.number} Agent Device lost 2 of {INFRA_BUDGET}"
    assert re.search(row, text)
    assert "secret" not in text


def test_task_runs_that_wait_for_an_operator_are_listed_with_their_reason(
    page, submission
):
    exhaust(submission)

    text = page()

    assert "4 task runs wait for a maintainer" in text
    assert text.count("Infrastructure trouble Disk full") == 4
    assert "Nothing is published before they are run again and scored." in text
    assert "0 completed so far" in text


def test_the_submitter_has_no_form_to_run_again(signed_in, submission):
    exhaust(submission)

    page = signed_in.get(submission.get_absolute_url()).content.decode()

    assert "requeue-reason" not in page


def test_an_operator_runs_all_again_from_the_page(staff, submission, maintainer):
    exhaust(submission)
    here = submission.get_absolute_url()
    page = staff.get(here).content.decode()
    action = re.search(r'action="([^"]+requeue/)"', page)[1]
    assert "Queue all 4 task runs again" in page

    response = staff.post(action, {"reason": "disk is larger", "next": here})

    assert response["Location"] == here
    assert queue.counts(submission.evaluation)["queued"] == 4
    assert AuditEvent.objects.get(act="requeue").actor == maintainer
    assert "disk is larger" in text_of(staff.get(here))


def test_publication_is_refused_with_what_must_be_run_again(staff, submission):
    exhaust(submission)

    response = staff.post(
        f"/review/{submission.pk}/decide/", {"act": "publish"}, follow=True
    )

    text = text_of(response)
    assert "4 task runs are not scored yet" in text
    for task in submission.snapshot.tasks.all():
        assert f"run 2, {task.slug} (infra_exhausted: disk_full)" in text


def test_every_undecided_square_leads_to_its_attempts(signed_in, submission):
    page = signed_in.get(submission.get_absolute_url()).content.decode()

    for job in Job.objects.select_related("run", "task"):
        place = [job.evaluation_id, job.run.number, job.task.slug]
        assert reverse("task-run-attempts", args=place) in page


# --- as JSON -------------------------------------------------------------


def progress(client: Client, submission: Submission, **headers: str):
    return client.get(
        reverse("submission-progress", args=[submission.pk]), headers=headers
    )


def test_progress_as_json_has_counts_queue_and_the_part_of_the_page(
    signed_in, submission
):
    pass_one_stage(submission)
    claim_one(submission)

    answer = progress(signed_in, submission).json()

    assert answer["undecided"] is True
    assert answer["task_runs"] == {
        "total": 4,
        "scored": 0,
        "queued": 3,
        "running": 1,
        "waiting_for_a_maintainer": 0,
        "cancelled": 0,
    }
    assert answer["progress"]["queue"]["jobs_ahead"] == 0
    assert answer["progress"]["estimate"] is None
    assert answer["announcement"] == "0 of 4 task runs scored, 1 running."
    assert "data-progress" in answer["html"]


def test_nothing_new_is_answered_without_a_body(signed_in, submission):
    etag = progress(signed_in, submission)["ETag"]

    response = progress(signed_in, submission, if_none_match=etag)

    assert response.status_code == 304
    assert response.content == b""


@pytest.mark.parametrize(
    "change",
    [
        claim_one,
        meet_trouble,
        fail_all,
        lambda submission: add_worker("new:1"),
        lambda submission: PoolPause.objects.create(
            pool="agent", since=timezone.now(), reason="x"
        ),
    ],
    ids=["claimed", "trouble", "scored", "worker", "pause"],
)
def test_whatever_changes_the_page_changes_the_tag(change, signed_in, submission):
    etag = progress(signed_in, submission)["ETag"]

    change(submission)

    assert progress(signed_in, submission, if_none_match=etag).status_code == 200


def test_each_language_has_its_own_tag(signed_in, submission):
    etag = progress(signed_in, submission)["ETag"]
    address = f"/zh-hans/submissions/{submission.pk}/progress.json"

    response = signed_in.get(address, headers={"if-none-match": etag})

    assert response.status_code == 200
    assert "已计分" in response.json()["announcement"]


def test_a_repeated_question_is_cheap(signed_in, submission):
    etag = progress(signed_in, submission)["ETag"]

    with CaptureQueriesContext(connection) as queries:
        progress(signed_in, submission, if_none_match=etag)

    assert len(queries) <= 9


def test_progress_is_nobody_elses_business(client, submission):
    assert Client().get(reverse("submission-progress", args=[submission.pk])).url
    stranger = Client()
    stranger.force_login(UserFactory())
    etag = '"anything"'

    assert progress(stranger, submission).status_code == 404
    assert progress(stranger, submission, if_none_match=etag).status_code == 404


def test_private_progress_is_kept_by_no_cache(signed_in, submission):
    assert "private" in progress(signed_in, submission)["Cache-Control"]


def test_the_end_is_told(signed_in, submission):
    fail_all(submission)

    answer = progress(signed_in, submission).json()

    assert (answer["state"], answer["undecided"]) == ("evaluated", False)


def test_the_page_costs_the_same_for_any_number_of_task_runs(
    signed_in,
    user,
    worker,
    history,  # noqa: F811 - the fixture
    submission,
):
    with CaptureQueriesContext(connection) as small:
        signed_in.get(submission.get_absolute_url())
    snapshot = make_snapshot(task_count=12)
    upload(signed_in, zipped(files_for(snapshot)))
    large = Submission.objects.exclude(pk=submission.pk).get()

    with CaptureQueriesContext(connection) as found:
        signed_in.get(large.get_absolute_url())

    assert len(found) == len(small)
    assert len(small) <= 18


# --- in the API ----------------------------------------------------------


def in_the_api(submission: Submission) -> dict:
    client = api_client(submission.user, Scope.READ)
    response = client.get(f"/api/v1/submissions/{submission.pk}/")
    assert response.status_code == 200
    return response.json()["progress"]


def test_the_api_tells_queue_estimate_and_signs_of_life(
    submission,
    worker,
    history,  # noqa: F811 - the fixture
):
    found = in_the_api(submission)

    assert found["queue"] == {
        "pool": "agent",
        "jobs_ahead": 0,
        "worker_count": 1,
        "unserved_pools": [],
        "unoffered": [],
        "paused_pools": [],
    }
    assert 0 < found["estimate"]["low_seconds"] < found["estimate"]["high_seconds"]
    assert found["silent"] is False
    assert found["reruns"] == found["stuck"] == []


def test_the_api_names_reruns_and_stuck_task_runs_by_code(submission):
    job = meet_trouble(submission)
    place = {"task": job.task.slug, "run": job.run.number, "stage": "agent"}
    assert in_the_api(submission)["reruns"] == [
        {**place, "reason": "device_lost", "attempt": 2, "budget": INFRA_BUDGET}
    ]

    exhaust(submission)

    found = in_the_api(submission)
    assert found["reruns"] == []
    assert {**place, "reason": "disk_full"} in found["stuck"]
    assert len(found["stuck"]) == 4


def test_the_list_of_the_api_is_spared_the_progress(submission):
    client = api_client(submission.user, Scope.READ)

    rows = client.get("/api/v1/submissions/").json()["results"]

    assert "progress" not in rows[0]
