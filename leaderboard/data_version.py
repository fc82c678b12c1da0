"""The version of the public data: a number that changes with what the pages show.

Cached pages are kept under it. The database counts it up by triggers, in the
transaction that changes a watched table, so neither a forgotten call nor
``QuerySet.update`` nor a hand at the database's own prompt leaves an old page standing.
Private evaluations do not count: nobody sees them before their own row changes.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from django.apps import apps
from django.db import connections
from django.db.backends.utils import CursorWrapper
from django.http import HttpRequest

from leaderboard.models import DataVersion, KeptPage, StoredTable

# Every model of the ground floor is in one of the two; a test sees to it.
WATCHED = frozenset(
    {
        *("Benchmark", "EvaluationSnapshot", "SnapshotScope", "Stream"),
        *("Task", "FPoint", "Kit"),
        "ComparabilityDecision",
        *("Configuration", "CuratorVerdict", "Erratum", "TaskProof"),
        *("Evaluation", "Overruling", "PassTotals", "ScopeTotals"),
    }
)
# Written in bulk and only read through an evaluation, whose own row changes when they
# become public. Pages that show them are not kept.
UNWATCHED = frozenset(
    {
        *("Run", "TaskResult", "CheckResult", "Artifact", "VisualScore"),
        *("FailureLabel", "ShownReason", "LabelPass"),
        *("AuditEvent", "DataVersion", "OutboxMessage"),
        # Follow from the watched ones, and say of which version they are.
        *("StoredTable", "StoredPlace", "StoredLine", "KeptPage"),
        # Written when a row of Overruling goes.
        "LiftedOverruling",
    }
)

_TABLE = DataVersion._meta.db_table
_PAGES = KeptPage._meta.db_table
_TABLES = StoredTable._meta.db_table
_COUNT_UP = f"UPDATE {_TABLE} SET number = number + 1;"  # noqa: S608 - a constant
_FUNCTION = "leaderboard_count_up_data_version"
_EVALUATION = "leaderboard_evaluation"
_TOTALS = ("leaderboard_scopetotals", "leaderboard_passtotals")
_CONFIGURATION = "leaderboard_configuration"
_READ = "ohb_data_version"
# Which rows a trigger sees.
_ROWS = (("INSERT", ["NEW"]), ("UPDATE", ["OLD", "NEW"]), ("DELETE", ["OLD"]))
# By the database's own clock, like every other question about embargoes.
_SECONDS_LEFT = {
    "sqlite": "(julianday(MIN(public_from)) - julianday('now')) * 86400.0",
    "postgresql": "EXTRACT(EPOCH FROM MIN(public_from) - clock_timestamp())",
}
_NOW = {
    "sqlite": "strftime('%Y-%m-%d %H:%M:%f', 'now')",
    "postgresql": "clock_timestamp()",
}


class Current(NamedTuple):
    """The present version; ``seconds_left`` until an embargo ends, None without one.

    ``has_pages`` tells whether pages of it were made beforehand; ``newest_table`` is
    the key of the table that was stored last, of whichever version.
    """

    number: int
    seconds_left: float | None
    has_pages: bool
    newest_table: int | None


def current(using: str = "default") -> Current | None:
    """The present version, or None where nothing may be kept. One plain query."""
    connection = connections[using]
    vendor = connection.vendor
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT number, (SELECT {_SECONDS_LEFT[vendor]} "  # noqa: S608 - constants
            f"FROM {_EVALUATION} WHERE visibility = 'embargoed' "
            f"AND public_from > {_NOW[vendor]}), "
            f"EXISTS (SELECT 1 FROM {_PAGES} WHERE version = number), "
            f"(SELECT MAX(id) FROM {_TABLES}) FROM {_TABLE}"
        )
        row = cursor.fetchone()
    if row is None:
        return None
    number, seconds_left, has_pages, newest = row
    left = None if seconds_left is None else float(seconds_left)
    return Current(int(number), left, bool(has_pages), newest)


def read_for(request: HttpRequest) -> Current | None:
    """The version that the page cache read before it asked for this answer."""
    found: Current | None = getattr(request, _READ, None)
    return found


def remember(request: HttpRequest, version: Current) -> None:
    setattr(request, _READ, version)


def watch(using: str) -> None:
    """Make the row and the triggers, where they are missing.

    Called after every ``migrate``: SQLite drops the triggers of a table that a
    migration rebuilds.
    """
    connection = connections[using]
    tables = watched_tables()
    if not {_TABLE, *tables} <= set(connection.introspection.table_names()):
        return  # An earlier state of the database, which an operator went back to.
    # A start that no earlier database had: cached pages of that one must not come back.
    start = time.time_ns() // 1_000_000
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {_TABLE} (id, number) VALUES (1, {start}) "  # noqa: S608
            "ON CONFLICT DO NOTHING"
        )
        make = _postgresql if connection.vendor == "postgresql" else _sqlite
        for statement in make(cursor, tables):
            cursor.execute(statement)


def after_migrate(*, using: str, **_: Any) -> None:
    watch(using)


def watched_tables() -> list[str]:
    """The tables of the watched models, and those that join them."""
    tables = set()
    for name in WATCHED:
        options = apps.get_model("leaderboard", name)._meta
        tables.add(options.db_table)
        tables |= {
            field.remote_field.through._meta.db_table
            for field in options.local_many_to_many
        }
    return sorted(tables)


def _sqlite(cursor: CursorWrapper, tables: list[str]) -> list[str]:
    """Statements for the triggers that are missing or have another text."""
    cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    known = dict(cursor.fetchall())
    statements = []
    for table in tables:
        for verb, rows in _ROWS:
            name = f"{table}_version_{verb.lower()}"
            wanted = (
                f"CREATE TRIGGER {name} AFTER {verb} ON {table} "
                f"WHEN {_is_shown(table, verb, rows)} BEGIN {_COUNT_UP} END"
            )
            if known.get(name) != wanted:
                statements += [f"DROP TRIGGER IF EXISTS {name}", wanted]
    return statements


def _is_shown(table: str, verb: str, rows: list[str]) -> str:
    """The condition that a change of ``table`` can be seen by the public.

    Private evaluations change all the time while they are evaluated.
    """
    if table == _EVALUATION:
        return " OR ".join(f"{row}.visibility <> 'private'" for row in rows)
    if table in _TOTALS:
        evaluations = ", ".join(f"{row}.evaluation_id" for row in rows)
        return (
            f"EXISTS (SELECT 1 FROM {_EVALUATION} WHERE "  # noqa: S608 - constants
            f"id IN ({evaluations}) AND visibility <> 'private')"
        )
    # A new configuration is shown with its first evaluation.
    return "0" if table == _CONFIGURATION and verb == "INSERT" else "1"


def _postgresql(cursor: CursorWrapper, tables: list[str]) -> list[str]:
    """Triggers that wait for the commit.

    The row is locked for that moment only: two long transactions would otherwise wait
    for each other, and one of them could hold what the other needs next.
    """
    cursor.execute("SELECT tgname FROM pg_trigger")
    known = {name for (name,) in cursor.fetchall()}
    # Nested: the innermost names columns that only this table has.
    conditions = "".join(
        f"IF TG_TABLE_NAME = '{table}' THEN IF TG_OP = '{verb}' THEN "
        f"IF NOT ({_is_shown(table, verb, rows)}) THEN RETURN NULL; "
        "END IF; END IF; END IF; "
        for table in (_EVALUATION, *_TOTALS)
        for verb, rows in _ROWS
    )
    function = (
        f"CREATE OR REPLACE FUNCTION {_FUNCTION}() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN {conditions}"
        f"IF TG_TABLE_NAME = '{_CONFIGURATION}' AND TG_OP = 'INSERT' THEN "
        "RETURN NULL; END IF; "
        # Once a transaction, however many rows it changed.
        "IF current_setting('ohb.counted_up', true) IS DISTINCT FROM "
        "txid_current()::text THEN "
        f"{_COUNT_UP} "
        "PERFORM set_config('ohb.counted_up', txid_current()::text, true); "
        "END IF; RETURN NULL; END $$"
    )
    triggers = [
        f"CREATE CONSTRAINT TRIGGER {table}_version "
        f"AFTER INSERT OR UPDATE OR DELETE ON {table} "
        "DEFERRABLE INITIALLY DEFERRED "
        f"FOR EACH ROW EXECUTE FUNCTION {_FUNCTION}()"
        for table in tables
        if f"{table}_version" not in known
    ]
    return [function, *triggers]
