"""What everybody may see of the evaluator: page and API."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from evaluator.agents.offer import Offer
from evaluator.models import (
    AgentKind,
    Attempt,
    AttemptOutcome,
    Job,
    JobState,
    PoolPause,
    Stage,
    SuspectDevice,
    Worker,
)
from evaluator.status import WEEK_KEY, current_status
from leaderboard import __version__
from leaderboard.models import Provenance, SnapshotStatus
from tests.evaluator.jobs import make_jobs
from tests.factories import EvaluationSnapshotFactory

pytestmark = pytest.mark.django_db
POOLS = ["agent", "build"]


@pytest.fixture(autouse=True)
def fresh():
    """No figures of the test before."""
    cache.delete(WEEK_KEY)


def text_of(response) -> str:
    body = response.content.decode()
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


def add_worker(name: str = "host:1", *, seen_ago: float = 5, **fields) -> Worker:
    now = timezone.now()
    defaults = {
        "pools": POOLS,
        "slots": 2,
        "sandbox": "bwrap",
        "versions": {"evaluator": "0.1.0"},
        "started_at": now - timedelta(hours=1),
        "seen_at": now - timedelta(seconds=seen_ago),
    }
    return Worker.objects.create(name=name, **{**defaults, **fields})


def add_attempt(job: Job, outcome: AttemptOutcome, reason: str = "", **fields):
    now = timezone.now()
    defaults = {
        "stage": Stage.CHECKS,
        "worker": "host:1",
        "started_at": now - timedelta(seconds=30),
        "ended_at": now,
    }
    fence = job.attempts.count() + 1
    return Attempt.objects.create(
        job=job, fence=fence, outcome=outcome, reason=reason, **{**defaults, **fields}
    )


def status_document(client) -> dict:
    response = client.get(reverse("api-status"))
    assert response.status_code == 200
    return response.json()


def test_an_idle_evaluator_without_workers_says_so(client):
    text = text_of(client.get(reverse("status")))

    assert "No worker is running" in text
    assert "nothing is lost" in text
    assert "Nothing was run in the last seven days." in text
    assert __version__ in text


def test_workers_are_listed_with_what_they_can_do(client):
    add_worker("alive:1", seen_ago=65, capabilities={"missing_tools": ["node"]})
    add_worker("bare:1", sandbox="none")

    text = text_of(client.get(reverse("status")))

    assert re.search(r"alive:1 living 1 min \d s ago agent, build 2 bwrap", text)
    assert "1 tool missing evaluator 0.1.0" in text
    assert "bare:1 living" in text
    assert "trusted bundles only" in text
    assert "No worker is running" not in text


def test_a_worker_of_which_nothing_is_heard_for_two_minutes_is_silent(client):
    add_worker("alive:1", seen_ago=110)
    add_worker("dead:1", seen_ago=130)

    assert "dead:1 silent 2 min 10 s ago" in text_of(client.get(reverse("status")))
    workers = {row["name"]: row for row in status_document(client)["workers"]}
    assert (workers["alive:1"]["silent"], workers["dead:1"]["silent"]) == (False, True)


def test_silent_workers_are_no_slots(client):
    make_jobs()
    add_worker(seen_ago=600)

    assert "No worker is running" in text_of(client.get(reverse("status")))
    agent = status_document(client)["pools"][0]
    assert (agent["name"], agent["queued"], agent["slots"]) == ("agent", 1, 0)


def test_a_worker_that_was_killed_long_ago_is_forgotten():
    add_worker(seen_ago=8 * 24 * 3600)

    assert list(current_status().workers) == []


def test_the_queue_is_shown_by_pool_with_its_oldest_wait(client):
    now = timezone.now()
    make_jobs(task_count=3, now=now - timedelta(minutes=7))
    add_worker()

    document = status_document(client)

    agent = next(row for row in document["pools"] if row["name"] == "agent")
    assert agent["queued"] == 3
    assert 420 <= agent["oldest_wait_seconds"] < 600
    assert document["jobs"] == {
        "queued": 3,
        "leased": 0,
        "infra_exhausted": 0,
        "quarantined": 0,
    }
    assert "oldest wait" in text_of(client.get(reverse("status")))


def test_a_job_that_waits_for_its_next_try_is_not_the_oldest_wait():
    make_jobs(now=timezone.now() + timedelta(minutes=2))

    status = current_status()

    assert status.queued == 1
    assert status.oldest_wait is None


def test_a_pool_without_a_worker_is_named(client):
    make_jobs(task_count=2)
    Job.objects.update(pool="device.phone")
    add_worker()

    text = text_of(client.get(reverse("status")))

    assert "No worker serves the pool device.phone" in text
    assert "2 task runs wait there." in text


def test_a_pause_is_shown_with_its_reason_until_it_is_lifted(client):
    pause = PoolPause.objects.create(
        pool="build", since=timezone.now(), reason="6 of 25 attempts failed"
    )
    text = text_of(client.get(reverse("status")))
    assert "The pool build is paused" in text
    assert "6 of 25 attempts failed" in text

    pause.lifted_at = timezone.now()
    pause.save()
    assert "is paused" not in text_of(client.get(reverse("status")))


def test_a_suspect_device_is_shown(client):
    SuspectDevice.objects.create(
        serial="SIM-7", since=timezone.now(), reason="control run failed"
    )

    assert "SIM-7" in text_of(client.get(reverse("status")))
    assert status_document(client)["suspect_devices"] == ["SIM-7"]


def test_stuck_task_runs_are_admitted(client):
    make_jobs(task_count=2)
    Job.objects.update(state=JobState.INFRA_EXHAUSTED)

    text = text_of(client.get(reverse("status")))

    assert "2 task runs ended in trouble of ours too often" in text


def test_failures_of_ours_and_of_configurations_are_counted_apart(client):
    job = make_jobs().jobs.get()
    add_attempt(job, AttemptOutcome.LOST, "worker_lost")
    add_attempt(job, AttemptOutcome.INFRASTRUCTURE, "device_lost")
    add_attempt(job, AttemptOutcome.INFRASTRUCTURE, "device_lost")
    add_attempt(job, AttemptOutcome.DRAINED, "drain")
    add_attempt(job, AttemptOutcome.MODEL, "check_failed", accepted=True)

    document = status_document(client)

    assert document["failures_ours"] == {
        "attempts": 5,
        "count": 3,
        "reasons": [
            {"reason": "device_lost", "count": 2},
            {"reason": "worker_lost", "count": 1},
        ],
    }
    assert document["failures_theirs"] == {
        "task_runs": 1,
        "count": 1,
        "reasons": [{"reason": "check_failed", "count": 1}],
    }
    text = text_of(client.get(reverse("status")))
    assert "3 of 5 attempts in the last seven days" in text
    assert "Device lost 2 Worker lost 1" in text
    assert "Behavior check failed 1" in text


def test_a_completed_task_run_is_nobodys_failure(client):
    add_attempt(make_jobs().jobs.get(), AttemptOutcome.MODEL, accepted=True)

    theirs = status_document(client)["failures_theirs"]

    assert theirs == {"task_runs": 1, "count": 0, "reasons": []}


def test_what_a_baseline_fails_is_not_a_failure_of_a_configuration(client):
    evaluation = make_jobs()
    evaluation.provenance = Provenance.BASELINE
    evaluation.save()
    add_attempt(evaluation.jobs.get(), AttemptOutcome.MODEL, "no_change")

    assert status_document(client)["failures_theirs"]["task_runs"] == 0


def test_figures_of_the_week_are_read_once_in_half_a_minute(
    client, django_assert_num_queries
):
    with CaptureQueriesContext(connection) as first:
        client.get(reverse("api-status"))

    with django_assert_num_queries(len(first) - 2):
        client.get(reverse("api-status"))


def test_attempts_of_last_week_are_past(client):
    job = make_jobs().jobs.get()
    old = timezone.now() - timedelta(days=8)
    for outcome in (AttemptOutcome.LOST, AttemptOutcome.MODEL):
        add_attempt(job, outcome, "worker_lost", started_at=old, ended_at=old)

    document = status_document(client)

    assert document["failures_ours"]["count"] == 0
    assert document["failures_theirs"]["count"] == 0
    assert document["stages"] == []


def test_times_of_a_stage_are_shown(client):
    jobs = make_jobs(task_count=3).jobs.all()
    now = timezone.now()
    for job, seconds in zip(jobs, (20, 90, 400), strict=True):
        add_attempt(
            job,
            AttemptOutcome.PASSED,
            accepted=True,
            stage=Stage.BUILD_FIRST,
            started_at=now - timedelta(seconds=seconds),
            ended_at=now,
        )

    assert status_document(client)["stages"] == [
        {
            "stage": "build_first",
            "attempts": 3,
            "median_seconds": 90.0,
            "ninetieth_percentile_seconds": 400.0,
        }
    ]
    assert "First build 3 1 min 30 s 6 min 40 s" in text_of(
        client.get(reverse("status"))
    )


def test_an_agent_that_nobody_offers_is_told_with_what_waits_for_it(client):
    evaluation = make_jobs(task_count=2)
    wanted, has = Offer("OpenCode", "1", "Lab", "m-1"), ["OpenCode", "1", "Lab", "m-2"]
    evaluation.jobs.update(agent=AgentKind.CONFIGURED, inputs={"offer": str(wanted)})
    add_worker(capabilities={"offers": [has]})

    assert status_document(client)["unoffered"] == [
        {"offer": "OpenCode 1 with m-1 of Lab", "queued": 2}
    ]
    text = text_of(client.get(reverse("status")))
    assert "No worker offers OpenCode 1 with m-1 of Lab" in text
    assert "2 task runs wait for it." in text
    assert "Offers OpenCode 1 with m-2 of Lab" in text

    add_worker("host:2", capabilities={"offers": [wanted]})
    assert status_document(client)["unoffered"] == []


def test_open_snapshots_and_the_pools_they_need_are_listed(client):
    evaluation = make_jobs()
    snapshot = evaluation.snapshot

    document = status_document(client)
    assert document["open_snapshots"] == [snapshot.version]
    names = [pool["name"] for pool in document["pools"]]
    assert names == ["agent", "build", "device.simulated-phone"]

    snapshot.status = SnapshotStatus.FROZEN
    snapshot.save()
    assert status_document(client)["open_snapshots"] == []


def test_the_page_costs_the_same_at_any_size(client, django_assert_num_queries):
    make_jobs()
    with CaptureQueriesContext(connection) as small:
        client.get(reverse("status"))
    cache.delete(WEEK_KEY)

    for number in range(3):
        add_worker(f"host:{number}")
        for job in make_jobs(task_count=4).jobs.all():
            add_attempt(job, AttemptOutcome.MODEL, "check_failed", accepted=True)
            add_attempt(job, AttemptOutcome.LOST, "worker_lost")
        PoolPause.objects.create(
            pool=f"pool-{number}", since=timezone.now(), reason="x"
        )

    assert len(small) <= 9
    with django_assert_num_queries(len(small)):
        client.get(reverse("status"))


def test_the_footer_of_every_page_leads_to_the_status(client):
    assert f'href="{reverse("status")}"' in client.get("/benchmark/").content.decode()


def test_the_page_is_there_in_chinese(client):
    response = client.get("/zh-hans/status/")

    assert response.status_code == 200
    assert "运行状态" in text_of(response)
    assert "没有运行中的评测节点" in text_of(response)


def test_what_a_worker_says_of_itself_is_escaped(client):
    add_worker("<b>x</b>", versions={"evaluator": "<script>"})

    page = client.get(reverse("status")).content

    assert b"<b>x</b>" not in page
    assert b"<script>" not in page


def test_a_worker_tells_the_open_snapshots_whose_checks_it_runs(client):
    phone = EvaluationSnapshotFactory(device_profile="Some phone")
    EvaluationSnapshotFactory(device_profile="Other phone")
    add_worker(pools=["build", "device.some-phone"])

    document = status_document(client)

    assert document["workers"][0]["snapshots"] == [
        f"{phone.benchmark.slug} {phone.version}"
    ]
    assert f"Checks for {phone}" in text_of(client.get(reverse("status")))


def test_a_worker_tells_its_sdk_and_the_open_snapshots_that_it_builds_for(client):
    facts = {"device_profile_simulated": False, "toolchain": "6.1"}
    known = EvaluationSnapshotFactory(sdk="HarmonyOS 6.1 (API 23)", **facts)
    EvaluationSnapshotFactory(sdk="HarmonyOS 5.0 (API 12)", **facts)
    sdk = {"api_level": 23, "version": "6.1.0.31"}
    builds = {"builds": {"simulated": False, "sdk": sdk}}
    add_worker("sdk:1", capabilities=builds)
    add_worker("phone:1", capabilities=builds, pools=["device.some-phone"])
    add_worker("bare:1")

    workers = {row["name"]: row for row in status_document(client)["workers"]}
    text = text_of(client.get(reverse("status")))

    assert workers["sdk:1"]["sdk"] == sdk
    assert workers["sdk:1"]["builds"] == [f"{known.benchmark.slug} {known.version}"]
    assert (workers["phone:1"]["builds"], workers["bare:1"]["builds"]) == ([], [])
    assert workers["bare:1"]["sdk"] is None
    assert text.count(f"Builds for {known}") == 1
    assert "SDK 6.1.0.31, API 23" in text
