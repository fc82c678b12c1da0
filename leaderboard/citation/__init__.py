"""How the benchmark, a snapshot's standings and one result are cited."""

from leaderboard.citation.formats import apa, bibtex, cff
from leaderboard.citation.works import (
    Work,
    benchmark_work,
    entry_work,
    snapshot_work,
)

__all__ = [
    "Work",
    "apa",
    "benchmark_work",
    "bibtex",
    "cff",
    "entry_work",
    "snapshot_work",
]
