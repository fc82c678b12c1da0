"""Celery's tasks of this floor. A message is a hint: it may come twice or never."""

from __future__ import annotations

from celery import shared_task

from submissions.resumable import sessions


@shared_task(ignore_result=True)
def remove_expired_uploads() -> None:
    """Free the disk of abandoned uploads; beginning an upload does it too."""
    sessions.remove_expired()
