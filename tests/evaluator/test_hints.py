"""Hints go out after the commit, a few at a time, and never hurt whoever rings."""

from __future__ import annotations

import threading

import pytest
from django.db import transaction
from kombu.exceptions import OperationalError

from evaluator import hints, tasks
from tests.evaluator.jobs import make_jobs

JOBS = [(number, "build") for number in range(100)]


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """However slow the machine is, it is the broker that is being tested."""
    monkeypatch.setattr(hints, "PATIENCE_SECONDS", 60)


@pytest.fixture
def sent(monkeypatch) -> list[tuple[list[int], str]]:
    """What the broker got."""
    found: list[tuple[list[int], str]] = []

    def send(*, args, queue, retry):
        assert retry is False
        found.append((args, queue))

    monkeypatch.setattr(tasks.run_stage, "apply_async", send)
    return found


@pytest.fixture
def broken(monkeypatch):
    """Let the broker do what a test says."""

    def let(act):
        monkeypatch.setattr(tasks.run_stage, "apply_async", lambda **_: act())

    return let


def test_a_hint_names_one_job_in_the_queue_of_its_pool(sent):
    assert hints.ring(7, "build")

    assert sent == [([7], "build")]


def test_hints_wake_a_few_workers_and_no_more(sent):
    hints.ring_all(JOBS[: hints.RING_LIMIT])

    assert len(sent) == hints.RING_LIMIT


@pytest.mark.django_db
def test_hints_go_out_after_the_commit_only(sent, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        hints.ring_after_commit(JOBS)
        assert sent == []

    assert [args for args, _ in sent] == [[n] for n in range(hints.RING_LIMIT)]


@pytest.mark.usefixtures("committed_db")
def test_a_transaction_that_fails_sends_no_hint(sent):
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        hints.ring_after_commit(JOBS)
        raise ZeroDivisionError

    assert sent == []


@pytest.mark.parametrize(
    "error", [OperationalError("down"), OSError("refused"), RuntimeError("no schema")]
)
def test_a_broker_that_refuses_is_asked_once(error, broken, caplog):
    asked = []

    def refuse():
        asked.append(1)
        raise error

    broken(refuse)

    hints.ring_all(JOBS)

    assert len(asked) == 1
    assert "no hint for job 0" in caplog.text


def test_a_broker_that_hangs_holds_nobody_up(broken, caplog, monkeypatch):
    monkeypatch.setattr(hints, "PATIENCE_SECONDS", 0.1)
    answer, answered = threading.Event(), threading.Event()

    def hang():
        answer.wait(120)
        answered.set()
        raise OperationalError("at last")

    broken(hang)
    try:
        hints.ring_all(JOBS)
        hints.ring_all(JOBS)
        assert not answered.is_set()
    finally:
        answer.set()
        assert answered.wait(60)

    assert "does not answer" in caplog.text


@pytest.mark.django_db
def test_the_reaper_rings_for_what_is_queued(sent):
    evaluation = make_jobs(task_count=2)

    tasks.reap()

    assert sent == [
        ([pk], "agent") for pk in evaluation.jobs.values_list("pk", flat=True)
    ]


def test_a_task_is_called_by_name_after_the_commit(monkeypatch, db):
    called = []
    monkeypatch.setattr(
        hints.current_app, "send_task", lambda name, **options: called.append(name)
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transaction, "on_commit", lambda act, robust: act())
        hints.call_after_commit("app.tasks.something")

    assert called == ["app.tasks.something"]
    assert hints._ringing.acquire(timeout=60)
    hints._ringing.release()


def test_a_call_that_the_broker_does_not_take_hurts_nobody(monkeypatch, caplog, db):
    def refuse(name, **options):
        raise OperationalError("down")

    monkeypatch.setattr(hints.current_app, "send_task", refuse)

    hints._call("app.tasks.something")

    assert hints._ringing.acquire(timeout=60)
    hints._ringing.release()
    assert "no hint for app.tasks.something" in caplog.text
