"""Move the tokens of knox's own table into ours, with what they could do so far."""

from __future__ import annotations

from datetime import UTC

from django.db import migrations
from django.utils import timezone

OLD_TABLE = "knox_authtoken"


def aware(moment):
    """SQLite hands out the text of a moment in UTC, without saying so."""
    naive = moment is not None and timezone.is_naive(moment)
    return moment.replace(tzinfo=UTC) if naive else moment


def move(apps, schema_editor):
    connection = schema_editor.connection
    # The model is swapped for ours, so the old table is reached by its name.
    if OLD_TABLE not in connection.introspection.table_names():
        return
    token = apps.get_model("submissions", "ApiToken")
    staff = set(
        apps.get_model("auth", "User")
        .objects.filter(is_staff=True)
        .values_list("pk", flat=True)
    )
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT digest, token_key, user_id, expiry FROM {OLD_TABLE}")
        for digest, token_key, user, expiry in cursor.fetchall():
            scopes = ["read", "submit", *(["maintain"] if user in staff else [])]
            row = token(
                digest=digest,
                token_key=token_key,
                user_id=user,
                expiry=aware(token._meta.get_field("expiry").to_python(expiry)),
                name="made before tokens had names",
                scopes=scopes,
            )
            row.save(force_insert=True)
        # Nothing looks at it any more, and its reference to users would be in the way.
        cursor.execute(f"DROP TABLE {OLD_TABLE}")


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0002_teams_tokens_and_quota"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [migrations.RunPython(move, migrations.RunPython.noop)]
