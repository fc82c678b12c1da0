"""Who wants to be told what: by mail, each person; by webhook, persons and teams."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from submissions.models.teams import Membership, Role, Team


class MailPreference(models.Model):
    """What a person wants by mail, and in which language. Without a row: the defaults.

    Each switch is named after a group of ``submissions/notices/kinds.py``.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="mail_preference",
    )
    language = models.CharField(
        _("Language"),
        max_length=10,
        choices=settings.LANGUAGES,
        default=settings.LANGUAGE_CODE,
    )
    results = models.BooleanField(
        _("Results: evaluated, held up by trouble of ours, cancelled"), default=True
    )
    review = models.BooleanField(
        _("Review: questions, messages, publication, rejection, withdrawal"),
        default=True,
    )
    progress = models.BooleanField(
        _("Progress: accepted, refused, evaluation began"), default=False
    )
    operations = models.BooleanField(
        _("For maintainers: what needs a person, answers, appeals"), default=True
    )

    def __str__(self) -> str:
        return f"mail for {self.user}"


class WebhookQuerySet(models.QuerySet["Webhook"]):
    def managed_by(self, user: User | AnonymousUser) -> WebhookQuerySet:
        """Own ones, and those of teams that ``user`` owns."""
        if not user.is_authenticated:
            return self.none()
        owned = Membership.objects.filter(user=user.pk, role=Role.OWNER).values("team")
        found = self.filter(Q(user=user.pk) | Q(team__in=owned))
        return found.select_related("user", "team")


class Webhook(models.Model):
    """An address that is told by POST what happens to the submissions of its owner.

    ``sealed_secret`` signs what is sent; it is encrypted with the site's secret key,
    since a signature needs the secret itself and no digest of it will do.
    """

    uuid = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="webhooks",
        null=True,
        blank=True,
    )
    team = models.ForeignKey(
        Team,
        on_delete=models.CASCADE,
        related_name="webhooks",
        null=True,
        blank=True,
    )
    url = models.CharField(max_length=500)
    sealed_secret = models.CharField(max_length=300, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = WebhookQuerySet.as_manager()

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(user__isnull=False, team__isnull=True)
                | Q(user__isnull=True, team__isnull=False),
                name="webhook_has_one_owner",
            )
        ]

    def __str__(self) -> str:
        return self.url

    def get_absolute_url(self) -> str:
        return reverse("webhook", args=[self.pk])
