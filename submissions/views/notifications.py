"""What a person wants to be told by mail."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from submissions.notices.forms import NotificationForm
from submissions.notices.mail import address_of


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def notifications(request: HttpRequest) -> HttpResponse:
    assert isinstance(request.user, User)  # noqa: S101 - login_required
    form = NotificationForm(
        request.user, request.POST if request.method == "POST" else None
    )
    if form.is_bound and form.is_valid():
        form.save()
        messages.success(request, _("Saved."))
        return redirect("notifications")
    context = {
        "section": "account",
        "form": form,
        "address": address_of(request.user),
    }
    status = 400 if form.errors else 200
    return render(request, "account/notifications.html", context, status=status)
