"""Celery's tasks of this floor. A message is a hint: it may come twice or never."""

from __future__ import annotations

import logging
import threading
from uuid import UUID

from celery import shared_task

from submissions.failures import labelling
from submissions.integrity import scan
from submissions.notices import embargoes
from submissions.resumable import sessions
from submissions.retention import sweep as retention

logger = logging.getLogger(__name__)

_looking = threading.Lock()
_labelling = threading.Lock()


@shared_task(ignore_result=True)
def remove_expired_uploads() -> None:
    """Free the disk of abandoned uploads; beginning an upload does it too."""
    sessions.remove_expired()


@shared_task(ignore_result=True)
def tell_ended_embargoes() -> None:
    """Tell what became public by its day alone, each once."""
    embargoes.tell_ended()


@shared_task(ignore_result=True)
def sweep() -> None:
    """Free storage; ``manage.py sweep --dry-run`` tells what would go."""
    for what, name, size in retention.sweep():
        logger.info("swept %s: %s (%s bytes)", what, name, size)


@shared_task(ignore_result=True)
def look_through_submissions() -> None:
    """Look for integrity signals in what nobody has looked through as it stands.

    One at a time in each process: evaluations come first.
    """
    if not _looking.acquire(blocking=False):
        return
    try:
        tried: set[UUID] = set()
        while (submission := scan.due().exclude(pk__in=tried).first()) is not None:
            tried.add(submission.pk)
            scan.look_at(submission)
    finally:
        _looking.release()


@shared_task(ignore_result=True)
def label_failures() -> None:
    """Look for the reasons of failures in closed runs; one at a time in each process.

    A run that cannot be looked at is left to the next call.
    """
    if not _labelling.acquire(blocking=False):
        return
    try:
        tried: set[int] = set()
        while (run := labelling.due().exclude(pk__in=tried).first()) is not None:
            tried.add(run.pk)
            try:
                labelling.label(run)
            except Exception:
                logger.exception("failures of run %s could not be labelled", run.pk)
    finally:
        _labelling.release()
