"""What has to be told to somebody outside, written with the change it tells of."""

from __future__ import annotations

import hashlib
from datetime import datetime

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class MessageState(models.TextChoices):
    WAITING = "waiting", _("Waiting")
    SENDING = "sending", _("Being sent")
    SENT = "sent", _("Sent")
    DEAD = "dead", _("Given up")


class OutboxMessageQuerySet(models.QuerySet["OutboxMessage"]):
    def due(self, now: datetime) -> OutboxMessageQuerySet:
        """What may be sent now, also what a lost sender had taken, the oldest first."""
        waiting = Q(state=MessageState.WAITING, available_at__lte=now)
        lost = Q(state=MessageState.SENDING, lease_until__lte=now)
        return self.filter(waiting | lost).order_by("available_at", "pk")


class OutboxMessage(models.Model):
    """One thing to tell to one target through one channel, at least once.

    A row of the channel ``event`` is an event that nobody has been addressed for yet;
    sending it writes one row per recipient, whose ``parent`` it is. ``key`` never
    changes and goes along with every try, so that receivers can tell a second copy.
    ``fence`` grows with every try: a sender that was thought lost marks nothing.
    """

    key = models.CharField(max_length=250, unique=True)
    channel = models.CharField(max_length=20)
    kind = models.CharField(max_length=60)
    target = models.CharField(max_length=120, blank=True)
    parent = models.ForeignKey(
        "self",
        on_delete=models.CASCADE,
        related_name="deliveries",
        null=True,
        blank=True,
    )
    data = models.JSONField(default=dict)
    state = models.CharField(
        max_length=8, choices=MessageState, default=MessageState.WAITING
    )
    fence = models.PositiveIntegerField(default=0)
    tries = models.PositiveSmallIntegerField(
        default=0, help_text="Begun so far; counted anew when it is sent again."
    )
    available_at = models.DateTimeField()
    lease_until = models.DateTimeField(null=True, blank=True)
    answer = models.CharField(
        max_length=200, blank=True, help_text="What came of the try that went well."
    )
    last_error = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)

    objects = OutboxMessageQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["parent", "channel", "target"],
                condition=Q(parent__isnull=False),
                name="one_message_per_recipient",
            ),
            models.CheckConstraint(
                condition=Q(state="sending", lease_until__isnull=False)
                | (~Q(state="sending") & Q(lease_until__isnull=True)),
                name="lease_iff_sending",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "channel", "available_at"]),
            models.Index(fields=["channel", "target", "created_at"]),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def public_id(self) -> str:
        """The key as receivers see it: the same for every try, and no secret in it."""
        return f"msg_{hashlib.sha256(self.key.encode()).hexdigest()[:32]}"
