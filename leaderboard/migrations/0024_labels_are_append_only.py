"""The database itself refuses to change what a rule or a reviewer has said.

Labels go with their task run, which is deleted only by hand.
"""

from django.db import migrations

TABLE = "leaderboard_failurelabel"

SQLITE = (
    f"CREATE TRIGGER failure_labels_no_update BEFORE UPDATE ON {TABLE} "
    "BEGIN SELECT RAISE(ABORT, 'failure labels are append-only'); END",
)
POSTGRESQL = (
    "CREATE FUNCTION failure_labels_are_append_only() RETURNS trigger LANGUAGE plpgsql "
    "AS $$ BEGIN RAISE EXCEPTION 'failure labels are append-only'; END $$",
    f"CREATE TRIGGER failure_labels_no_update BEFORE UPDATE ON {TABLE} "
    "FOR EACH ROW EXECUTE FUNCTION failure_labels_are_append_only()",
)


def protect(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    for statement in {"sqlite": SQLITE, "postgresql": POSTGRESQL}[vendor]:
        schema_editor.execute(statement, params=None)


def release(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute("DROP TRIGGER failure_labels_no_update")
    else:
        schema_editor.execute(f"DROP TRIGGER failure_labels_no_update ON {TABLE}")
        schema_editor.execute("DROP FUNCTION failure_labels_are_append_only()")


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0023_failure_labels")]
    operations = [migrations.RunPython(protect, release)]
