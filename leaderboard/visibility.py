"""Who may read an evaluation. Every page and endpoint asks here."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser, User
from django.http import Http404
from django.utils.translation import gettext as _

from leaderboard.models import Evaluation, Visibility


def can_view(user: User | AnonymousUser, evaluation: Evaluation) -> bool:
    """Whether ``user`` may read ``evaluation``: public, own, or for maintainers."""
    if evaluation.visibility == Visibility.PUBLIC:
        return True
    if not user.is_authenticated:
        return False
    if getattr(user, "is_staff", False):
        return True
    return evaluation.viewers.filter(pk=user.pk).exists()


def require_view(user: User | AnonymousUser, evaluation: Evaluation) -> None:
    """Raise 404, not 403: that a private evaluation exists is nobody's business."""
    if not can_view(user, evaluation):
        raise Http404(_("There is no such evaluation, or it is not public."))
