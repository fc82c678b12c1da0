"""Up to four evaluations side by side."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.presenters.compare import compare_page


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """Values that name nothing are told apart from what is compared, never an error."""
    page = compare_page(request.GET, request.user)
    context = {"section": "compare", "page": page}
    return render(request, "leaderboard/compare.html", context)
