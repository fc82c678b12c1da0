"""Uploads that arrive in parts and wait to be submitted."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.db import models
from django.utils import timezone

KEPT_FOR = timedelta(hours=24)


class UploadSessionQuerySet(models.QuerySet["UploadSession"]):
    def of(self, user: User | AnonymousUser) -> UploadSessionQuerySet:
        """Those of ``user`` alone, the latest used first; staff sees no others."""
        return self.filter(user=user.pk).order_by("-touched_at", "-created_at", "pk")

    def expired(self) -> UploadSessionQuerySet:
        return self.filter(touched_at__lt=timezone.now() - KEPT_FOR)


class UploadSession(models.Model):
    """One file on its way here. Its bytes, and so its offset, are in the file system.

    The row outlives the file for as long as it is kept, so that a request sent again is
    told what it was told before.
    """

    uuid = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="uploads"
    )
    file_name = models.CharField(max_length=255, blank=True)
    length_bytes = models.PositiveBigIntegerField()
    declared_sha256 = models.CharField(
        max_length=64,
        blank=True,
        help_text="What the sender says; compared at the end",
    )
    sha256 = models.CharField(
        max_length=64, blank=True, help_text="What arrived; empty until all of it has"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    touched_at = models.DateTimeField(default=timezone.now)

    objects = UploadSessionQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "pk"]
        indexes = [models.Index(fields=["user", "touched_at"])]

    def __str__(self) -> str:
        return f"upload {self.uuid}"

    @property
    def expires_at(self) -> datetime:
        return self.touched_at + KEPT_FOR
