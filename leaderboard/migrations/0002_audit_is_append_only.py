"""The database itself refuses to change or delete a row of the audit trail."""

from django.db import migrations

TABLE = "leaderboard_auditevent"

SQLITE = [
    (
        f"CREATE TRIGGER audit_no_{verb.lower()} BEFORE {verb} ON {TABLE} "
        "BEGIN SELECT RAISE(ABORT, 'audit events are append-only'); END"
    )
    for verb in ("UPDATE", "DELETE")
]
POSTGRESQL = [
    "CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'audit events are append-only'; END $$",
    f"CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON {TABLE} "
    "FOR EACH ROW EXECUTE FUNCTION audit_is_append_only()",
]


def protect(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    for statement in {"sqlite": SQLITE, "postgresql": POSTGRESQL}[vendor]:
        schema_editor.execute(statement, params=None)


def release(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute("DROP TRIGGER audit_no_update")
        schema_editor.execute("DROP TRIGGER audit_no_delete")
    else:
        schema_editor.execute(f"DROP TRIGGER audit_append_only ON {TABLE}")
        schema_editor.execute("DROP FUNCTION audit_is_append_only()")


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0001_tables")]
    operations = [migrations.RunPython(protect, release)]
