"""Up to four evaluations side by side."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.comparison import chosen_evaluations
from leaderboard.presenters.compare import compare_page
from leaderboard.presenters.pass_compare import pass_compare_page


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """Values that name nothing are told apart from what is compared, never an error."""
    choice = chosen_evaluations(request.GET, request.user)
    if choice.by_pass_rate:
        page = pass_compare_page(choice)
        context = {"section": "compare", "page": page}
        return render(request, "leaderboard/passing/compare.html", context)
    context = {"section": "compare", "page": compare_page(request.GET, choice)}
    return render(request, "leaderboard/compare.html", context)
