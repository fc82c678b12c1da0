"""Maintainers have a second factor, or no rights of a maintainer.

Staff reads what is private and decides what is public: a password alone, guessed or
taken, must not be enough for that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

# What is needed to sign in and out and to set a second factor up. The API knows people
# by their tokens, and looks at the second factor with those.
_FREE = ("account", "mfa_", "socialaccount", "login", "logout", "healthz", "api-")


def is_missing(user: User | AnonymousUser) -> bool:
    """Whether ``user`` may not act before they have set up a second factor."""
    return (
        settings.OHB_STAFF_SECOND_FACTOR
        and (user.is_staff or user.is_superuser)
        and not is_mfa_enabled(user)
    )


class LeadStaffToSecondFactor:
    """Sends staff without a second factor from every page to where one is set up."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        match = request.resolver_match
        name = match.view_name if match else ""
        if name.startswith(_FREE) or name == "admin:logout":
            return None
        if not is_missing(request.user):
            return None
        messages.warning(
            request,
            _(
                "Maintainers need a second factor. Set one up to go on; it takes a "
                "minute."
            ),
        )
        return redirect("mfa_activate_totp")
