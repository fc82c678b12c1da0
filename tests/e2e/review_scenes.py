"""Reviews in every state that their pages can show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.urls import reverse

from evaluator.models import Job
from leaderboard.curation import SnapshotAct, move, refuse
from leaderboard.models import ProofKind
from leaderboard.snapshots import import_package
from submissions.models import IntegritySignal, Severity, Submission
from submissions.review import appeals, decisions, messages
from submissions.transitions import Act
from tests.e2e.scenes import meet_trouble, score, submit
from tests.factories import TeamFactory, UserFactory
from tests.leaderboard.packages import write_package
from tests.leaderboard.proofs import prove
from tests.submissions.bundles import make_snapshot


def pages_of_reviews(owner: Any, operator: Any, folder: Path) -> dict[str, str]:
    """Addresses by name; ``owner`` submitted everything, ``operator`` reviews."""
    snapshot = make_snapshot(version="demo-0.2", task_count=8, run_count=3)
    other = UserFactory(username="second-maintainer", is_staff=True)
    found = {
        name: submit(owner, snapshot, f"sample-model-{name}", folder)
        for name in ("waiting", "asked", "rejected", "disqualified", "own", "stuck")
    }
    for name, submission in found.items():
        if name == "stuck":
            meet_trouble(submission)
        else:
            score(submission, Job.objects.filter(evaluation=submission.evaluation))
    add_signals(found["waiting"])
    messages.write_note(
        found["waiting"], by=other, text="The trajectory of run 2 looks short."
    )
    messages.ask(found["asked"], by=operator, question="Which seed did run 2 use?")
    decide(found["rejected"], Act.REJECT, by=other)
    appeals.appeal(
        found["rejected"], by=owner, text="The file is part of the base project."
    )
    decide(found["disqualified"], Act.PUBLISH, by=other)
    decide(found["disqualified"], Act.DISQUALIFY, by=other)
    decide(found["disqualified"], Act.REINSTATE, by=other)
    found["own"].team = TeamFactory(owner=owner, members=[operator], name="Sample Lab")
    found["own"].save(update_fields=["team"])
    decide(found["own"], Act.PUBLISH, by=operator)
    return {
        "queue": reverse("review-queue"),
        **{name: reverse("review", args=[each.pk]) for name, each in found.items()},
        **{
            f"{name}, as its submitter": found[name].get_absolute_url()
            for name in ("asked", "rejected")
        },
        "struck out": found["disqualified"].evaluation.get_absolute_url(),
        **pages_of_curation(other, folder / "package"),
    }


def pages_of_curation(curator: Any, folder: Path) -> dict[str, str]:
    """A snapshot in admission with a flaky task that one curator refused."""
    snapshot = import_package(write_package(folder, "alpha", "beta")).snapshot
    task = snapshot.tasks.get(slug="alpha")
    move(snapshot, SnapshotAct.BEGIN, by=curator)
    prove(task, ProofKind.BASE, passes=[False])
    prove(task, ProofKind.REFERENCE, passes=[True, False])
    refuse(task, by=curator, reason="The check depends on the size of the letters.")
    place = [snapshot.benchmark.slug, snapshot.version]
    return {
        "curation": reverse("curation"),
        "curated snapshot": reverse("curation-snapshot", args=place),
        "curated task": reverse("curation-task", args=[*place, "alpha"]),
    }


def decide(submission: Submission, act: Act, *, by: Any) -> None:
    decisions.decide(
        submission, act, by=by, reason="Files of the reference were copied."
    )


def add_signals(submission: Submission) -> None:
    task = submission.snapshot.tasks.first()
    for number, (code, seen) in enumerate(
        [
            ("git_history", "git log --all --oneline | head -50"),
            ("hidden_files", "cat ../reference/solution.patch"),
        ]
    ):
        IntegritySignal.objects.create(
            submission=submission,
            code=code,
            severity=Severity.FLAG,
            score=0.9 - number / 10,
            run_number=1,
            task=task,
            file="trajectory.jsonl",
            position=number + 7,
            seen=seen,
            fingerprint=str(number),
        )
