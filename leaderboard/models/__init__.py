"""The tables of the ground floor: what the public reads."""

from leaderboard.models.audit import AuditEvent, record, subject_of
from leaderboard.models.catalogue import (
    Benchmark,
    Difficulty,
    EvaluationSnapshot,
    FPoint,
    Kit,
    ScopeName,
    SnapshotScope,
    SnapshotStatus,
    Task,
    TaskSource,
)
from leaderboard.models.errata import Erratum
from leaderboard.models.outbox import MessageState, OutboxMessage
from leaderboard.models.overrulings import Overruling
from leaderboard.models.results import (
    COUNTS,
    STRUCK_OUT,
    Absence,
    Artifact,
    CheckResult,
    Configuration,
    Evaluation,
    Provenance,
    Run,
    ScopeTotals,
    TaskResult,
    Visibility,
    public_now,
)
from leaderboard.models.version import DataVersion

__all__ = [
    "COUNTS",
    "STRUCK_OUT",
    "Absence",
    "Artifact",
    "AuditEvent",
    "Benchmark",
    "CheckResult",
    "Configuration",
    "DataVersion",
    "Difficulty",
    "Erratum",
    "Evaluation",
    "EvaluationSnapshot",
    "FPoint",
    "Kit",
    "MessageState",
    "OutboxMessage",
    "Overruling",
    "Provenance",
    "Run",
    "ScopeName",
    "ScopeTotals",
    "SnapshotScope",
    "SnapshotStatus",
    "Task",
    "TaskResult",
    "TaskSource",
    "Visibility",
    "public_now",
    "record",
    "subject_of",
]
