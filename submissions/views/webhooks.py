"""Webhooks: made with a secret that is shown once, tried, looked at, revoked."""

from __future__ import annotations

from uuid import UUID

from allauth.account.decorators import reauthentication_required
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from submissions.models import Webhook
from submissions.webhooks import acts
from submissions.webhooks.addresses import TargetError
from submissions.webhooks.forms import WebhookForm


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
# As with tokens: the secret must not be had by whoever finds a screen unlocked.
@reauthentication_required(
    allow_get=True, enabled=lambda request: request.method == "POST"
)  # type: ignore[untyped-decorator]
def webhook_list(request: HttpRequest) -> HttpResponse:
    """The list; on POST a new one, whose secret is shown in this one answer only."""
    assert isinstance(request.user, User)  # noqa: S101 - login_required
    created, secret = None, ""
    form = WebhookForm(request.user, request.POST if request.method == "POST" else None)
    if form.is_bound and not settings.OHB_WEBHOOKS:
        form.add_error(None, _("Webhooks are switched off on this site."))
    elif form.is_bound and form.is_valid():
        team, url = form.cleaned_data["team"], form.cleaned_data["url"]
        try:
            created, secret = acts.create(request.user, team, url)
        except (TargetError, acts.WebhookError) as error:
            form.add_error("url", str(error))
    context = {
        "section": "account",
        "form": form if form.errors else WebhookForm(request.user),
        "hooks": Webhook.objects.managed_by(request.user),
        "created": created,
        "secret": secret,
        "switched_on": settings.OHB_WEBHOOKS,
        "most": acts.MOST,
    }
    status = 400 if form.errors else 200
    return render(request, "account/webhooks.html", context, status=status)


@require_safe
@login_required
@never_cache
def webhook(request: HttpRequest, hook: UUID) -> HttpResponse:
    """One webhook with what it was sent lately."""
    found = _managed(request.user, hook)
    context = {
        "section": "account",
        "hook": found,
        "deliveries": acts.deliveries_of(found),
        "shown": acts.SHOWN,
        "switched_on": settings.OHB_WEBHOOKS,
    }
    return render(request, "account/webhook.html", context)


@require_POST
@login_required
def test(request: HttpRequest, hook: UUID) -> HttpResponse:
    found = _managed(request.user, hook)
    acts.try_out(found)
    messages.success(
        request, _("A test is on its way; look at this page again in half a minute.")
    )
    return redirect(found)


@require_POST
@login_required
def revoke(request: HttpRequest, hook: UUID) -> HttpResponse:
    _managed(request.user, hook).delete()
    messages.success(request, _("Revoked. Nothing more is sent there."))
    return redirect("webhook-list")


def _managed(user: User | AnonymousUser, hook: UUID) -> Webhook:
    """404 for others: which webhooks there are is nobody else's business."""
    return get_object_or_404(Webhook.objects.managed_by(user), pk=hook)
