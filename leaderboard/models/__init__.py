"""The tables of the ground floor: what the public reads."""

from leaderboard.models.audit import AuditEvent, record, subject_of
from leaderboard.models.catalogue import (
    UNLISTED,
    Benchmark,
    DateOf,
    Difficulty,
    EvaluationSnapshot,
    FPoint,
    Kit,
    ScopeName,
    ScoringPolicy,
    SnapshotScope,
    SnapshotStatus,
    Task,
    TaskSource,
    is_synthetic,
)
from leaderboard.models.comparability import ComparabilityDecision
from leaderboard.models.curation import CuratorVerdict, Opinion, ProofKind, TaskProof
from leaderboard.models.errata import Erratum
from leaderboard.models.failures import FailureLabel, LabelPass, ShownReason
from leaderboard.models.outbox import MessageState, OutboxMessage
from leaderboard.models.overrulings import LiftedOverruling, Overruling
from leaderboard.models.pages import KeptPage
from leaderboard.models.passing import PassTotals, Stream
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
from leaderboard.models.standings import (
    Part,
    StoredLine,
    StoredPlace,
    StoredTable,
)
from leaderboard.models.version import DataVersion
from leaderboard.models.visual import VisualOrigin, VisualScore

__all__ = [
    "COUNTS",
    "STRUCK_OUT",
    "UNLISTED",
    "Absence",
    "Artifact",
    "AuditEvent",
    "Benchmark",
    "CheckResult",
    "ComparabilityDecision",
    "Configuration",
    "CuratorVerdict",
    "DataVersion",
    "DateOf",
    "Difficulty",
    "Erratum",
    "Evaluation",
    "EvaluationSnapshot",
    "FPoint",
    "FailureLabel",
    "KeptPage",
    "Kit",
    "LabelPass",
    "LiftedOverruling",
    "MessageState",
    "Opinion",
    "OutboxMessage",
    "Overruling",
    "Part",
    "PassTotals",
    "ProofKind",
    "Provenance",
    "Run",
    "ScopeName",
    "ScopeTotals",
    "ScoringPolicy",
    "ShownReason",
    "SnapshotScope",
    "SnapshotStatus",
    "StoredLine",
    "StoredPlace",
    "StoredTable",
    "Stream",
    "Task",
    "TaskProof",
    "TaskResult",
    "TaskSource",
    "Visibility",
    "VisualOrigin",
    "VisualScore",
    "is_synthetic",
    "public_now",
    "record",
    "subject_of",
]
