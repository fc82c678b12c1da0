"""Starts an evaluation and a Celery worker, breaks things, and prints the end.

    python -m tests.evaluator.faults.driver '{"events": ["worker:checks"], ...}'
    python -m tests.evaluator.faults.driver submit

Each event waits until a job is in the stage it names: ``worker`` kills the worker with
SIGKILL and starts it again, ``drain`` does so with SIGTERM, ``broker`` and ``database``
kill that server and start it again. The last line printed is the final state as JSON.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import django

django.setup()

from django.conf import settings  # noqa: E402 - after the set-up
from django.core.management import call_command  # noqa: E402
from django.db import close_old_connections  # noqa: E402
from django.db.models import Count, Sum  # noqa: E402

from evaluator import hints, services  # noqa: E402
from evaluator.heartbeat import DATABASE_AWAY  # noqa: E402
from evaluator.models import AgentKind, Attempt, Job, JobState, Stage  # noqa: E402
from leaderboard.models import (  # noqa: E402
    Configuration,
    Evaluation,
    EvaluationSnapshot,
    Provenance,
    ScopeTotals,
    TaskResult,
)
from leaderboard.recount import differences  # noqa: E402
from tests.demo import demo_package  # noqa: E402
from tests.evaluator.faults.app import app  # noqa: E402
from tests.evaluator.faults.servers import PostgreSQL, Redis  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
WAIT_SECONDS = 400
# The broker stays away so long, which is longer than a stage takes.
AWAY_SECONDS = 1.5


class Worker:
    """The worker process, restarted as often as it is ended."""

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        queues = ",".join(["control", *settings.OHB_WORKER_POOLS])
        words = ["-A", "tests.evaluator.faults.app", "worker", "-B"]
        words += ["--concurrency", "2", "-Q", queues]
        words += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "celery", *words, "--loglevel", "WARNING"],
            cwd=ROOT,
            stdout=sys.stderr,
            start_new_session=True,
        )

    def kill(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def drain(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(120)

    def end(self) -> None:
        try:
            self.drain()
        except subprocess.TimeoutExpired:
            self.kill()


def wait_for(what: str, condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not _holds(condition):
        if time.monotonic() > deadline:
            raise SystemExit(f"Waited {WAIT_SECONDS} s in vain for {what}.")
        time.sleep(0.02)


def _holds(condition: Callable[[], bool]) -> bool:
    try:
        return condition()
    except DATABASE_AWAY:
        close_old_connections()
        return False


def start_evaluation() -> Evaluation:
    call_command("migrate", verbosity=0)
    with tempfile.TemporaryDirectory() as folder:
        call_command("import_snapshot", demo_package(Path(folder)))
    snapshot = EvaluationSnapshot.objects.get()
    return services.start_evaluation(
        snapshot=snapshot,
        configuration=Configuration.objects.create(
            model="Reference solution", provider="test", agent_name="reference"
        ),
        provenance=Provenance.BASELINE,
        run_count=2,
        trusted=True,
        comparability_key=snapshot.comparability_key,
        agent=AgentKind.REFERENCE,
    )


def submit() -> None:
    """Only start an evaluation, and tell how long the hints hold that up.

    That is the least of several times: a busy machine adds to any of them.
    """
    took: list[float] = []
    with mock.patch.object(hints, "ring_all", timed(hints.ring_all, took)):
        evaluation = start_evaluation()
        for _ in range(2):
            hints.ring_all(list(evaluation.jobs.values_list("pk", "pool")))
    states = list(evaluation.jobs.values_list("state", flat=True))
    found = {"jobs": states, "hint_seconds": min(took)}
    print(json.dumps(found), flush=True)  # noqa: T201 - read by the test


def timed(act: Callable[..., None], took: list[float]) -> Callable[..., None]:
    def run(*args: object) -> None:
        began = time.monotonic()
        act(*args)
        took.append(time.monotonic() - began)

    return run


def main(events: list[str], servers: dict[str, dict[str, str]]) -> None:
    evaluation = start_evaluation()
    jobs = Job.objects.filter(evaluation=evaluation)
    worker = Worker()
    began = time.monotonic()
    try:
        for event in events:
            what, _, stage = event.partition(":")
            running = jobs.filter(state=JobState.LEASED, stage=stage)
            wait_for(f"a lease on {stage}", running.exists)
            break_(what, worker, servers)
        undecided = jobs.filter(state__in=[JobState.QUEUED, JobState.LEASED])
        wait_for("the end", lambda: not undecided.exists())
        scored = Evaluation.objects.filter(pk=evaluation.pk, scored_at__isnull=False)
        wait_for("the totals", scored.exists)
        seconds = round(time.monotonic() - began, 1)
    finally:
        worker.end()
    state = {"events": events, "seconds": seconds, **final_state(evaluation)}
    print(json.dumps(state))  # noqa: T201 - read by the test


def break_(what: str, worker: Worker, servers: dict[str, dict[str, str]]) -> None:
    match what:
        case "worker":
            worker.kill()
            worker.start()
        case "drain":
            worker.drain()
            worker.start()
        case "broker":
            redis = Redis(Path(servers["redis"]["folder"]), servers["redis"]["port"])
            redis.kill()
            time.sleep(AWAY_SECONDS)
            redis.start()
        case "database":
            place = servers["postgresql"]
            cluster = PostgreSQL(Path(place["folder"]), place["port"])
            cluster.kill()
            cluster.start()
        case other:
            raise SystemExit(f"Unknown event {other!r}.")


def final_state(evaluation: Evaluation) -> dict[str, object]:
    attempts = Attempt.objects.filter(job__evaluation=evaluation)
    accepted = attempts.filter(accepted=True)
    summary = ScopeTotals.objects.get(evaluation=evaluation, run=None, scope="overall")
    wanted = evaluation.jobs.count() * len(Stage)
    return {
        "jobs": list(evaluation.jobs.values_list("state", flat=True)),
        "results": TaskResult.objects.filter(run__evaluation=evaluation).count(),
        "accepted": accepted.count(),
        "missing": wanted - accepted.values("job", "stage").distinct().count(),
        "doubled": accepted.values("job", "stage")
        .annotate(times=Count("pk"))
        .filter(times__gt=1)
        .count(),
        "attempts": dict(
            attempts.values_list("outcome").order_by("outcome").annotate(n=Count("pk"))
        ),
        "budget_left": evaluation.jobs.aggregate(left=Sum("infra_left"))["left"],
        "completed_by_run": summary.completed_by_run,
        "differences": [str(each) for each in differences(evaluation)],
    }


if __name__ == "__main__":
    app.set_current()
    if sys.argv[1] == "submit":
        submit()
    else:
        main(**json.loads(sys.argv[1]))
