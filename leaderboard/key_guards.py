"""The database itself keeps evaluations of other conditions out of a ranking.

An evaluation that says that nothing differs has the key of its snapshot, and a snapshot
keeps its key once something was measured on it; figures of a report follow one that is
corrected. What is ranked together therefore has one key, whatever code or hand wrote
the rows.
"""

from __future__ import annotations

from typing import Any

from django.db import connections

from leaderboard.models import Evaluation, EvaluationSnapshot, Provenance

_EVALUATION = Evaluation._meta.db_table
_SNAPSHOT = EvaluationSnapshot._meta.db_table
_OTHER_KEY = "an evaluation with other conditions names what differs"
_KEY_CHANGED = "a snapshot that was evaluated keeps its comparability key"
_WRONG = (
    f"NEW.comparability_key <> (SELECT comparability_key FROM {_SNAPSHOT} "  # noqa: S608 - constants
    "WHERE id = NEW.snapshot_id)"
)
# Figures of a report may be read again from a corrected file.
_OFFICIAL = f"snapshot_id = OLD.id AND provenance <> '{Provenance.PUBLISHED.value}'"
_CHANGED = "NEW.comparability_key <> OLD.comparability_key"
_EXISTS = f"EXISTS (SELECT 1 FROM {_EVALUATION} WHERE {_OFFICIAL})"  # noqa: S608 - constants
_MEASURED = f"{_CHANGED} AND {_EXISTS}"
_SQLITE_NAMES = (
    *("evaluation_key_new", "evaluation_key", "snapshot_key"),
    "snapshot_key_followed",
)
_FIELDS = "comparability_key, differing_fields, snapshot_id"
_OF_KEY = f"UPDATE OF comparability_key ON {_SNAPSHOT}"


def _follow(nothing: str) -> str:
    """Take ranked rows along; ``nothing`` is how the database writes no difference."""
    return (
        f"UPDATE {_EVALUATION} SET comparability_key = NEW.comparability_key "  # noqa: S608 - constants
        f"WHERE snapshot_id = NEW.id AND differing_fields = {nothing};"
    )


def guard(using: str) -> None:
    """Make the triggers anew: SQLite drops those of a table that a migration rebuilds.

    Called after every ``migrate``.
    """
    connection = connections[using]
    if not {_EVALUATION, _SNAPSHOT} <= set(connection.introspection.table_names()):
        return
    with connection.cursor() as cursor:
        for table in (_EVALUATION, _SNAPSHOT):
            columns = connection.introspection.get_table_description(cursor, table)
            if "comparability_key" not in {column.name for column in columns}:
                return
        for statement in _sqlite() if connection.vendor == "sqlite" else _postgresql():
            cursor.execute(statement)


def release(using: str) -> None:
    """Take the triggers of SQLite away, which keep a table they name from a rebuild.

    Called before every ``migrate``, which ends with :func:`guard`.
    """
    connection = connections[using]
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        for name in _SQLITE_NAMES:
            cursor.execute(f"DROP TRIGGER IF EXISTS {name}")


def before_migrate(*, using: str, **_: Any) -> None:
    release(using)


def after_migrate(*, using: str, **_: Any) -> None:
    guard(using)


def _sqlite() -> list[str]:
    wrong = f"NEW.differing_fields = '[]' AND {_WRONG}"
    rules = [
        ("evaluation_key_new", f"INSERT ON {_EVALUATION}", wrong, _OTHER_KEY),
        ("evaluation_key", f"UPDATE OF {_FIELDS} ON {_EVALUATION}", wrong, _OTHER_KEY),
        (
            "snapshot_key",
            _OF_KEY,
            _MEASURED,
            _KEY_CHANGED,
        ),
    ]
    refusing = [
        f"CREATE TRIGGER IF NOT EXISTS {name} BEFORE {event} WHEN {condition} "
        f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
        for name, event, condition, message in rules
    ]
    following = _follow("'[]'")
    return [
        *refusing,
        f"CREATE TRIGGER IF NOT EXISTS snapshot_key_followed AFTER {_OF_KEY} "
        f"WHEN {_CHANGED} BEGIN {following} END",
    ]


def _postgresql() -> list[str]:
    """A condition of a trigger may hold no query there, so its function looks."""
    wrong = f"NEW.differing_fields = '[]'::jsonb AND {_WRONG}"
    rules = [
        (
            "evaluation_key",
            f"INSERT OR UPDATE OF {_FIELDS} ON {_EVALUATION}",
            wrong,
            _OTHER_KEY,
        ),
        (
            "snapshot_key",
            _OF_KEY,
            _MEASURED,
            _KEY_CHANGED,
        ),
    ]
    statements = []
    for name, event, condition, message in rules:
        statements += [
            f"CREATE OR REPLACE FUNCTION leaderboard_{name}() RETURNS trigger "
            f"LANGUAGE plpgsql AS $$ BEGIN IF {condition} THEN "
            f"RAISE EXCEPTION '{message}' USING ERRCODE = 'check_violation'; "
            "END IF; RETURN NEW; END $$",
            f"CREATE OR REPLACE TRIGGER {name} BEFORE {event} "
            f"FOR EACH ROW EXECUTE FUNCTION leaderboard_{name}()",
        ]
    following = _follow("'[]'::jsonb")
    return [
        *statements,
        "CREATE OR REPLACE FUNCTION leaderboard_snapshot_key_followed() "
        "RETURNS trigger "
        f"LANGUAGE plpgsql AS $$ BEGIN {following} RETURN NULL; END $$",
        f"CREATE OR REPLACE TRIGGER snapshot_key_followed AFTER {_OF_KEY} "
        f"FOR EACH ROW WHEN ({_CHANGED}) "
        "EXECUTE FUNCTION leaderboard_snapshot_key_followed()",
    ]
