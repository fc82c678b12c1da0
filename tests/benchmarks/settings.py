"""Settings of the benchmarks: production's, on a database of their own."""

from leaderboard.config.settings import *  # noqa: F403

ROOT_URLCONF = "tests.benchmarks.urls"
ALLOWED_HOSTS = ["bench.example.org"]
PUBLIC_URL = "http://bench.example.org"
# A request is measured, not its log line.
LOGGING = {"version": 1, "disable_existing_loggers": True}
# The limits would end the measurement; they are part of no ratio.
REST_FRAMEWORK = {**REST_FRAMEWORK, "DEFAULT_THROTTLE_CLASSES": []}  # noqa: F405
