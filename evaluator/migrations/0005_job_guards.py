"""The database itself keeps what must hold for jobs, whoever writes to it.

A fence never shrinks, a decided job never changes its state, and an evaluation neither
gains nor loses a job once work on it has begun.
"""

from django.db import migrations

TABLE = "evaluator_job"

# Name, event, condition, message.
GUARDS = [
    (
        "job_fence_grows",
        "UPDATE",
        "NEW.fence < OLD.fence",
        "the fence of a job never shrinks",
    ),
    (
        "job_decided_stays",
        "UPDATE",
        "OLD.state IN ('scored', 'cancelled') AND NEW.state <> OLD.state",
        "a decided job stays decided",
    ),
    (
        "job_count_no_insert",
        "INSERT",
        f"EXISTS (SELECT 1 FROM {TABLE} AS other WHERE other.fence > 0"
        " AND other.evaluation_id = NEW.evaluation_id)",
        "an evaluation that was begun gets no further job",
    ),
    (
        "job_count_no_delete",
        "DELETE",
        "OLD.fence > 0",
        "a job that was begun is never deleted",
    ),
]


def protect(apps, schema_editor):
    for name, event, condition, message in GUARDS:
        if schema_editor.connection.vendor == "sqlite":
            schema_editor.execute(
                f"CREATE TRIGGER {name} BEFORE {event} ON {TABLE} WHEN {condition} "
                f"BEGIN SELECT RAISE(ABORT, '{message}'); END",
                params=None,
            )
            continue
        kept = "OLD" if event == "DELETE" else "NEW"
        # A condition with a subquery is not allowed in WHEN: it is asked inside.
        schema_editor.execute(
            f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN IF {condition} THEN RAISE EXCEPTION '{message}' "
            f"USING ERRCODE = 'integrity_constraint_violation'; END IF; "
            f"RETURN {kept}; END $$",
            params=None,
        )
        schema_editor.execute(
            f"CREATE TRIGGER {name} BEFORE {event} ON {TABLE} "
            f"FOR EACH ROW EXECUTE FUNCTION {name}()",
            params=None,
        )


def release(apps, schema_editor):
    for name, *_ in GUARDS:
        if schema_editor.connection.vendor == "sqlite":
            schema_editor.execute(f"DROP TRIGGER {name}")
        else:
            schema_editor.execute(f"DROP TRIGGER {name} ON {TABLE}")
            schema_editor.execute(f"DROP FUNCTION {name}()")


class Migration(migrations.Migration):
    dependencies = [("evaluator", "0004_pauses_and_devices")]
    operations = [migrations.RunPython(protect, release)]
