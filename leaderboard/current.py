"""Which snapshot a page is about when nobody names one."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Exists, OuterRef
from django.http import Http404
from django.utils.translation import gettext as _

from leaderboard.data_version import Current
from leaderboard.memory import Memory
from leaderboard.metrics import Scope
from leaderboard.models import Evaluation, EvaluationSnapshot
from leaderboard.models.catalogue import SnapshotQuerySet
from leaderboard.passing.streams import with_streams
from leaderboard.ranking.rankings import with_tables

_known: Memory[list[EvaluationSnapshot]] = Memory(size=20)


def listed_snapshots() -> list[EvaluationSnapshot]:
    """Public snapshots with scopes and streams: real devices first, then the newest.

    Sets ``has_results``.
    """
    return list(_listed())


def snapshots_with_tables(
    source: str, *, version: Current | None = None
) -> list[EvaluationSnapshot]:
    """The same with the stored tables, where they hold, of the scope that ``source``
    names, or overall.

    Not read again where the process knows them as of ``version``: what readers attach
    to them must follow from that version as well.
    """
    scope = Scope(source) if source in set(Scope) else Scope.OVERALL

    def read() -> list[EvaluationSnapshot]:
        return list(with_tables(_listed(), scope))

    # An embargo ends without another version.
    if version is None or version.seconds_left is not None:
        return read()
    return list(_known.find((version.number, version.newest_table, scope), read))


def _listed() -> SnapshotQuerySet:
    results = Evaluation.objects.public().filter(snapshot=OuterRef("pk"))
    listed = EvaluationSnapshot.objects.listed().with_scopes()
    return with_streams(listed).annotate(has_results=Exists(results))


def current_of(snapshots: list[EvaluationSnapshot]) -> EvaluationSnapshot | None:
    """The newest one with results, simulated ones only where there is no other.

    Never one that stands apart: the home page is that of the site's own benchmark.
    """
    return newest_of([each for each in snapshots if not each.benchmark.is_apart])


def newest_of(snapshots: list[EvaluationSnapshot]) -> EvaluationSnapshot | None:
    """The first of ``snapshots`` with results, else the first; None without any."""
    with_results = [each for each in snapshots if each.has_results]  # type: ignore[attr-defined]  # set by listed_snapshots()
    return next(iter(with_results or snapshots), None)


def other_benchmarks(
    snapshots: list[EvaluationSnapshot], snapshot: EvaluationSnapshot
) -> list[EvaluationSnapshot]:
    """One snapshot for each benchmark to go to from a page of ``snapshot``.

    The site's own ones are one place to go: the home page.
    """
    found = []
    if snapshot.benchmark.is_apart and (home := current_of(snapshots)):
        found.append(home)
    apart = [each for each in snapshots if each.benchmark.is_apart]
    for key in dict.fromkeys(each.benchmark_id for each in apart):
        newest = newest_of([each for each in apart if each.benchmark_id == key])
        if newest is not None and key != snapshot.benchmark_id:
            found.append(newest)
    return found


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
    """The snapshot that a query names, or the current one where it names none.

    ``version`` may have the benchmark in front, as in ``android-bench/1.0``.
    """
    benchmark, _slash, bare = version.rpartition("/")
    if not version:
        found = current_of(snapshots)
    else:
        found = next(
            (
                each
                for each in snapshots
                if each.version == bare and benchmark in {"", each.benchmark.slug}
            ),
            None,
        )
    if found is None:
        known = ", ".join(each.version for each in snapshots) or _("none")
        raise Http404(_("There is no such snapshot. Known: %s.") % known)
    return found
