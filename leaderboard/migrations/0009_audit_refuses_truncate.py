"""PostgreSQL also refuses to empty the audit trail at once; SQLite has no TRUNCATE.

An empty table may be truncated: that loses nothing, and DELETE is no stricter.
"""

from django.db import migrations

TABLE = "leaderboard_auditevent"

PROTECT = [
    "CREATE FUNCTION audit_is_not_emptied() RETURNS trigger LANGUAGE plpgsql AS "
    f"$$ BEGIN IF EXISTS (SELECT 1 FROM {TABLE}) THEN "
    "RAISE EXCEPTION 'audit events are append-only'; END IF; RETURN NULL; END $$",
    f"CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON {TABLE} "
    "FOR EACH STATEMENT EXECUTE FUNCTION audit_is_not_emptied()",
]
RELEASE = [
    f"DROP TRIGGER audit_no_truncate ON {TABLE}",
    "DROP FUNCTION audit_is_not_emptied()",
]


def execute(statements):
    def run(apps, schema_editor):
        if schema_editor.connection.vendor == "postgresql":
            for statement in statements:
                schema_editor.execute(statement, params=None)

    return run


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0008_outbox")]
    operations = [migrations.RunPython(execute(PROTECT), execute(RELEASE))]
