"""Which snapshot a page is about when nobody names one."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Exists, OuterRef
from django.http import Http404
from django.utils.translation import gettext as _

from leaderboard.models import Evaluation, EvaluationSnapshot


def listed_snapshots() -> list[EvaluationSnapshot]:
    """Public snapshots: real devices first, then the newest; sets ``has_results``."""
    results = Evaluation.objects.public().filter(snapshot=OuterRef("pk"))
    return list(
        EvaluationSnapshot.objects.listed()
        .annotate(has_results=Exists(results))
        .prefetch_related("scopes")
    )


def current_of(snapshots: list[EvaluationSnapshot]) -> EvaluationSnapshot | None:
    """The newest one with results, simulated ones only where there is no other."""
    with_results = [each for each in snapshots if each.has_results]  # type: ignore[attr-defined]  # set by listed_snapshots()
    return next(iter(with_results or snapshots), None)


def snapshot_at(
    snapshots: list[EvaluationSnapshot], benchmark: str, version: str
) -> EvaluationSnapshot:
    """The snapshot of an address, or a page that says there is none."""
    for each in snapshots:
        if each.benchmark.slug == benchmark and each.version == version:
            return each
    raise Http404(_("There is no such snapshot, or it is not public."))


class LogEntry(NamedTuple):
    """A snapshot and the one before it, if any."""

    snapshot: EvaluationSnapshot
    previous: EvaluationSnapshot | None


def changelog(snapshots: list[EvaluationSnapshot], benchmark: int) -> list[LogEntry]:
    """The public snapshots of one benchmark, the newest first."""
    ordered = sorted(
        (each for each in snapshots if each.benchmark_id == benchmark),
        key=lambda each: (each.task_snapshot_date, each.pk),
        reverse=True,
    )
    return [
        LogEntry(each, previous)
        for each, previous in zip(ordered, [*ordered[1:], None], strict=True)
    ]


def snapshot_of_version(
    snapshots: list[EvaluationSnapshot], version: str
) -> EvaluationSnapshot:
    """The snapshot that a query names, or the current one where it names none."""
    if not version:
        found = current_of(snapshots)
    else:
        found = next((each for each in snapshots if each.version == version), None)
    if found is None:
        known = ", ".join(each.version for each in snapshots) or _("none")
        raise Http404(_("There is no such snapshot. Known: %s.") % known)
    return found
