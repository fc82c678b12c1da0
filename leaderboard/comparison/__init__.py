"""Up to four evaluations side by side: who may be compared, and the numbers."""

from leaderboard.comparison.choice import LETTERS, Choice, Fault, chosen_evaluations
from leaderboard.comparison.conditions import Obstacle
from leaderboard.comparison.members import Member
from leaderboard.comparison.numbers import Comparison, compare
from leaderboard.comparison.pairs import Overlap, Pair, ScopeDifference, TaskCounts
from leaderboard.comparison.passing import (
    PassComparison,
    PassDifference,
    PassMember,
    PassPair,
    compare_by_pass_rate,
)

__all__ = [
    "LETTERS",
    "Choice",
    "Comparison",
    "Fault",
    "Member",
    "Obstacle",
    "Overlap",
    "Pair",
    "PassComparison",
    "PassDifference",
    "PassMember",
    "PassPair",
    "ScopeDifference",
    "TaskCounts",
    "chosen_evaluations",
    "compare",
    "compare_by_pass_rate",
]
