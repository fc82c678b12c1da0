"""Patches of one task that are nearly the same, looked for among all evaluations.

The cost is bounded: for each patch the sketches of a like size are compared, the
``MOST_COMPARED`` newest of a task, and only those that may be alike are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from django.db.models import Q

from leaderboard.blobs import BlobMissingError, read_blob
from leaderboard.models import Artifact, Task
from submissions.integrity.across import Alike, Held, Twin
from submissions.integrity.brief import TaskBrief
from submissions.integrity.catalogue import RULES
from submissions.integrity.sketches import (
    FEWEST,
    NEARLY,
    likeness,
    may_be_alike,
    patch_shingles,
    sample_of,
    sizes_like,
    sketch_of,
)
from submissions.models import PatchSketch, Submission

MOST_COMPARED = 2_000


def likenesses(
    submission: Submission,
    task: Task,
    brief: TaskBrief,
    patches: Collection[Held],
    *,
    looked_at: Counter[str],
) -> Iterator[Alike]:
    """Which of ``patches``, all of one task, are nearly those of unrelated others.

    Keeps the sketches of all of them for whoever is compared next.
    """
    shingles = {each.sha256: _shingles(each.sha256, brief) for each in sorted(patches)}
    large = {
        sha256: found for sha256, found in shingles.items() if len(found) >= FEWEST
    }
    looked_at["patches_large"] += sum(each.sha256 in large for each in patches)
    if not large:
        return
    others = _others(task, large, looked_at=looked_at)
    _keep_sketches(task, large)
    samples = {
        sha256: sample_of(sketch_of(large[sha256]).signature) for sha256 in large
    }
    likely = {
        (sha256, other.sha256)
        for other, sample in others
        for sha256, found in large.items()
        if _fits(len(found), other.shingle_count)
        and may_be_alike(samples[sha256], sample)
    }
    unrelated = {
        twin.sha256 for twin in twins_of(submission, {other for _, other in likely})
    }
    for sha256, other in sorted(likely):
        if other not in unrelated:
            continue
        share = likeness(large[sha256], _shingles(other, brief))
        if share >= NEARLY:
            for held in sorted(patches):
                if held.sha256 == sha256:
                    yield Alike(held, other, share)


def _others(
    task: Task, large: dict[str, set[int]], *, looked_at: Counter[str]
) -> list[tuple[PatchSketch, frozenset[int]]]:
    """The sketches that one of ``large`` may be like, the newest first."""
    sizes = [sizes_like(len(found)) for found in large.values()]
    found = (
        PatchSketch.objects.filter(
            task=task,
            rules=RULES,
            shingle_count__gte=min(low for low, _ in sizes),
            shingle_count__lte=max(high for _, high in sizes),
        )
        .exclude(sha256__in=large)
        .order_by("-pk")
    )
    rows = list(found[: MOST_COMPARED + 1])
    looked_at["patches_compared"] += len(rows[:MOST_COMPARED])
    looked_at["tasks_compared_in_part"] += len(rows) > MOST_COMPARED
    return [(row, sample_of(bytes(row.signature))) for row in rows[:MOST_COMPARED]]


def _fits(count: int, other: int) -> bool:
    low, high = sizes_like(count)
    return low <= other <= high


def _keep_sketches(task: Task, large: dict[str, set[int]]) -> None:
    rows = []
    for sha256, found in large.items():
        sketch = sketch_of(found)
        rows.append(
            PatchSketch(
                task=task,
                sha256=sha256,
                rules=RULES,
                shingle_count=sketch.size,
                signature=sketch.signature,
            )
        )
    PatchSketch.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["task", "sha256"],
        update_fields=["rules", "shingle_count", "signature"],
    )


def _shingles(sha256: str, brief: TaskBrief) -> set[int]:
    """Empty where the bytes are gone."""
    try:
        patch = read_blob(sha256).decode("utf-8", "replace")
    except BlobMissingError:
        return set()
    return patch_shingles(patch, brief)


def twins_of(submission: Submission, digests: Collection[str]) -> list[Twin]:
    """These patches under another model and from other people."""
    mine = Q(run__evaluation__submission__user=submission.user_id)
    if submission.team_id is not None:
        mine |= Q(run__evaluation__submission__team=submission.team_id)
    model = submission.evaluation.configuration.model
    # An agent that was run here leaves its patch under the plain name.
    found = (
        Artifact.objects.filter(
            name__in=("submitted/final.patch", "final.patch"),
            task__snapshot=submission.snapshot_id,
            sha256__in=digests,
        )
        .exclude(run__evaluation__configuration__model=model)
        .exclude(mine)
        .exclude(run__evaluation__submission=None)
        .values_list(
            "task__slug",
            "sha256",
            "size_bytes",
            "run__evaluation__configuration__model",
            "run__evaluation",
            "pk",
        )
    )
    return [Twin(*row) for row in found]
