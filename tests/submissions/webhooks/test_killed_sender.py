"""A real sender, killed while its receiver answers: sent again, with one effect."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import quote

import pytest
from django.db import connection
from django.utils import timezone

from leaderboard.models import OutboxMessage
from submissions.webhooks import acts
from tests.factories import UserFactory
from tests.submissions.webhooks.receiver import answer_with, receiving

ROOT = Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.usefixtures("committed_db")


def database_url() -> str:
    """The database of this test, for a process of its own."""
    settings = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{settings['NAME']}"
    login = f"{quote(settings['USER'])}:{quote(settings['PASSWORD'])}"
    place = f"{settings['HOST']}:{settings['PORT']}/{settings['NAME']}"
    return f"postgresql://{login}@{place}"


def start_sender() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "manage.py", "deliver"],
        cwd=ROOT,
        env={
            **os.environ,
            "DATABASE_URL": database_url(),
            "DJANGO_SETTINGS_MODULE": "leaderboard.config.settings",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_a_sender_killed_between_sending_and_marking_sends_again(settings):
    settings.DEBUG = True
    with receiving() as receiver:
        hook, _ = acts.create(UserFactory(), None, receiver.url)
        acts.try_out(hook)
        known = threading.Event()

        def kill(handler) -> None:
            known.wait(600)
            os.kill(first.pid, signal.SIGKILL)
            first.wait(600)

        receiver.answer = kill
        first = start_sender()
        known.set()
        said, _ = first.communicate(timeout=600)
        assert first.returncode == -signal.SIGKILL, said
        row = OutboxMessage.objects.get(channel="webhook")
        assert (row.state, row.tries) == ("sending", 1)

        receiver.answer = answer_with(200)
        said, _ = start_sender().communicate(timeout=600)
        assert "0 sent, 0 failed; 1 waiting" in said, "it may still be at it"
        OutboxMessage.objects.filter(pk=row.pk).update(lease_until=timezone.now())
        said, _ = start_sender().communicate(timeout=600)

    assert "1 sent, 0 failed; 0 waiting" in said
    row.refresh_from_db()
    assert (row.state, row.tries, row.answer) == ("sent", 2, "answered 200")
    assert len(receiver.received) == 2
    assert receiver.effects == {row.public_id}
