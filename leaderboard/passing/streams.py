"""The streams of a snapshot, read with it or when they are asked for."""

from __future__ import annotations

from typing import TypeVar

from django.db.models import OuterRef, QuerySet

from leaderboard.models import EvaluationSnapshot, Stream
from leaderboard.models.nested import nested

Snapshots = TypeVar("Snapshots", bound="QuerySet[EvaluationSnapshot]")


def with_streams(snapshots: Snapshots) -> Snapshots:
    """Read the streams in the same query, for :func:`streams_of`."""
    rows = Stream.objects.filter(snapshot=OuterRef("pk"))
    return snapshots.annotate(stream_rows=nested(rows))


def streams_of(snapshot: EvaluationSnapshot) -> list[Stream]:
    """In their order; a query where :func:`with_streams` has not read them."""
    found: list[Stream] | None = getattr(snapshot, "stream_rows", None)
    if found is None:
        return list(snapshot.streams.all())
    return sorted(found, key=lambda each: each.position)
