from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import psycopg
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from kombu.utils.url import maybe_sanitize_url

from leaderboard.config.celery import app


class Command(BaseCommand):
    help = "Make the broker of OHB_BROKER_URL ready, and tell whether it answers."

    def handle(self, *args: Any, **options: Any) -> None:
        url = settings.CELERY_BROKER_URL
        if urlsplit(url).scheme == "pgmq":
            self._install_pgmq(settings.CELERY_BROKER_TRANSPORT_OPTIONS["conn_string"])
        try:
            with app.connection_for_write() as connection:
                connection.ensure_connection(max_retries=1, timeout=5)
        except Exception as error:
            raise CommandError(
                f"{maybe_sanitize_url(url)} does not answer: {error}. Submissions and "
                "workers do without, only slower."
            ) from error
        self.stdout.write(f"{maybe_sanitize_url(url)} answers.")

    def _install_pgmq(self, conn_string: str) -> None:
        """Create PGMQ's tables and functions in a schema of their own, once."""
        try:
            from pgmq.install import install_pgmq_from_sql
        except ImportError:
            raise CommandError(
                "The package pgmq is missing: pip install 'openharmony-bench[pgmq]'."
            ) from None
        try:
            with psycopg.connect(conn_string, connect_timeout=5) as connection:
                found = connection.execute("SELECT to_regclass('pgmq.meta')").fetchone()
                if found == (None,):
                    version = install_pgmq_from_sql(conn=connection)
                    self.stdout.write(f"PGMQ {version} installed in schema pgmq.")
        except psycopg.OperationalError as error:
            raise CommandError(f"PostgreSQL does not answer: {error}") from None
