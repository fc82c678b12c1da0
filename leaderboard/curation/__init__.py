"""How tasks get into a snapshot, and a snapshot through its life."""

from leaderboard.curation.errors import CurationError
from leaderboard.curation.release import release_artifacts, why_not_released
from leaderboard.curation.state import TaskState, missing_for, task_states
from leaderboard.curation.transitions import RULES, SnapshotAct, move, why_not
from leaderboard.curation.verdicts import approve, refuse

__all__ = [
    "RULES",
    "CurationError",
    "SnapshotAct",
    "TaskState",
    "approve",
    "missing_for",
    "move",
    "refuse",
    "release_artifacts",
    "task_states",
    "why_not",
    "why_not_released",
]
