"""The site's own addresses, and a constant answer to compare every page with."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import path

from leaderboard.config.urls import *  # noqa: F403
from leaderboard.config.urls import urlpatterns as site


def constant(request: HttpRequest) -> HttpResponse:
    return HttpResponse(b"ok")


urlpatterns = [path("constant/", constant), *site]
