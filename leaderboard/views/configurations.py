"""The history of a configuration."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from leaderboard.models import Configuration
from leaderboard.page_cache import cached
from leaderboard.presenters.configuration import configuration_page


@require_safe
@cached
def configuration(request: HttpRequest, pk: int) -> HttpResponse:
    """The same for everybody; 404 where none of its evaluations is public."""
    page = configuration_page(get_object_or_404(Configuration, pk=pk))
    if page is None:
        raise Http404
    return render(request, "leaderboard/configuration.html", {"page": page})
