"""Up to four evaluations side by side: who may be compared, and the numbers."""

from leaderboard.comparison.choice import LETTERS, Choice, Fault, chosen_evaluations
from leaderboard.comparison.members import Member
from leaderboard.comparison.numbers import Comparison, Obstacle, compare
from leaderboard.comparison.pairs import Overlap, Pair, ScopeDifference, TaskCounts

__all__ = [
    "LETTERS",
    "Choice",
    "Comparison",
    "Fault",
    "Member",
    "Obstacle",
    "Overlap",
    "Pair",
    "ScopeDifference",
    "TaskCounts",
    "chosen_evaluations",
    "compare",
]
