"""The progress of one submission as JSON, for the page that shows it."""

from __future__ import annotations

import hashlib
import json
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.db.models import Max
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import condition, require_safe

from evaluator.breaker import open_pauses
from evaluator.models import JobEvent, Worker
from leaderboard import __version__
from submissions.models import Submission
from submissions.progress import Progress, progress_of
from submissions.progress_document import progress_document, task_run_counts


def _etag(request: HttpRequest, uuid: UUID) -> str | None:
    """Changes when anything shown may have changed; asks a few cheap questions.

    Every step of any job counts: it may move the queue. The minute counts, since ages
    are shown.
    """
    found = Submission.objects.visible_to(request.user).filter(pk=uuid).first()
    if found is None:
        return None
    now = timezone.now()
    state = [
        __version__,
        get_language(),
        found.shown_state.value,
        found.evaluation.jobs.aggregate(at=Max("updated_at"))["at"],
        JobEvent.objects.aggregate(last=Max("pk"))["last"],
        sorted(Worker.objects.living(now).values_list("pk", flat=True)),
        list(open_pauses().values_list("pk", flat=True)),
        f"{now:%Y-%m-%d %H:%M}",
    ]
    text = json.dumps(state, default=str)
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


@require_safe
@login_required
@cache_control(private=True, no_cache=True)
@condition(etag_func=_etag)
def progress(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Counts and the rendered part of the page; 304 while nothing has changed."""
    found = get_object_or_404(Submission.objects.visible_to(request.user), pk=uuid)
    shown = progress_of(found)
    context = {"progress": shown, "undecided": found.undecided}
    return JsonResponse(
        {
            "state": found.shown_state.value,
            "undecided": found.undecided,
            "task_runs": task_run_counts(shown.counts),
            "progress": progress_document(shown),
            "announcement": _announcement(shown),
            "html": render_to_string("submissions/partials/progress.html", context),
        }
    )


def _announcement(shown: Progress) -> str:
    """One sentence for people who do not see the page."""
    return _("%(scored)s of %(total)s task runs scored, %(running)s running.") % {
        "scored": shown.scored,
        "total": shown.total,
        "running": shown.running,
    }
