"""API tokens for tests."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.test import Client

from submissions.accounts.tokens import create_token
from submissions.models import Scope


def token_for(user: Any, *scopes: Scope) -> str:
    """The text of a new token of ``user``; with every scope unless some are named."""
    _row, text = create_token(
        user, name="test", scopes=scopes or list(Scope), validity=timedelta(days=1)
    )
    return text


def api_client(user: Any, *scopes: Scope) -> Client:
    return Client(headers={"Authorization": f"Token {token_for(user, *scopes)}"})
