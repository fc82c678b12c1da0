"""Everything that the rules see in one submission, one task run after the other."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Q

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
from submissions.integrity.leaks import hidden_shingles
from submissions.integrity.patches import patch_sightings
from submissions.integrity.results import result_sightings
from submissions.integrity.trajectory import Counted, first_of_each, look_through
from submissions.models import Submission

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
        return hashlib.sha256(
            repr((seen.code.value, *place, seen.seen)).encode()
        ).hexdigest()


def found_in(submission: Submission) -> Iterator[Found]:
    """What is seen as things stand; what needs results comes once they are there."""
    evaluation = submission.evaluation
    tasks = {task.slug: task for task in submission.snapshot.tasks.all()}
    files: dict[tuple[str, int], Files] = defaultdict(dict)
    artifacts = (
        Artifact.objects.kept()
        .filter(run__evaluation=evaluation, name__startswith="submitted/")
        .select_related("run", "task")
    )
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
    unchanged = {
        (slug, run): empty
        for slug, run, empty in jobs.values_list(
            "task__slug", "run__number", "facts__empty"
        )
    }
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
