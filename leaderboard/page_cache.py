"""Whole public pages, kept in memory until the data changes.

A view says with :func:`cached` that its answer depends on the address and on the public
data alone. The middleware then keeps the finished answer, compressed and with all its
headers, under the version of the data that it was made from, and answers later requests
with it: from the version look-up on, no row, template or other middleware is touched.
The pages that most readers ask for are made beforehand and taken from the database
(:mod:`leaderboard.shelf`).

Nothing stale can be shown. The version is read before the page is made and again at
every request, and the database counts it up in the transaction that publishes. What
changes by the clock alone, the end of an embargo and the date in a citation, ends the
page's time.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from datetime import datetime, time, timedelta
from functools import wraps
from typing import Any, TypeGuard

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.response import SimpleTemplateResponse
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_cache_control

from leaderboard import data_version, shelf

View = Callable[..., HttpResponseBase]
# A longer address is nobody's bookmark; it would only push others out.
_LONGEST_ADDRESS = 600
# Whoever sends one of these may be shown something of their own.
_PERSONAL = ("HTTP_AUTHORIZATION", "HTTP_RANGE")
_GZIP = re.compile(r"\bgzip\b")


def cached(view: View) -> View:
    """Mark a view whose answer follows from the address and the public data."""

    @wraps(view)
    def marked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        # The browser may keep the page as well, but has to ask whether it still holds.
        patch_cache_control(response, no_cache=True)
        # Django's own digest of a long page would take twice as long.
        if isinstance(response, HttpResponse) and _is_rendered(response):
            digest = hashlib.sha256(response.content).hexdigest()
            response.headers.setdefault("ETag", f'"{digest[:32]}"')
        response.depends_on_public_data = True  # type: ignore[attr-defined]  # read by the middleware
        return response

    return marked


class PageCacheMiddleware:
    """Stands outside of compression, sessions and languages; see the module."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not settings.OHB_PAGE_CACHE or not _is_for_anybody(request):
            return self.get_response(request)
        version = data_version.current()
        if version is None:
            return self.get_response(request)
        data_version.remember(request, version)
        key = _key(request, version.number)
        kept = None if shelf.is_preparing(request) else caches["pages"].get(key)
        if kept is None:
            answer = shelf.find(request, version)
            if answer is None:
                response = self._fresh(request)
                if not _is_keepable(response):
                    return _unless_known(request, response)
                headers = list(response.items())
                seconds = _seconds_left(version)
                answer = shelf.Answer(response.content, headers, seconds)
            if shelf.is_preparing(request):
                shelf.keep(request, answer, version)
            kept = (answer.content, answer.headers)
            caches["pages"].set(key, kept, answer.seconds_left)
        content, headers = kept
        return _unless_known(request, HttpResponse(content, headers=dict(headers)))

    def _fresh(self, request: HttpRequest) -> HttpResponseBase:
        """The whole answer, also for somebody who only asks whether it changed."""
        known = request.META.pop("HTTP_IF_NONE_MATCH", None)
        response = self.get_response(request)
        if known is not None:
            request.META["HTTP_IF_NONE_MATCH"] = known
        return response


def _is_for_anybody(request: HttpRequest) -> bool:
    cookies = request.META.get("HTTP_COOKIE", "")
    return (
        request.method == "GET"
        and len(request.get_full_path()) <= _LONGEST_ADDRESS
        and not any(name in request.META for name in _PERSONAL)
        # Sign-in and messages both come with a cookie; a theme or a language does not.
        and settings.SESSION_COOKIE_NAME not in cookies
        and "messages" not in cookies
    )


def _key(request: HttpRequest, version: int) -> str:
    """Everything an answer may differ by, besides the data."""
    asked = (
        request.META.get("HTTP_HOST", ""),
        request.scheme or "",
        request.get_full_path(),
        request.META.get("HTTP_ACCEPT", "") if request.path.startswith("/api/") else "",
        "gzip" if _GZIP.search(request.META.get("HTTP_ACCEPT_ENCODING", "")) else "",
    )
    return f"{version}:{hashlib.sha256(repr(asked).encode()).hexdigest()}"


def _is_keepable(response: HttpResponseBase) -> TypeGuard[HttpResponse]:
    return (
        getattr(response, "depends_on_public_data", False)
        and isinstance(response, HttpResponse)
        and response.status_code == 200
        and not response.cookies
    )


def _is_rendered(response: HttpResponse) -> bool:
    return not isinstance(response, SimpleTemplateResponse) or response.is_rendered


def _unless_known(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """``response``, or 304 for a client that has it already."""
    etag = response.headers.get("ETag")
    if etag is None or not isinstance(response, HttpResponse):
        return response
    return get_conditional_response(request, etag=etag, response=response) or response


def _seconds_left(version: data_version.Current) -> float:
    """Until midnight, or until the next embargo ends by the database's clock."""
    today = timezone.localdate()
    midnight = timezone.make_aware(datetime.combine(today + timedelta(days=1), time()))
    left = (midnight - timezone.now()).total_seconds()
    return left if version.seconds_left is None else min(left, version.seconds_left)
