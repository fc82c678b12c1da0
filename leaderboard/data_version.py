"""The version of the public data: a number that changes with what the pages show.

Cached pages are kept under it. The database counts it up by triggers, in the
transaction that changes a watched table, so neither a forgotten call nor
``QuerySet.update`` nor a hand at the database's own prompt leaves an old page standing.
"""

from __future__ import annotations

import time
from typing import Any

from django.apps import apps
from django.db import connections

from leaderboard.models import DataVersion

# Every model of the ground floor is in one of the two; a test sees to it.
WATCHED = frozenset(
    {
        *("Benchmark", "EvaluationSnapshot", "SnapshotScope", "Task", "FPoint", "Kit"),
        *("Configuration", "Erratum", "Evaluation", "Overruling", "ScopeTotals"),
    }
)
# Written in bulk and only read through an evaluation, whose own row changes when they
# become public. Pages that show them are not kept.
UNWATCHED = frozenset(
    {
        *("Run", "TaskResult", "CheckResult", "Artifact"),
        *("AuditEvent", "DataVersion", "OutboxMessage"),
    }
)

_TABLE = DataVersion._meta.db_table
_COUNT_UP = f"UPDATE {_TABLE} SET number = number + 1;"  # noqa: S608 - a constant
_FUNCTION = "leaderboard_count_up_data_version"


def current(using: str = "default") -> int | None:
    """The present version, or None where nothing may be kept. One plain query."""
    with connections[using].cursor() as cursor:
        cursor.execute(f"SELECT number FROM {_TABLE}")  # noqa: S608 - a constant
        row = cursor.fetchone()
    return None if row is None else int(row[0])


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
        if connection.vendor == "postgresql":
            cursor.execute("SELECT tgname FROM pg_trigger")
            known = {name for (name,) in cursor.fetchall()}
            statements = _postgresql(
                [table for table in tables if f"{table}_version" not in known]
            )
        else:
            statements = _sqlite(tables)
        for statement in statements:
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


def _sqlite(tables: list[str]) -> list[str]:
    return [
        f"CREATE TRIGGER IF NOT EXISTS {table}_version_{verb.lower()} "
        f"AFTER {verb} ON {table} "
        f"BEGIN {_COUNT_UP} END"
        for table in tables
        for verb in ("INSERT", "UPDATE", "DELETE")
    ]


def _postgresql(tables: list[str]) -> list[str]:
    """Triggers that wait for the commit.

    The row is locked for that moment only: two long transactions would otherwise wait
    for each other, and one of them could hold what the other needs next.
    """
    function = (
        f"CREATE OR REPLACE FUNCTION {_FUNCTION}() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN "
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
    ]
    return [function, *triggers] if triggers else []
