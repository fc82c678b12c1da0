"""Wiring: settings, URLs, WSGI and Celery applications."""

from leaderboard.config.celery import app as celery_app

__all__ = ["celery_app"]
