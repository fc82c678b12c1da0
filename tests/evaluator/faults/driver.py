"""Starts an evaluation and a Celery worker, kills the worker, and prints the end.

    python -m tests.evaluator.faults.driver STAGE [STAGE ...]

For each stage named, the worker is killed with SIGKILL while it works on that stage and
then started again. The last line printed is the final state as JSON.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import django

django.setup()

from django.conf import settings  # noqa: E402 - after the set-up
from django.core.management import call_command  # noqa: E402

from evaluator import services  # noqa: E402
from evaluator.models import AgentKind, Attempt, Job, JobState  # noqa: E402
from leaderboard.models import (  # noqa: E402
    Configuration,
    Evaluation,
    EvaluationSnapshot,
    Provenance,
    ScopeTotals,
    TaskResult,
)

ROOT = Path(__file__).resolve().parents[3]
WAIT_SECONDS = 90


def start_worker() -> subprocess.Popen[bytes]:
    queues = ",".join(["control", *settings.OHB_WORKER_POOLS])
    words = ["-A", "leaderboard.config.celery", "worker", "-B", "--pool", "threads"]
    words += ["--concurrency", "2", "-Q", queues, "--loglevel", "WARNING"]
    words += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    return subprocess.Popen(
        [sys.executable, "-m", "celery", *words],
        cwd=ROOT,
        stdout=sys.stderr,
        start_new_session=True,
    )


def kill(worker: subprocess.Popen[bytes]) -> None:
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()


def wait_for(what: str, condition) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit(f"Waited {WAIT_SECONDS} s in vain for {what}.")
        time.sleep(0.02)


def start_evaluation() -> Evaluation:
    call_command("migrate", verbosity=0)
    call_command("import_snapshot", ROOT / "fixtures" / "snapshots" / "demo")
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


def main(stages: list[str]) -> None:
    evaluation = start_evaluation()
    jobs = Job.objects.filter(evaluation=evaluation)
    worker = start_worker()
    kills = []
    try:
        for stage in stages:
            wait_for(
                f"a lease on {stage}",
                jobs.filter(state=JobState.LEASED, stage=stage).exists,
            )
            kill(worker)
            kills.append(stage)
            worker = start_worker()
        undecided = jobs.filter(state__in=[JobState.QUEUED, JobState.LEASED])
        wait_for("the end", lambda: not undecided.exists())
        wait_for(
            "the totals",
            Evaluation.objects.filter(pk=evaluation.pk, scored_at__isnull=False).exists,
        )
    finally:
        worker.send_signal(signal.SIGTERM)
        try:
            worker.wait(10)
        except subprocess.TimeoutExpired:
            kill(worker)
    print(json.dumps({"kills": kills, **final_state(evaluation)}))  # noqa: T201 - read by the test


def final_state(evaluation: Evaluation) -> dict[str, object]:
    accepted = Attempt.objects.filter(job__evaluation=evaluation, accepted=True)
    summary = ScopeTotals.objects.get(evaluation=evaluation, run=None, scope="overall")
    return {
        "jobs": list(evaluation.jobs.values_list("state", flat=True)),
        "results": TaskResult.objects.filter(run__evaluation=evaluation).count(),
        "accepted": accepted.count(),
        "lost": Attempt.objects.filter(
            job__evaluation=evaluation, outcome="lost"
        ).count(),
        "completed_by_run": summary.completed_by_run,
    }


if __name__ == "__main__":
    main(sys.argv[1:])
