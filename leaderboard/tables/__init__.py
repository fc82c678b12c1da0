"""The standings as files, with exactly the rows and columns of a page."""

from leaderboard.tables.cells import safe_cell
from leaderboard.tables.flat import FlatTable, flat_table
from leaderboard.tables.version import data_version
from leaderboard.tables.writers import FILE_KINDS

__all__ = ["FILE_KINDS", "FlatTable", "data_version", "flat_table", "safe_cell"]
