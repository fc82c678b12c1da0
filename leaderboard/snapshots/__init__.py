"""The task-package format on disk: read, check, import, export, find."""

from leaderboard.snapshots.faults import Fault, PackageError
from leaderboard.snapshots.lookup import (
    PackageNotHeldError,
    ScopeLookupError,
    SnapshotLookupError,
    package_folder,
    scope_by_name,
    snapshot_by_version,
    task_folder,
)
from leaderboard.snapshots.reader import Package, PackagedTask, read_package
from leaderboard.snapshots.store import (
    ExportError,
    Imported,
    SnapshotConflictError,
    export_package,
    import_package,
)

__all__ = [
    "ExportError",
    "Fault",
    "Imported",
    "Package",
    "PackageError",
    "PackageNotHeldError",
    "PackagedTask",
    "ScopeLookupError",
    "SnapshotConflictError",
    "SnapshotLookupError",
    "export_package",
    "import_package",
    "package_folder",
    "read_package",
    "scope_by_name",
    "snapshot_by_version",
    "task_folder",
]
