"""A worker starts only with a pool that gives its leases back when told to stop."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from celery.bin.worker import WorkersPool
from celery.concurrency.thread import TaskPool as ThreadPool
from click import Context

from leaderboard.config.celery import app
from tests.evaluator.faults.scenario import ROOT


def test_a_worker_with_a_pool_that_cannot_drain_does_not_start(tmp_path):
    done = subprocess.run(
        [
            *[sys.executable, "-m", "celery", "-A", "leaderboard.config.celery"],
            *["worker", "--pool", "processes", "--concurrency", "1"],
        ],
        cwd=ROOT,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.evaluator.faults.settings",
            "OHB_DEBUG": "1",
            "OHB_DATA_DIR": str(tmp_path),
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )

    assert done.returncode == 1
    assert "celery.concurrency.prefork cannot give leases back" in done.stderr
    assert "--pool threads" in done.stderr


@pytest.mark.parametrize("word", ["prefork", "threads"])
def test_a_worker_for_which_nothing_else_is_named_uses_threads(word):
    """Celery's command line takes its own default, prefork, for nothing named."""
    from celery.bin.base import CLIContext
    from celery.bin.worker import worker

    context = Context(worker, obj=CLIContext(app, no_color=True, workdir=None))

    assert WorkersPool().convert(word, None, context) is ThreadPool
