"""What the demo shows before anything is evaluated: tables, results, users."""

from __future__ import annotations

import json
import secrets
from io import StringIO

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connections

from scripts.steps import ROOT, shown

SNAPSHOT_FOLDER = ROOT / "fixtures" / "snapshots" / "demo"
ROLES = {
    "demo": "submits bundles",
    "maintainer": "publishes results; /review/ and /admin/",
    "reviewer": "confirms what takes two persons; /review/",
}
STAFF = {"maintainer", "reviewer"}
ADMINISTRATORS = {"maintainer"}


def prepare() -> dict[str, tuple[str, str]]:
    """Bring the database to where the demo starts; returns each user's password, role.

    Every part can run again without effect.
    """
    with shown("Database, published v1.0 results and demo snapshot ..."):
        call_command("migrate", verbosity=0)
        call_command("load_published", stdout=StringIO())
        call_command("import_snapshot", str(SNAPSHOT_FOLDER), stdout=StringIO())
        passwords = ensure_users()
    connections.close_all()
    return {name: (passwords[name], role) for name, role in ROLES.items()}


def ensure_users() -> dict[str, str]:
    """Create the demo's users; a file keeps their passwords for the next start."""
    kept = settings.DATA_DIR / "demo" / "credentials"
    kept.parent.mkdir(parents=True, exist_ok=True)
    passwords: dict[str, str] = {}
    if kept.exists():
        passwords = json.loads(kept.read_text("utf-8"))
    for name in ROLES:
        known = name in passwords
        password = passwords.setdefault(name, secrets.token_urlsafe(9))
        user, created = get_user_model().objects.get_or_create(
            username=name,
            defaults={
                "is_staff": name in STAFF,
                "is_superuser": name in ADMINISTRATORS,
            },
        )
        if created or not known:
            user.set_password(password)
            user.save(update_fields=["password"])
    kept.touch(mode=0o600)
    kept.write_text(json.dumps(passwords, indent=2) + "\n", "utf-8")
    return passwords
