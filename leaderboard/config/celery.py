"""The Celery application: ``celery -A leaderboard.config.celery worker -B``."""

from __future__ import annotations

import os
import warnings

from celery import Celery
from celery.platforms import SecurityWarning
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.config.settings")

# What makes root dangerous for a worker is pickle, which is not accepted here. Root is
# wanted: it gives every sandbox a user of its own.
warnings.filterwarnings("ignore", category=SecurityWarning)

# Kombu's own transports, mended where several processes meet.
TRANSPORT_ALIASES |= {
    "filesystem": "leaderboard.config.filesystem_broker:Transport",
    "pgmq": "leaderboard.config.pgmq_broker:Transport",
}
app = Celery("openharmony_bench")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
