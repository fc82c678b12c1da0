"""Snapshots in the task format of Harbor, so that others can run the benchmark."""

from leaderboard.harbor.digests import task_digest
from leaderboard.harbor.export import (
    HarborExportError,
    Images,
    default_images,
    export_harbor,
)
from leaderboard.harbor.kept import keep_digests, kept_digests

__all__ = [
    "HarborExportError",
    "Images",
    "default_images",
    "export_harbor",
    "keep_digests",
    "kept_digests",
    "task_digest",
]
