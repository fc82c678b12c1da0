"""Attempts get a key while they run, and begun jobs cannot be truncated away.

SQLite has no TRUNCATE, and an empty table may be truncated.
"""

from django.db import migrations, models

PROTECT = [
    "CREATE FUNCTION job_no_truncate() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN IF EXISTS (SELECT 1 FROM evaluator_job WHERE fence > 0) THEN "
    "RAISE EXCEPTION 'a job that was begun is never deleted' "
    "USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NULL; END $$",
    "CREATE TRIGGER job_no_truncate BEFORE TRUNCATE ON evaluator_job "
    "FOR EACH STATEMENT EXECUTE FUNCTION job_no_truncate()",
]
RELEASE = [
    "DROP TRIGGER job_no_truncate ON evaluator_job",
    "DROP FUNCTION job_no_truncate()",
]


def execute(statements):
    def run(apps, schema_editor):
        if schema_editor.connection.vendor == "postgresql":
            for statement in statements:
                schema_editor.execute(statement, params=None)

    return run


class Migration(migrations.Migration):
    dependencies = [("evaluator", "0006_pauses_by_hand")]
    operations = [
        migrations.AddField(
            model_name="attempt",
            name="key_salt",
            field=models.CharField(
                blank=True,
                help_text=(
                    "Half of the key that signs the report; gone when the attempt ends."
                ),
                max_length=64,
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.CheckConstraint(
                condition=models.Q(("outcome", "running"), ("key_salt", ""), _connector="OR"),
                name="key_ends_with_its_attempt",
            ),
        ),
        migrations.RunPython(execute(PROTECT), execute(RELEASE)),
    ]
