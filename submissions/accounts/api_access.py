"""The two ends of a request with a token: whose it is, and whether it may do that.

The settings of the API name both, so nothing here imports views.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from knox.auth import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from submissions.accounts import second_factor
from submissions.models import ApiToken, Scope

if TYPE_CHECKING:
    from rest_framework.views import APIView

_USE_IS_RECORDED_EVERY = timedelta(minutes=1)


class Authentication(TokenAuthentication):  # type: ignore[misc]  # untyped base
    """knox's own, recording when a token was last used."""

    def authenticate_credentials(self, token: bytes) -> tuple[User, ApiToken]:
        if not token.isascii():
            raise AuthenticationFailed("The token has characters that no token has.")
        user, found = super().authenticate_credentials(token)
        if second_factor.is_missing(user):
            raise AuthenticationFailed(
                "The tokens of a maintainer work once they have a second factor. Set "
                "one up on the page Account."
            )
        now = timezone.now()
        # Conditional, so that a busy script writes once a minute and not every time.
        ApiToken.objects.filter(
            Q(last_used_at=None) | Q(last_used_at__lt=now - _USE_IS_RECORDED_EVERY),
            pk=found.pk,
        ).update(last_used_at=now)
        return user, found


class ScopeMissingError(PermissionDenied):
    """The token is somebody's, but not for this."""

    def __init__(self, needed: Scope, held: list[str]) -> None:
        super().__init__(
            f"This token is not for that: it lacks the scope {needed.value!r}."
        )
        self.errors = [
            {
                "code": "token-scope",
                "where": "Authorization",
                "saw": ", ".join(held) or "no scope",
                "fix": f"Make a token with the scope {needed.value!r} on the page "
                "API tokens, and use that one.",
            }
        ]


class TokenScope(BasePermission):
    """Refuses what the token is not for; a request without one is left to others.

    Reading needs ``read`` and everything else ``submit``, unless the view names other
    scopes as ``safe_scope`` and ``unsafe_scope``. Every API view has this among its
    permissions.
    """

    def has_permission(self, request: Request, view: APIView) -> bool:
        token = request.auth
        if not isinstance(token, ApiToken):
            return True
        needed = (
            getattr(view, "safe_scope", Scope.READ)
            if request.method in SAFE_METHODS
            else getattr(view, "unsafe_scope", Scope.SUBMIT)
        )
        if needed in token.scopes:
            return True
        raise ScopeMissingError(needed, token.scopes)


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # registers itself
    """How the documentation describes ``Authentication``."""

    target_class = f"{__name__}.Authentication"
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "The word Token, a space, and a token of the page API "
            "tokens. Reading needs its scope read, submitting submit, publishing "
            "maintain.",
        }
