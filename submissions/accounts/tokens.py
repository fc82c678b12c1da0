"""API tokens: made for a person, with a name, scopes and an end."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

from django.contrib.auth.models import User

from submissions.models import ApiToken, Scope


def create_token(
    user: User, *, name: str, scopes: Collection[Scope], validity: timedelta
) -> tuple[ApiToken, str]:
    """Make a token; the second value is its text, which nobody can read again."""
    token, text = ApiToken.objects.create(
        user, expiry=validity, name=name, scopes=sorted(scopes)
    )
    return token, text


def scopes_for(user: User) -> list[Scope]:
    """The scopes that ``user`` may give to a token."""
    return [scope for scope in Scope if scope != Scope.MAINTAIN or user.is_staff]
