"""Who may read an evaluation. Every page and endpoint asks here.

Who submitted it is known one floor up, so the rule for that is named in the settings.
"""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.http import Http404
from django.utils.module_loading import import_string

from leaderboard.models import Artifact, Evaluation, Run

ViewerRule = Callable[[User, Evaluation], bool]


def can_view(user: User | AnonymousUser, evaluation: Evaluation) -> bool:
    """Whether ``user`` may read ``evaluation``: public, own, or for maintainers."""
    if evaluation.is_public:
        return True
    if not isinstance(user, User):
        return False
    if user.is_staff:
        return True
    is_viewer: ViewerRule = import_string(settings.OHB_VIEWER_RULE)
    return is_viewer(user, evaluation)


def evaluation_or_404(
    user: User | AnonymousUser, found: Evaluation | None
) -> Evaluation:
    """``found`` if ``user`` may read it.

    404, not 403, and the same page as for one that does not exist: that a private
    evaluation exists is nobody's business.
    """
    if found is None or not can_view(user, found):
        raise Http404
    return found


def run_or_404(user: User | AnonymousUser, found: Run | None) -> Run:
    """A run of an evaluation that ``user`` may read; needs ``evaluation`` selected."""
    evaluation_or_404(user, found.evaluation if found else None)
    assert found is not None  # noqa: S101 - the line above raises
    return found


def artifact_or_404(user: User | AnonymousUser, found: Artifact | None) -> Artifact:
    """A file of such a run; needs ``run__evaluation`` selected."""
    if found is None or not can_view(user, found.run.evaluation):
        raise Http404
    return found
