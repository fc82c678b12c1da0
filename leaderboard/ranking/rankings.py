"""Which ranking a reader gets: the stored one while it holds, else a fresh one."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from django.db.models import Case, JSONField, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.functions import Now

from leaderboard.build import fingerprint
from leaderboard.memory import Memory
from leaderboard.metrics import Scope
from leaderboard.models import DataVersion, EvaluationSnapshot, StoredTable
from leaderboard.ranking.asked import Asked, Found
from leaderboard.ranking.documents import Documents
from leaderboard.ranking.fresh import FreshRanking
from leaderboard.ranking.stored import StoredRanking
from leaderboard.ranking.summary import Summary
from leaderboard.standings import standings

_summaries: Memory[Summary] = Memory(size=200)


class Ranking(Protocol):
    """One table of one snapshot, read as it is asked for."""

    @property
    def key(self) -> int | None:
        """Of the stored table, which never changes; None where it is not stored."""
        ...

    @property
    def snapshot(self) -> EvaluationSnapshot: ...

    @property
    def scope(self) -> Scope: ...

    @property
    def summary(self) -> Summary: ...

    def find(self, asked: Asked) -> Found:
        """The rows that are asked for; none beyond the last one."""
        ...

    def lines(self, asked: Asked) -> Found:
        """The ranked ones alone, as lines of a page: the first ones where none matches
        from the offset on."""
        ...

    def beside(self, asked: Asked) -> Found:
        """What stands beside the first rows."""
        ...

    def documents(self, asked: Asked) -> Documents:
        """The same as the API has them."""
        ...


def holding() -> QuerySet[StoredTable]:
    """Stored tables that are as they would be if they were worked out now."""
    present = DataVersion.objects.values("number")[:1]
    return StoredTable.objects.filter(
        Q(until=None) | Q(until__gt=Now()),
        version=Subquery(present),
        build=fingerprint(),
    )


def with_tables(
    snapshots: QuerySet[EvaluationSnapshot], scope: Scope
) -> QuerySet[EvaluationSnapshot]:
    """Attach the stored tables of ``scope``, where they hold, for :func:`ranking`.

    The overall one where a snapshot has no such scope.
    """
    tables = holding().filter(snapshot=OuterRef("pk"), scope__in=[scope, Scope.OVERALL])
    table = tables.order_by(Case(When(scope=scope, then=0), default=1))
    return snapshots.annotate(
        table_pk=Subquery(table.values("pk")[:1]),
        table_scope=Subquery(table.values("scope")[:1]),
        table_latest=Subquery(table.values("latest")[:1], output_field=JSONField()),
        table_summary=Subquery(table.values("summary")[:1], output_field=JSONField()),
    )


def _summary(snapshot: EvaluationSnapshot) -> Summary:
    """Of the attached table, which never changes."""
    return _summaries.find(
        snapshot.table_pk,  # type: ignore[attr-defined]  # annotated with it
        lambda: Summary.from_json(snapshot.table_summary),  # type: ignore[attr-defined]
    )


def ranking(
    snapshot: EvaluationSnapshot, scope: Scope, *, until: datetime | None = None
) -> Ranking:
    """The ranking of ``scope``, as it was just before ``until`` or is now.

    No query where ``with_tables`` has attached a table that holds.
    """
    if until is None and getattr(snapshot, "table_scope", None) == scope:
        return StoredRanking(
            snapshot.table_pk,  # type: ignore[attr-defined]  # annotated with it
            snapshot,
            scope,
            _summary(snapshot),
        )
    return FreshRanking.of(standings(snapshot, scope, until=until))
