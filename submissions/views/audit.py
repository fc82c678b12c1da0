"""The integrity audit of an evaluation, for whoever may read the evaluation."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.models import Evaluation
from leaderboard.visibility import evaluation_or_404
from submissions.integrity.audit import audit_page


@require_safe
def audit(request: HttpRequest, pk: int) -> HttpResponse:
    """Rules, verdicts and appeals; the part of maintainers has the open signals."""
    rows = Evaluation.objects.select_related("configuration", "snapshot__benchmark")
    found = evaluation_or_404(request.user, rows.filter(pk=pk).first())
    page = audit_page(found, reader=request.user)
    return render(request, "submissions/audit.html", {"page": page})
