"""Review an evaluated sample as the demo's two maintainers would, and publish it.

What they say stands in ``fixtures/bundles/<name>.review.json``; what they say it of was
measured by the worker. Nothing is done where a person was first.
"""

from __future__ import annotations

import json
import time
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse

from evaluator.errors import NotPossibleError
from leaderboard.models import FailureLabel, TaskResult
from scripts.steps import ROOT, say
from submissions.failures import labelling
from submissions.integrity import scan
from submissions.models import (
    IntegrityScan,
    IntegritySignal,
    SignalVerdict,
    Submission,
    SubmissionState,
)
from submissions.review import decisions
from submissions.review.failures import Opinion, label_failure
from submissions.transitions import Act

SCAN_SECONDS = 60
PAUSE_SECONDS = 1.0


def review(name: str, submission: Submission) -> bool:
    """Say what the sample's review says, all of it or nothing; whether it was done."""
    told = ROOT / "fixtures" / "bundles" / f"{name}.review.json"
    submission.refresh_from_db()
    if not told.exists() or not waits_for_review(submission):
        return False
    if not look_through(submission):
        say(f"{name}: not reviewed, since the audit did not come to its end.")
        return False
    try:
        with transaction.atomic():
            say_all(json.loads(told.read_text("utf-8")), submission)
    except (NotPossibleError, IntegritySignal.DoesNotExist) as error:
        say(f"{name}: not reviewed. {error}")
        return False
    evaluation = submission.evaluation_id
    for page in ("evaluation-failures", "evaluation-audit"):
        say(f"{name}: {settings.PUBLIC_URL}{reverse(page, args=[evaluation])}")
    return True


def waits_for_review(submission: Submission) -> bool:
    """Whether it is evaluated and no maintainer has said anything of it."""
    evaluation = submission.evaluation
    labels = FailureLabel.objects.filter(result__run__evaluation=evaluation)
    verdicts = SignalVerdict.objects.filter(signal__submission=submission)
    return submission.shown_state == SubmissionState.EVALUATED and not (
        submission.proposals.exists()
        or verdicts.exists()
        or labels.exclude(by=None).exists()
    )


def look_through(submission: Submission) -> bool:
    """Have failures labelled and signals found, as the worker does in the background.

    Returns whether the audit has ended; the worker may be at it, and is waited for.
    """
    for run in labelling.due().filter(evaluation=submission.evaluation_id):
        labelling.label(run)
    deadline = time.monotonic() + SCAN_SECONDS
    while time.monotonic() < deadline:
        if scan.due().filter(pk=submission.pk).exists():
            scan.look_at(submission)
        done = IntegrityScan.objects.filter(
            submission=submission, scored=True, finished_at__isnull=False
        )
        if done.exists():
            return True
        time.sleep(PAUSE_SECONDS)
    return False


def say_all(told: dict[str, Any], submission: Submission) -> None:
    """Labels, verdicts with what follows from them, then the publication."""
    for each in told["labels"]:
        opinion = Opinion(each["failure"], each["note"], each["file"], each["line"])
        result = result_of(submission, each)
        label_failure(submission, result, opinion, by=person(each["by"]))
    for each in told["verdicts"]:
        by, reason = person(each["by"]), each["reason"]
        decisions.judge_signal(
            signal_of(submission, each),
            by=by,
            decision=each["decision"],
            reason=reason,
            public_note=each["public_note"],
        )
        result = result_of(submission, each)
        proposal = decisions.propose_overruling(
            submission, result, by=by, reason=reason
        )
        decisions.confirm(proposal, by=person(each["counts_0_by"]))
    last = told["publication"]
    decisions.decide(
        submission, Act.PUBLISH, by=person(last["by"]), reason=last["reason"]
    )


def person(name: str) -> User:
    return User.objects.get(username=name)


def result_of(submission: Submission, place: dict[str, Any]) -> TaskResult:
    return TaskResult.objects.select_related("run", "task", "overruling").get(
        run__evaluation=submission.evaluation_id,
        run__number=place["run"],
        task__slug=place["task"],
    )


def signal_of(submission: Submission, place: dict[str, Any]) -> IntegritySignal:
    return IntegritySignal.objects.get(
        submission=submission,
        code=place["rule"],
        run_number=place["run"],
        task__slug=place["task"],
        current=True,
    )
