"""Settings of those processes: the product's own, but for waits after trouble."""

from leaderboard.config.settings import *  # noqa: F403

OHB_BACKOFF_FACTOR = 0.01
OHB_PATROL_SECONDS = 0.5
OHB_RUNNING_LIMIT = 10
