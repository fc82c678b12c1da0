"""Acts of people and operators that must stay on record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import models
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

_ACTS = {
    "publish": pgettext_lazy("act", "Published"),
    "embargo": _("Published under embargo"),
    "end embargo": _("Embargo ended"),
    "withdraw": _("Withdrawn"),
    "withdraw unpublished": _("Withdrawn before publication"),
    "ask": _("Submitter asked"),
    "answer": _("Answered by the submitter"),
    "reject": _("Rejected"),
    "reopen": _("Taken up again"),
    "disqualify": _("Disqualified"),
    "reinstate": _("Reinstated"),
    "appeal": _("Appeal"),
    "uphold appeal": _("Appeal upheld"),
    "dismiss appeal": _("Appeal dismissed"),
    "propose": _("Proposed"),
    "decline": _("Proposal declined"),
    "overrule": _("Task run overruled"),
    "lift overruling": _("Task run counts again"),
    "cancel": _("Cancelled"),
    "requeue": _("Queued again"),
    "leave incomplete": _("Task runs left incomplete"),
    "rerun": _("Evaluated again"),
    "re-evaluate": _("Evaluated on another snapshot"),
    "declare comparable": _("Declared comparable"),
    "revoke comparable": _("Declaration of comparability revoked"),
    "note": _("Notes of the submitter changed"),
    "team found": _("Team founded"),
    "team invite": _("New invitation link"),
    "team join": _("Joined"),
    "team leave": _("Left"),
    "team remove": _("Removed"),
    "team role": _("Role changed"),
    "begin admission": _("Admission of a snapshot begun"),
    "return snapshot": _("Snapshot returned to draft"),
    "prove again": _("Proofs set aside"),
    "open snapshot": _("Snapshot opened"),
    "freeze snapshot": _("Snapshot frozen"),
    "supersede snapshot": _("Snapshot superseded"),
    "approve task": _("Task approved"),
    "refuse task": _("Task refused"),
    "release artifacts": _("Hidden files released"),
    "refuse differences": _("Refused differences set"),
    "import snapshot": _("Snapshot imported"),
    "note erratum": _("Erratum noted"),
    "load published": _("Published figures loaded"),
    "recount": _("Totals written again"),
    "pause pool": _("Pool paused"),
    "resume pool": _("Pool resumed"),
    "suspect device": _("Device taken out of use"),
    "clear device": _("Device put back into use"),
    "judge signal": _("Integrity signal judged"),
    "label failure": _("Failure reason set"),
    "false failure": _("False failure: erratum and re-run"),
    "send again": _("Messages sent again"),
}
PUBLIC_ACTS = (
    *("publish", "embargo", "withdraw", "requeue", "rerun", "overrule"),
    "leave incomplete",
    "lift overruling",
    *("re-evaluate", "declare comparable", "revoke comparable"),
    *("disqualify", "reinstate", "appeal", "uphold appeal", "dismiss appeal"),
    "false failure",
)


def subject_of(row: models.Model) -> str:
    """How the audit trail names ``row``: "evaluation 7", "snapshot v1.0"."""
    if row._meta.model_name == "evaluationsnapshot":
        return f"snapshot {row}"
    return f"{row._meta.model_name} {row.pk}"


class AuditEventQuerySet(models.QuerySet["AuditEvent"]):
    def about(self, row: models.Model) -> AuditEventQuerySet:
        """Every act on ``row``, the newest first."""
        return self.filter(subject=subject_of(row))

    def public(self) -> AuditEventQuerySet:
        """Acts that everybody may read, with their date and reason."""
        return self.filter(act__in=PUBLIC_ACTS)


class AuditEvent(models.Model):
    """Who did what to which object and why. The database refuses to change a row.

    Without ``actor`` it was done on the command line, or by the software itself.
    """

    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True
    )
    act = models.CharField(max_length=60)
    subject = models.CharField(max_length=200)
    reason = models.TextField(blank=True)
    before = models.JSONField(default=dict, blank=True)
    after = models.JSONField(default=dict, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    objects = AuditEventQuerySet.as_manager()

    class Meta:
        ordering = ["-at", "-pk"]
        indexes = [models.Index(fields=["subject"])]

    def __str__(self) -> str:
        return f"{self.act} {self.subject}"

    @property
    def act_label(self) -> str | Promise:
        """The act in words, in the reader's language."""
        return _ACTS.get(self.act, self.act)


def record(
    act: str,
    row: models.Model | str,
    *,
    by: AbstractBaseUser | None = None,
    reason: str = "",
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> AuditEvent:
    """Write one act into the trail; call inside the transaction of the act itself."""
    return AuditEvent.objects.create(
        actor_id=by.pk if by is not None else None,
        act=act,
        subject=row if isinstance(row, str) else subject_of(row),
        reason=reason,
        before=dict(before or {}),
        after=dict(after or {}),
    )
