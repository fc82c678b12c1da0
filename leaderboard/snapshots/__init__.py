"""The task-package format on disk: read, check, import, export, find."""

from leaderboard.snapshots.derived import (
    KitDifference,
    computed_statistics,
    kit_difference,
    kit_differences,
    write_derived,
)
from leaderboard.snapshots.faults import Fault, PackageError
from leaderboard.snapshots.lookup import (
    PackageNotHeldError,
    ScopeLookupError,
    SnapshotLookupError,
    base_folder,
    package_folder,
    scope_by_name,
    snapshot_by_version,
    task_folder,
)
from leaderboard.snapshots.reader import Package, PackagedTask, read_package
from leaderboard.snapshots.rows import Imported, SnapshotConflictError
from leaderboard.snapshots.sources import package_from
from leaderboard.snapshots.store import ExportError, export_package, import_package

__all__ = [
    "ExportError",
    "Fault",
    "Imported",
    "KitDifference",
    "Package",
    "PackageError",
    "PackageNotHeldError",
    "PackagedTask",
    "ScopeLookupError",
    "SnapshotConflictError",
    "SnapshotLookupError",
    "base_folder",
    "computed_statistics",
    "export_package",
    "import_package",
    "kit_difference",
    "kit_differences",
    "package_folder",
    "package_from",
    "read_package",
    "scope_by_name",
    "snapshot_by_version",
    "task_folder",
    "write_derived",
]
