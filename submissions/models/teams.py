"""Teams: people who own submissions together."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.db import models
from django.urls import reverse
from django.utils.crypto import get_random_string
from django.utils.translation import gettext_lazy as _


def new_invitation_key() -> str:
    """What an invitation must carry; a new one ends the old invitations."""
    return get_random_string(22)


class TeamQuerySet(models.QuerySet["Team"]):
    def of(self, user: User | AnonymousUser) -> TeamQuerySet:
        """The teams that ``user`` belongs to, by name."""
        if not user.is_authenticated:
            return self.none()
        return self.filter(memberships__user=user.pk).order_by("name")


class Team(models.Model):
    """Owns submissions: every member sees and cancels them as if they were their own.

    Submissions without a team belong to the person who made them.
    """

    name = models.CharField(_("name"), max_length=80, unique=True)
    slug = models.SlugField(max_length=80, unique=True)
    invitation_key = models.CharField(
        max_length=32, default=new_invitation_key, editable=False
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TeamQuerySet.as_manager()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("team", args=[self.slug])


class Role(models.TextChoices):
    """Owners invite, remove and promote; everything else is open to every member."""

    OWNER = "owner", _("Owner")
    MEMBER = "member", _("Member")


class Membership(models.Model):
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(max_length=6, choices=Role, default=Role.MEMBER)
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["joined_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["team", "user"], name="one_membership_per_person"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"
