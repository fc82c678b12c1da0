"""Who may see pages of maintainers."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache

from submissions.review import decisions

_View = Callable[..., HttpResponse]


def maintainers_only(view: _View) -> _View:
    """403 for others who are signed in: that there are such pages is no secret."""

    @login_required
    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, **place: Any) -> HttpResponse:
        decisions.require_maintainer(reader(request))
        return view(request, **place)

    return guarded


def reader(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user
