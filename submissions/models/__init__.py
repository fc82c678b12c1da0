"""Tables of people who submit: submissions, uploads, teams, API tokens, signals."""

from __future__ import annotations

from submissions.models.integrity import (
    Decision,
    IntegrityScan,
    IntegritySignal,
    IntegritySignalQuerySet,
    PatchSketch,
    Severity,
    SignalVerdict,
)
from submissions.models.notices import MailPreference, Webhook, WebhookQuerySet
from submissions.models.policy import SnapshotPolicy
from submissions.models.review import (
    Appeal,
    AppealOutcome,
    Message,
    MessageKind,
    Proposal,
)
from submissions.models.submissions import (
    Submission,
    SubmissionEvent,
    SubmissionQuerySet,
    SubmissionState,
)
from submissions.models.teams import Membership, Role, Team, TeamQuerySet
from submissions.models.tokens import ApiToken, Scope
from submissions.models.uploads import UploadSession

__all__ = [
    "ApiToken",
    "Appeal",
    "AppealOutcome",
    "Decision",
    "IntegrityScan",
    "IntegritySignal",
    "IntegritySignalQuerySet",
    "MailPreference",
    "Membership",
    "Message",
    "MessageKind",
    "PatchSketch",
    "Proposal",
    "Role",
    "Scope",
    "Severity",
    "SignalVerdict",
    "SnapshotPolicy",
    "Submission",
    "SubmissionEvent",
    "SubmissionQuerySet",
    "SubmissionState",
    "Team",
    "TeamQuerySet",
    "UploadSession",
    "Webhook",
    "WebhookQuerySet",
]
