"""The task-package format on disk: read, check, import, export, find."""

from leaderboard.snapshots.lookup import (
    PackageNotHeldError,
    SnapshotLookupError,
    package_folder,
    snapshot_by_version,
    task_folder,
)

__all__ = [
    "PackageNotHeldError",
    "SnapshotLookupError",
    "package_folder",
    "snapshot_by_version",
    "task_folder",
]
