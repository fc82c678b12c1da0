"""The overview of an account, from where everything about it is reached."""

from __future__ import annotations

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from submissions.accounts import quota


@require_safe
@login_required
def overview(request: HttpRequest) -> HttpResponse:
    assert isinstance(request.user, User)  # noqa: S101 - login_required
    providers = bool(settings.SOCIALACCOUNT_PROVIDERS)
    context = {
        "section": "account",
        "two_factor": is_mfa_enabled(request.user),
        "providers_url": reverse("socialaccount_connections") if providers else "",
        "unlimited": quota.is_unlimited(request.user),
        "quotas": quota.quotas_of(request.user),
    }
    return render(request, "account/overview.html", context)
