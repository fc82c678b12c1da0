"""Everything that the rules see in one submission, one task run after the other."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from evaluator.models import Job
from leaderboard.blobs import open_blob
from leaderboard.models import Artifact, Task, TaskResult
from submissions.integrity.across import (
    Alike,
    Held,
    Seen,
    repeated_patches,
    repeated_trajectories,
    similar_patches,
)
from submissions.integrity.alike import likenesses, twins_of
from submissions.integrity.brief import TaskBrief
from submissions.integrity.briefs import (
    Files,
    brief_of,
    name_in_bundle,
    run_brief,
)
from submissions.integrity.coverage import count_files
from submissions.integrity.leaks import hidden_shingles
from submissions.integrity.patches import patch_sightings
from submissions.integrity.results import result_sightings
from submissions.integrity.trajectory import Counted, first_of_each, look_through
from submissions.models import Submission

TRAJECTORIES = ("trajectory.jsonl", "trajectory.json")
PATCH = "final.patch"


@dataclass(frozen=True, slots=True)
class Found:
    """What was seen, and where; ``twin`` is the file that it was compared with."""

    run: int
    task: Task
    file: str
    counted: Counted
    twin: int | None = None

    @property
    def fingerprint(self) -> str:
        """The same for the same thing at the same place, whenever it is looked for."""
        seen = self.counted.sighting
        place = (self.run, self.task.slug, self.file, seen.position)
        return hashlib.sha256(
            repr((seen.code.value, *place, seen.seen)).encode()
        ).hexdigest()


def found_in(submission: Submission, looked_at: Counter[str]) -> Iterator[Found]:
    """What is seen as things stand; what needs results comes once they are there.

    ``looked_at`` is counted up with what there was to look at: see ``coverage.py``.
    """
    evaluation = submission.evaluation
    tasks = {task.slug: task for task in submission.snapshot.tasks.all()}
    files: dict[tuple[str, int], Files] = defaultdict(dict)
    artifacts = (
        Artifact.objects.kept()
        .filter(run__evaluation=evaluation)
        .select_related("run", "task")
    )
    for each in artifacts:
        place = (each.task.slug, each.run.number)
        if name := name_in_bundle(each.name, run_here=evaluation.run_here):
            files[place][name] = each
    results = {
        (result.task.slug, result.run.number): result
        for result in TaskResult.objects.filter(
            run__evaluation=evaluation
        ).select_related("run", "task")
    }
    alike: list[Alike] = []
    for slug, task in tasks.items():
        here = {run: held for (name, run), held in files.items() if name == slug}
        brief = brief_of(task) if here else None
        if brief is None:
            continue
        hidden = hidden_shingles(brief)
        for run, held in here.items():
            result = results.get((slug, run))
            count_files(looked_at, held, brief=brief)
            yield from _of_task_run(
                run, task, held, result=result, brief=brief, hidden=hidden
            )
        patches = {
            Held(run, slug, held[PATCH].sha256)
            for run, held in here.items()
            if PATCH in held and held[PATCH].size_bytes
        }
        alike += likenesses(submission, task, brief, patches, looked_at=looked_at)
    looked_at["results"] += len(results)
    yield from _of_results(submission, results)
    yield from _across(submission, files, tasks, alike)


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
        yield Found(run, task, PATCH, each)
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
            yield Found(place[1], result.task, PATCH, each)


def _across(
    submission: Submission,
    files: dict[tuple[str, int], Files],
    tasks: dict[str, Task],
    alike: list[Alike],
) -> Iterator[Found]:
    trajectories: dict[Held, str] = {}
    patches = []
    for (slug, run), held in files.items():
        for name in TRAJECTORIES:
            if name in held and held[name].size_bytes:
                trajectories[Held(run, slug, held[name].sha256)] = name
        patch = held.get(PATCH)
        if patch is not None and patch.size_bytes:
            patches.append(Held(run, slug, patch.sha256))
    for seen in repeated_trajectories(trajectories):
        yield _found(seen, tasks, trajectories[seen.place])
    digests = {each.sha256 for each in patches} | {each.sha256 for each in alike}
    twins = twins_of(submission, digests)
    for seen in (*repeated_patches(patches, twins), *similar_patches(alike, twins)):
        yield _found(seen, tasks, PATCH)


def _found(seen: Seen, tasks: dict[str, Task], file: str) -> Found:
    place = seen.place
    return Found(place.run, tasks[place.task], file, Counted(seen.sighting), seen.twin)
