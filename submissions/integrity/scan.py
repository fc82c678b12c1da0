"""Looks through a submission and keeps what the rules saw.

Begun after acceptance and again after scoring, in the background; evaluations neither
wait for it nor end with it. Doing it twice gives the same rows.
"""

from __future__ import annotations

import hashlib
import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from evaluator.models import Job
from leaderboard.blobs import open_blob
from leaderboard.models import Artifact, Task, TaskResult
from submissions.integrity.across import (
    Held,
    Twin,
    repeated_patches,
    repeated_trajectories,
)
from submissions.integrity.brief import TaskBrief
from submissions.integrity.briefs import Files, brief_of, run_brief
from submissions.integrity.catalogue import RULES, Code
from submissions.integrity.leaks import hidden_shingles
from submissions.integrity.patches import patch_sightings
from submissions.integrity.results import result_sightings
from submissions.integrity.trajectory import Counted, first_of_each, look_through
from submissions.models import (
    IntegrityScan,
    IntegritySignal,
    Severity,
    Submission,
    SubmissionQuerySet,
)

logger = logging.getLogger(__name__)

# A scan that has not ended by then has died with its process.
GIVEN_UP_AFTER = timedelta(minutes=30)
MOST_TRIES = 3
_SEVERITIES = {
    Code.PATCH_REFUSED: Severity.REFUSE,
    Code.PATCH_RESTORED: Severity.RESTORE,
}
TRAJECTORIES = ("trajectory.jsonl", "trajectory.json")


@dataclass(frozen=True, slots=True)
class Found:
    """What was seen, and where."""

    run: int
    task: Task
    file: str
    counted: Counted

    @property
    def fingerprint(self) -> str:
        """The same for the same thing at the same place, whenever it is looked for."""
        seen = self.counted.sighting
        place = (self.run, self.task.slug, self.file, seen.position)
        return hashlib.sha256(repr((seen.code.value, *place, seen.seen)).encode()).hexdigest()


def due() -> SubmissionQuerySet:
    """Submissions that nobody has looked through as things stand, the oldest first."""
    dead = timezone.now() - GIVEN_UP_AFTER
    scan = "integrity_scan"
    outdated = Q(**{f"{scan}__rules__lt": RULES}) | Q(
        **{f"{scan}__scored": False, "evaluation__scored_at__isnull": False}
    )
    unfinished = Q(**{f"{scan}__finished_at": None})
    again = unfinished & Q(
        **{f"{scan}__started_at__lt": dead, f"{scan}__tries__lt": MOST_TRIES}
    )
    return Submission.objects.filter(
        Q(**{scan: None}) | (outdated & ~unfinished) | again
    ).order_by("created_at")


def look_at(submission: Submission) -> IntegrityScan | None:
    """Look through a submission; None while another process is at it.

    Trouble of ours ends in the scan's row and in the log, not in an exception.
    """
    scan = _begin(submission)
    if scan is None:
        return None
    try:
        found = list(_all(submission))
    except Exception as error:
        logger.exception("submission %s could not be looked through", submission.pk)
        IntegrityScan.objects.filter(pk=scan.pk, started_at=scan.started_at).update(
            trouble=f"{type(error).__name__}: {error}"[:500]
        )
    else:
        _keep(scan, found)
    scan.refresh_from_db()
    return scan


def _begin(submission: Submission) -> IntegrityScan | None:
    now = timezone.now()
    with transaction.atomic():
        evaluation = submission.evaluation
        evaluation.refresh_from_db(fields=["scored_at"])
        scored = evaluation.scored_at is not None
        scan, created = IntegrityScan.objects.select_for_update().get_or_create(
            submission=submission,
            defaults={"rules": RULES, "started_at": now, "scored": scored},
        )
        if not created and _is_at_work(scan, now):
            return None
        news = scan.finished_at is not None or scan.scored != scored
        scan.tries = 1 if created or news else scan.tries + 1
        scan.rules, scan.scored, scan.started_at = RULES, scored, now
        scan.finished_at, scan.trouble = None, ""
        scan.save()
    return scan


def _is_at_work(scan: IntegrityScan, now: datetime) -> bool:
    return (
        scan.finished_at is None
        and not scan.trouble
        and scan.started_at > now - GIVEN_UP_AFTER
    )


def _keep(scan: IntegrityScan, found: Iterable[Found]) -> None:
    """Write the rows, unless a later scan has begun meanwhile."""
    with transaction.atomic():
        same = IntegrityScan.objects.select_for_update().filter(
            pk=scan.pk, started_at=scan.started_at
        )
        if not same.exists():
            return
        rows = {each.fingerprint: _row(scan, each) for each in found}
        old = IntegritySignal.objects.filter(submission=scan.submission_id)
        gone = old.exclude(fingerprint__in=list(rows))
        gone.filter(verdicts=None).delete()
        gone.update(current=False)
        IntegritySignal.objects.bulk_create(
            rows.values(),
            update_conflicts=True,
            unique_fields=["submission", "fingerprint"],
            update_fields=["severity", "score", "occurrences", "current"],
        )
        same.update(finished_at=timezone.now())


def _row(scan: IntegrityScan, found: Found) -> IntegritySignal:
    seen = found.counted.sighting
    return IntegritySignal(
        submission_id=scan.submission_id,
        code=seen.code,
        severity=_SEVERITIES.get(seen.code, Severity.FLAG),
        score=seen.score,
        run_number=found.run,
        task=found.task,
        file=found.file,
        position=seen.position,
        occurrences=found.counted.occurrences,
        seen=seen.seen,
        fingerprint=found.fingerprint,
    )


def _all(submission: Submission) -> Iterator[Found]:
    evaluation = submission.evaluation
    tasks = {task.slug: task for task in submission.snapshot.tasks.all()}
    files: dict[tuple[str, int], Files] = defaultdict(dict)
    artifacts = Artifact.objects.filter(
        run__evaluation=evaluation, name__startswith="submitted/"
    ).select_related("run", "task")
    for each in artifacts:
        place = (each.task.slug, each.run.number)
        files[place][each.name.removeprefix("submitted/")] = each
    results = {
        (result.task.slug, result.run.number): result
        for result in TaskResult.objects.filter(
            run__evaluation=evaluation
        ).select_related("run", "task")
    }
    for slug, task in tasks.items():
        brief = brief_of(task)
        hidden = hidden_shingles(brief)
        for place, held in files.items():
            if place[0] == slug:
                result = results.get(place)
                yield from _of_task_run(
                    place[1], task, held, result=result, brief=brief, hidden=hidden
                )
    yield from _of_results(submission, results)
    yield from _across(submission, files, tasks)


def _of_task_run(
    run: int,
    task: Task,
    files: Files,
    *,
    result: TaskResult | None,
    brief: TaskBrief,
    hidden: frozenset[int],
) -> Iterator[Found]:
    first_build_ok = result.first_build_ok if result else None
    submitted = run_brief(files, first_build_ok=first_build_ok)
    for each in first_of_each(patch_sightings(submitted.final_patch, brief)):
        yield Found(run, task, "final.patch", each)
    for name in TRAJECTORIES:
        if name in files:
            with open_blob(files[name].sha256) as stream:
                seen = look_through(
                    stream,
                    lines=name.endswith(".jsonl"),
                    brief=brief,
                    run=submitted,
                    hidden=hidden,
                )
            yield from (Found(run, task, name, each) for each in seen)


def _of_results(
    submission: Submission, results: dict[tuple[str, int], TaskResult]
) -> Iterator[Found]:
    jobs = Job.objects.filter(evaluation=submission.evaluation_id)
    unchanged = dict(
        ((slug, run), empty)
        for slug, run, empty in jobs.values_list(
            "task__slug", "run__number", "facts__empty"
        )
    )
    for place, result in results.items():
        seen = result_sightings(
            completed=result.completed,
            reason=result.reason,
            detail=result.detail,
            flags=result.flags,
            unchanged=unchanged.get(place) is True,
        )
        for each in first_of_each(seen):
            yield Found(place[1], result.task, "final.patch", each)


def _across(
    submission: Submission,
    files: dict[tuple[str, int], Files],
    tasks: dict[str, Task],
) -> Iterator[Found]:
    trajectories: dict[Held, str] = {}
    patches = []
    for (slug, run), held in files.items():
        for name in TRAJECTORIES:
            if name in held and held[name].size_bytes:
                trajectories[Held(run, slug, held[name].sha256)] = name
        patch = held.get("final.patch")
        if patch is not None and patch.size_bytes:
            patches.append(Held(run, slug, patch.sha256))
    for place, sighting in repeated_trajectories(trajectories):
        name = trajectories[place]
        yield Found(place.run, tasks[place.task], name, Counted(sighting))
    for place, sighting in repeated_patches(patches, _twins(submission, patches)):
        yield Found(place.run, tasks[place.task], "final.patch", Counted(sighting))


def _twins(submission: Submission, patches: list[Held]) -> Iterator[Twin]:
    """The same patches under another model and from other people."""
    mine = Q(run__evaluation__submission__user=submission.user_id)
    if submission.team_id is not None:
        mine |= Q(run__evaluation__submission__team=submission.team_id)
    model = submission.evaluation.configuration.model
    found = (
        Artifact.objects.filter(
            name="submitted/final.patch",
            task__snapshot=submission.snapshot_id,
            sha256__in={each.sha256 for each in patches},
        )
        .exclude(run__evaluation__configuration__model=model)
        .exclude(mine)
        .values_list(
            "task__slug",
            "sha256",
            "size_bytes",
            "run__evaluation__configuration__model",
            "run__evaluation",
        )
    )
    return (Twin(*row) for row in found)
