"""Workers make themselves known, are heard of, and say goodbye."""

from __future__ import annotations

import logging
import platform
import threading
from datetime import timedelta

from django.conf import settings
from django.db import OperationalError, close_old_connections, connections
from django.utils import timezone

from evaluator import serving, worker
from evaluator.capability import sandbox_isolates, worker_sandbox
from evaluator.models import Worker
from evaluator.offers import own_offers
from leaderboard import __version__

logger = logging.getLogger(__name__)

SEEN_EVERY_SECONDS = 20.0
# A worker that was killed stays listed as silent for so long.
REMEMBERED = timedelta(days=7)

_ended = threading.Event()


def register() -> None:
    """List this process as a worker and keep its last sign of life fresh."""
    now = timezone.now()
    sandbox = worker_sandbox()
    Worker.objects.filter(seen_at__lt=now - REMEMBERED).delete()
    Worker.objects.update_or_create(
        name=worker.worker_name(),
        defaults={
            "pools": list(settings.OHB_WORKER_POOLS),
            "versions": {
                "evaluator": __version__,
                "python": platform.python_version(),
                "system": platform.platform(),
            },
            "capabilities": {
                "isolates": sandbox_isolates(),
                "sandbox_gaps": list(sandbox.gaps),
                "builds": serving.builds_here(),
                "devices": list(settings.OHB_DEVICES),
                "offers": [list(offer) for offer in own_offers()],
                "missing_tools": list(serving.missing_here()),
            },
            "slots": settings.OHB_WORKER_SLOTS,
            "sandbox": sandbox.name,
            "started_at": now,
            "seen_at": now,
        },
    )
    threading.Thread(target=_keep_seen, name="worker-seen", daemon=True).start()


def _keep_seen() -> None:
    try:
        while not _ended.wait(SEEN_EVERY_SECONDS):
            try:
                Worker.objects.filter(name=worker.worker_name()).update(
                    seen_at=timezone.now()
                )
            except OperationalError as error:
                logger.warning("sign of life not written: %s", error)
                close_old_connections()
    finally:
        connections.close_all()


def drain() -> None:
    """Let running stages end early and give their leases back."""
    worker.draining.set()


def leave() -> None:
    """Take this process off the list; a killed one stays on it and goes silent."""
    _ended.set()
    Worker.objects.filter(name=worker.worker_name()).delete()
