"""API tokens of a user: made, shown once, revoked."""

from __future__ import annotations

from allauth.account.adapter import get_adapter
from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from submissions.accounts.tokens import create_token
from submissions.forms import TokenForm
from submissions.models import ApiToken


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
# Whoever finds a screen unlocked must not walk away with a token: an old session is
# asked for the password first, and the form is then sent on.
@reauthentication_required(
    allow_get=True, enabled=lambda request: request.method == "POST"
)  # type: ignore[untyped-decorator]
def token_list(request: HttpRequest) -> HttpResponse:
    """The list; on POST a new token, which is shown in this one answer only."""
    assert isinstance(request.user, User)  # noqa: S101 - login_required
    created = ""
    form = TokenForm(request.user, request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        row, created = create_token(
            request.user,
            name=form.cleaned_data["name"],
            scopes=form.cleaned_data["scopes"],
            validity=form.validity,
        )
        get_adapter().send_notification_mail(
            "account/email/token_created", request.user, {"token": row}
        )
    tokens = ApiToken.objects.filter(user=request.user.pk).exclude(
        expiry__lte=timezone.now()
    )
    context = {
        "section": "account",
        "form": form if form.errors else TokenForm(request.user),
        "tokens": tokens,
        "created": created,
    }
    status = 400 if form.errors else 200
    return render(request, "account/tokens.html", context, status=status)


@require_POST
@login_required
def revoke(request: HttpRequest) -> HttpResponse:
    token = get_object_or_404(
        ApiToken, user=request.user.pk, digest=request.POST.get("digest", "")
    )
    token.delete()
    messages.success(request, _("Revoked. The token no longer works."))
    return redirect("token-list")
