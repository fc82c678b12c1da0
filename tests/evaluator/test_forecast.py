"""Place in the queue and the range of the end."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest
from django.utils import timezone
from django.utils.text import slugify

from evaluator.agents.offer import Offer
from evaluator.forecast import Forecast, forecast, time_left
from evaluator.models import (
    AgentKind,
    Attempt,
    AttemptOutcome,
    Job,
    JobState,
    PoolPause,
    Stage,
    Worker,
)
from evaluator.stage_times import StageTimes
from evaluator.stages import ORDER
from leaderboard.models import Evaluation
from tests.evaluator.jobs import make_jobs
from tests.evaluator.test_status import add_worker

OFFER = Offer("OpenCode", "1.18.33", "Sample Lab", "sample-1")
OTHER_MODEL = OFFER._replace(model="sample-2")
ALL = ["agent", "build", "device.simulated-phone"]
MEDIAN, NINETIETH = timedelta(seconds=10), timedelta(seconds=30)


def times(*stages: Stage) -> dict[Stage, StageTimes]:
    return {
        stage: StageTimes(stage, 5, median=MEDIAN, ninetieth=NINETIETH)
        for stage in stages or ORDER
    }


def worker(*pools: str, slots: int = 1) -> Worker:
    return Worker(name="host:1", pools=list(pools), slots=slots)


def seconds(work: dict, workers: list[Worker]) -> tuple[float, float]:
    found = time_left(Counter(work), times=times(), workers=workers)
    assert found is not None
    return found.low.total_seconds(), found.high.total_seconds()


def test_one_slot_needs_the_sum_and_at_most_the_slow_sum_and_a_slow_end():
    assert seconds({("build", Stage.BUILD_FIRST): 4}, [worker("build")]) == (40, 150)


def test_twice_the_slots_halve_the_work_but_not_the_end():
    work = {("build", Stage.BUILD_FIRST): 4}

    assert seconds(work, [worker("build", slots=2)]) == (20, 90)
    assert seconds(work, [worker("build"), worker("build")]) == (20, 90)


def test_a_narrow_pool_sets_the_pace():
    work = {("build", Stage.BUILD_FIRST): 4, ("device.a", Stage.CHECKS): 4}
    workers = [worker("build", slots=4), worker("device.a")]

    low, high = seconds(work, workers)

    assert low == 40
    assert high == 120 / 4 + 120 + 60


def test_workers_of_other_pools_are_no_help():
    work = {("build", Stage.BUILD_FIRST): 4}

    assert seconds(work, [worker("build"), worker("agent", slots=9)]) == (40, 150)


def test_the_low_end_is_never_above_the_high_end():
    for slots in (1, 3, 50):
        for count in (1, 7, 459):
            low, high = seconds(
                {("a", Stage.AGENT): count, ("b", Stage.CHECKS): count},
                [worker("a", "b", slots=slots)],
            )
            assert low <= high


@pytest.mark.parametrize(
    ("known", "pools"),
    [([Stage.AGENT], ["agent", "build"]), (list(ORDER), ["agent"]), ([], [])],
)
def test_without_history_or_workers_there_is_no_estimate(known, pools):
    work = Counter({("agent", Stage.AGENT): 1, ("build", Stage.BUILD_FIRST): 1})
    found = time_left(
        work, times=times(*known) if known else {}, workers=[worker(*pools)]
    )

    assert found is None


def test_no_work_needs_no_estimate():
    assert time_left(Counter(), times=times(), workers=[worker("build")]) is None


@pytest.fixture
def history(db) -> None:
    """An earlier evaluation on the same device profile that went through."""
    now = timezone.now()
    job = make_jobs().jobs.get()
    Job.objects.filter(pk=job.pk).update(state=JobState.SCORED)
    for fence, stage in enumerate(ORDER, start=1):
        Attempt.objects.create(
            job=job,
            stage=stage,
            fence=fence,
            worker="host:1",
            started_at=now - MEDIAN,
            ended_at=now,
            outcome=AttemptOutcome.PASSED,
            accepted=True,
        )


def read(evaluation: Evaluation) -> Forecast:
    return forecast(evaluation, list(evaluation.jobs.all()))


def test_jobs_of_others_in_the_same_pool_are_ahead(db):
    make_jobs(task_count=3)
    elsewhere = make_jobs(task_count=2)
    Job.objects.filter(evaluation=elsewhere).update(pool="build")
    mine = make_jobs(task_count=2)
    make_jobs(task_count=5)

    found = read(mine)

    assert (found.pool, found.jobs_ahead) == ("agent", 3)


def test_nothing_waits_nothing_is_ahead(db):
    mine = make_jobs()
    Job.objects.update(state=JobState.SCORED)

    found = read(mine)

    assert (found.pool, found.jobs_ahead, found.until_end) == ("", None, None)


def test_an_estimate_covers_what_is_ahead_and_the_own_work(history):
    make_jobs(task_count=2)
    mine = make_jobs(task_count=1)
    make_jobs(task_count=9)
    add_worker(pools=ALL, slots=2, capabilities={"isolates": True})

    found = read(mine)

    assert found.until_end is not None
    work = 3 * len(ORDER) * 10
    assert found.until_end.low.total_seconds() == work / 2
    assert found.until_end.high.total_seconds() == work / 2 + 60


def test_stages_that_are_done_are_not_counted(history):
    mine = make_jobs()
    Job.objects.filter(evaluation=mine).update(
        stage=Stage.CHECKS, pool="device.simulated-phone"
    )
    add_worker(pools=ALL, slots=1)

    assert read(mine).until_end.low.total_seconds() == 10


def test_the_history_of_another_device_profile_tells_nothing(history):
    mine = make_jobs()
    mine.snapshot.device_profile = "Another phone"
    mine.snapshot.save()
    mine = Evaluation.objects.get(pk=mine.pk)
    add_worker(pools=[*ALL, "device.another-phone"])

    assert read(mine).until_end is None


def test_a_silent_worker_serves_no_pool(history):
    mine = make_jobs()
    add_worker(pools=ALL, seen_ago=300)

    found = read(mine)

    assert (found.worker_count, found.until_end) == (0, None)
    assert found.unserved == ["agent"]


def test_a_worker_without_walls_does_not_count_for_untrusted_work(history):
    mine = make_jobs()
    Job.objects.filter(evaluation=mine).update(trusted=False)
    add_worker(pools=ALL, sandbox="none", capabilities={"isolates": False})

    assert read(mine).unserved == ["agent"]

    add_worker("other:1", pools=ALL, capabilities={"isolates": True})
    assert read(mine).unserved == []


def test_a_worker_with_real_devices_alone_needs_no_walls(history):
    mine = make_jobs()
    snapshot = mine.snapshot
    snapshot.device_profile_simulated = False
    pool = f"device.{slugify(snapshot.device_profile)}"
    Job.objects.filter(evaluation=mine).update(trusted=False, stage="checks", pool=pool)
    add_worker(pools=[pool], sandbox="none", capabilities={"isolates": False})

    snapshot.save(update_fields=["device_profile_simulated"])
    assert read(mine).unserved == []

    snapshot.device_profile_simulated = True
    snapshot.save(update_fields=["device_profile_simulated"])
    assert read(mine).unserved == [pool]


def configured(evaluation: Evaluation, offer: Offer) -> None:
    Job.objects.filter(evaluation=evaluation).update(
        agent=AgentKind.CONFIGURED, inputs={"offer": str(offer)}
    )


def test_an_agent_that_no_living_worker_has_is_named_and_has_no_estimate(history):
    mine = make_jobs()
    configured(mine, OFFER)
    add_worker(pools=ALL, capabilities={"offers": [OTHER_MODEL]})
    add_worker("gone:1", pools=ALL, seen_ago=300, capabilities={"offers": [OFFER]})
    add_worker("builds:1", pools=["build"], capabilities={"offers": [OFFER]})

    found = read(mine)
    assert (found.unserved, found.unoffered) == ([], [str(OFFER)])
    assert found.until_end is None

    add_worker("has:1", pools=ALL, capabilities={"offers": [OTHER_MODEL, OFFER]})
    found = read(mine)
    assert found.unoffered == []
    assert found.until_end is not None


def test_stages_after_the_agent_need_no_offer(history):
    mine = make_jobs()
    configured(mine, OFFER)
    Job.objects.filter(evaluation=mine).update(stage=Stage.BUILD_FIRST, pool="build")
    add_worker(pools=ALL)

    assert read(mine).unoffered == []


def test_a_paused_pool_has_no_estimate(history):
    mine = make_jobs()
    add_worker(pools=ALL)
    PoolPause.objects.create(pool="agent", since=timezone.now(), reason="6 of 25")

    found = read(mine)

    assert [pause.pool for pause in found.pauses] == ["agent"]
    assert found.until_end is None


def test_a_pause_of_a_pool_where_nothing_of_ours_waits_is_none_of_ours(history):
    mine = make_jobs()
    add_worker(pools=ALL)
    PoolPause.objects.create(pool="device.b", since=timezone.now(), reason="x")

    assert read(mine).pauses == []


def test_a_forecast_costs_the_same_at_any_size(history, django_assert_max_num_queries):
    make_jobs(task_count=5)
    mine = make_jobs(task_count=5)
    add_worker(pools=ALL)
    jobs = list(mine.jobs.all())

    with django_assert_max_num_queries(5):
        forecast(mine, jobs)
