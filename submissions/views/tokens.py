"""API tokens of a user: made, shown once, revoked."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST
from knox.models import AuthToken

from submissions.forms import TokenForm


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def token_list(request: HttpRequest) -> HttpResponse:
    """The list; on POST a new token, which is shown in this one answer only."""
    created = ""
    form = TokenForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        _row, created = AuthToken.objects.create(request.user, expiry=form.validity)
    tokens = AuthToken.objects.filter(user=request.user).order_by("-created")
    context = {
        "section": "tokens",
        "form": form if form.errors else TokenForm(),
        "tokens": tokens,
        "created": created,
    }
    status = 400 if form.errors else 200
    return render(request, "submissions/tokens.html", context, status=status)


@require_POST
@login_required
def revoke(request: HttpRequest) -> HttpResponse:
    token = get_object_or_404(
        AuthToken, user=request.user, digest=request.POST.get("digest", "")
    )
    token.delete()
    messages.success(request, _("Revoked. The token no longer works."))
    return redirect("token-list")
