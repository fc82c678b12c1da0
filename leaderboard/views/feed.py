"""The Atom feed, one in each language."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.http import http_date
from django.views.decorators.http import require_safe

from leaderboard.news import latest_news
from leaderboard.page_cache import cached
from leaderboard.presenters.news import news_feed


@require_safe
@cached
def feed(request: HttpRequest) -> HttpResponse:
    """Publications, strikes and openings; answers 304 to who has the latest already."""
    news = latest_news()
    response = HttpResponse(
        news_feed(news), content_type="application/atom+xml; charset=utf-8"
    )
    if news:
        response["Last-Modified"] = http_date(news[0].at.timestamp())
    return response
