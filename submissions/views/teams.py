"""Teams: the list, one team, and who belongs to it."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from submissions.accounts import quota
from submissions.accounts import teams as acts
from submissions.forms import MemberForm, TeamForm
from submissions.models import Membership, Role, Team


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def team_list(request: HttpRequest) -> HttpResponse:
    """Own teams; on POST a new one."""
    assert isinstance(request.user, User)  # noqa: S101 - login_required
    form = TeamForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            return redirect(acts.found_team(request.user, form.cleaned_data["name"]))
        except acts.TeamError as error:
            form.add_error("name", str(error))
    teams = Team.objects.of(request.user).prefetch_related("memberships__user")
    context = {"section": "account", "form": form, "teams": teams}
    status = 400 if form.errors else 200
    return render(request, "teams/list.html", context, status=status)


@require_safe
@login_required
@never_cache
def team(request: HttpRequest, slug: str) -> HttpResponse:
    """Members and quota; owners find the link of the invitation here."""
    own = _membership(request.user, slug)
    is_owner = own.role == Role.OWNER
    link = reverse("team-join", args=[acts.invitation(own.team)]) if is_owner else ""
    context = {
        "section": "account",
        "team": own.team,
        "own": own,
        "is_owner": is_owner,
        "members": own.team.memberships.select_related("user"),
        "invitation": request.build_absolute_uri(link) if link else "",
        "invitation_days": acts.INVITATION_LASTS.days,
        "quotas": [quota.quota_of_team(own.team)],
        "roles": Role,
        "history": acts.history_of(own.team),
    }
    return render(request, "teams/team.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def join(request: HttpRequest, invitation: str) -> HttpResponse:
    """Asks first: opening a link must not make anybody a member."""
    assert isinstance(request.user, User)  # noqa: S101 - login_required
    found = acts.invited_to(invitation)
    if found is None:
        raise Http404(_("This invitation does not count any more. Ask for a new one."))
    if request.method == "POST":
        acts.join(request.user, found)
        messages.success(request, _("You belong to the team now."))
        return redirect(found)
    context = {"section": "account", "team": found}
    return render(request, "teams/join.html", context)


@require_POST
@login_required
def invitation(request: HttpRequest, slug: str) -> HttpResponse:
    """A new link; those handed out before end."""
    own = _ownership(request.user, slug)
    acts.renew_invitation(own.team, by=own.user)
    messages.success(request, _("There is a new link. Older ones no longer work."))
    return redirect(own.team)


@require_POST
@login_required
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    own = _membership(request.user, slug)
    try:
        acts.leave(own, by=own.user)
    except acts.TeamError as error:
        messages.error(request, str(error))
        return redirect(own.team)
    messages.success(request, _("You have left the team."))
    return redirect("team-list")


@require_POST
@login_required
def member(request: HttpRequest, slug: str) -> HttpResponse:
    """An owner removes a member or changes their role."""
    own = _ownership(request.user, slug)
    form = MemberForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Choose a member and what to do."))
        return redirect(own.team)
    found = get_object_or_404(
        own.team.memberships.select_related("team", "user"),
        pk=form.cleaned_data["member"],
    )
    try:
        if form.cleaned_data["act"] == "remove":
            acts.leave(found, by=own.user)
        else:
            acts.change_role(found, Role(form.cleaned_data["act"]), by=own.user)
    except acts.TeamError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("Done."))
    return redirect(own.team if found != own else "team-list")


def _membership(user: User | AnonymousUser, slug: str) -> Membership:
    """404 for others: which teams there are is nobody else's business."""
    rows = Membership.objects.select_related("team", "user")
    return get_object_or_404(rows, user=user.pk, team__slug=slug)


def _ownership(user: User | AnonymousUser, slug: str) -> Membership:
    own = _membership(user, slug)
    if own.role != Role.OWNER:
        raise PermissionDenied(_("Only owners of the team may do this."))
    return own
