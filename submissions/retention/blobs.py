"""Stored bytes that no row refers to.

An upload stores bytes first and writes rows later, and does not write what it finds
there. So nothing is removed at once: what has no row goes aside, where readers still
find it and writers do not. After another period of grace it is looked up again: what
has a row by then comes back, and only the rest is removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import islice

from evaluator.models import Job, JobState
from leaderboard import blobs
from leaderboard.models import Artifact
from submissions.retention.freed import Freed

# Longer than any upload, any stage and any transaction.
GRACE = timedelta(hours=24)
_DIGEST = re.compile(r"[0-9a-f]{64}")
_DECIDED = (JobState.SCORED, JobState.CANCELLED)
_BATCH = 500


def remove_unused(now: datetime, *, dry_run: bool) -> Iterator[Freed]:
    """Set aside what no row refers to, and remove what has lain aside long enough."""
    yield from _remove_aside(now - GRACE, dry_run=dry_run)
    yield from _set_aside(now - GRACE, dry_run=dry_run)


def _set_aside(before: datetime, *, dry_run: bool) -> Iterator[Freed]:
    for batch in _batches(each for each in blobs.stored_blobs() if each.since < before):
        used = referenced(each.sha256 for each in batch)
        for each in batch:
            if each.sha256 in used or not _DIGEST.fullmatch(each.sha256):
                continue
            if dry_run or blobs.set_aside(each.sha256):
                yield Freed("set aside", each.sha256, each.size_bytes)


def _remove_aside(before: datetime, *, dry_run: bool) -> Iterator[Freed]:
    aside = [each for each in blobs.stored_blobs(aside=True) if each.since < before]
    for batch in _batches(aside):
        # Asked for just before: rows may have come since these went aside.
        used = referenced(each.sha256 for each in batch)
        for each in batch:
            if each.sha256 not in used:
                if not dry_run:
                    blobs.remove_aside(each.sha256)
                yield Freed("unused bytes", each.sha256, each.size_bytes)
            elif not dry_run:
                blobs.bring_back(each.sha256)


def referenced(digests: Iterable[str]) -> set[str]:
    """Those of ``digests`` that a kept file, or a job that is not decided, needs."""
    wanted = set(digests)
    rows = Artifact.objects.kept().filter(sha256__in=wanted).order_by()
    found = set(rows.values_list("sha256", flat=True).distinct())
    jobs = Job.objects.exclude(state__in=_DECIDED).values_list("inputs", "facts")
    for inputs, facts in jobs.iterator():
        values = (*inputs.values(), *facts.values())
        found |= wanted & {value for value in values if isinstance(value, str)}
    return found


def _batches(items: Iterable[blobs.StoredBlob]) -> Iterator[list[blobs.StoredBlob]]:
    rest = iter(items)
    while batch := list(islice(rest, _BATCH)):
        yield batch
