"""The tasks of a snapshot as data: JSON Lines, Parquet, described in Croissant."""

from leaderboard.dataset.export import DatasetError, export_dataset

__all__ = ["DatasetError", "export_dataset"]
