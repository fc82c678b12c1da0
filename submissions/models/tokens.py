"""API tokens. knox makes them and keeps a digest; the rest says what each may do."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _
from knox.models import AbstractAuthToken

SHOWN_CHARACTERS = 12


class Scope(models.TextChoices):
    """What a token may be used for; none of them includes another."""

    READ = "read", _("Read: what you may see on the site")
    SUBMIT = "submit", _("Submit: check, submit, act on your submissions")
    MAINTAIN = "maintain", _("Maintain: publish and decide on results")


class ApiToken(AbstractAuthToken):  # type: ignore[misc]  # untyped base
    """A token of one user. The text itself is stored nowhere.

    ``last_used_at`` is exact to the minute.
    """

    name = models.CharField(max_length=60)
    scopes = models.JSONField(default=list)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created"]

    def __str__(self) -> str:
        return f"{self.name} ({self.shown_prefix}…)"

    @property
    def shown_prefix(self) -> str:
        """The beginning of the token, by which a person recognizes it."""
        return str(self.token_key)[:SHOWN_CHARACTERS]
