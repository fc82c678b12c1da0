"""Settings of the processes of a fault test; the test sets the environment."""

from leaderboard.config.settings import *  # noqa: F403 - the product's own, but for speed

OHB_TOOLCHAIN = "tests.evaluator.faults.toolchain.slow_toolchain"
OHB_BACKOFF_FACTOR = 0.01
OHB_PATROL_SECONDS = 0.5
CELERY_BEAT_SCHEDULE = {"reap": {"task": "evaluator.tasks.reap", "schedule": 0.5}}
