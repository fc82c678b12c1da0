"""What a maintainer does and sees, beside the site: ``prepare`` and ``endings``.

    python -m tests.e2e.acceptance.database prepare

The last line printed is the answer as JSON.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import django

django.setup()

from django.core.management import call_command  # noqa: E402 - after the set-up

from evaluator import evidence  # noqa: E402
from evaluator.models import Attempt, AttemptOutcome, Job  # noqa: E402
from leaderboard.models import SnapshotStatus, TaskResult  # noqa: E402
from leaderboard.recount import differences  # noqa: E402
from leaderboard.snapshots import snapshot_by_version  # noqa: E402
from submissions.models import Submission  # noqa: E402
from tests.demo import demo_package  # noqa: E402
from tests.factories import UserFactory  # noqa: E402
from tests.tokens import token_for  # noqa: E402


def prepare() -> str:
    """The demo snapshot, opened, and somebody from outside with a token."""
    with tempfile.TemporaryDirectory() as folder:
        call_command("import_snapshot", demo_package(Path(folder)), verbosity=0)
    snapshot = snapshot_by_version("demo")
    snapshot.status = SnapshotStatus.OPEN
    snapshot.save()
    return token_for(UserFactory(username="outsider"))


def endings() -> dict[str, object]:
    """How every task run ended, by submission, and whatever does not add up."""
    found: dict[str, object] = {}
    for submission in Submission.objects.select_related("evaluation"):
        evaluation = submission.evaluation
        results = TaskResult.objects.filter(run__evaluation=evaluation)
        attempts = Attempt.objects.filter(job__evaluation=evaluation)
        jobs = Job.objects.filter(evaluation=evaluation)
        found[str(submission.pk)] = {
            "units": [
                [each.run.number, each.task.slug, each.reason or "completed"]
                for each in results.select_related("run", "task")
            ],
            "trusted": jobs.filter(trusted=True).count(),
            "lost": attempts.filter(outcome=AttemptOutcome.LOST).count(),
            "faults": [fault for job in jobs for fault in evidence.faults(job)],
            "differences": [str(each) for each in differences(evaluation)],
        }
    return found


if __name__ == "__main__":
    act = {"prepare": prepare, "endings": endings}[sys.argv[1]]
    print(json.dumps(act()))  # noqa: T201 - read by the test
