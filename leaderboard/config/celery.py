"""The Celery application: ``celery -A leaderboard.config.celery worker -B``."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.config.settings")

app = Celery("openharmony_bench")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
