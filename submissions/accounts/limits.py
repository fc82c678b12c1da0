"""The limits of the API on bundles that are read, for the page of uploads as well."""

from __future__ import annotations

from math import ceil
from typing import Any, Literal, NamedTuple

from django.http import HttpRequest
from rest_framework.settings import api_settings
from rest_framework.throttling import ScopedRateThrottle


class _Scope(NamedTuple):
    """What a throttle asks a view of the API for."""

    throttle_scope: str


def seconds_to_wait(request: HttpRequest, what: Literal["upload", "validation"]) -> int:
    """Count one bundle of the signed-in person; above 0 it may not be read before.

    Page and API have one count together.
    """
    # The classes themselves: the settings of DRF import what is named.
    kinds: list[Any] = list(api_settings.DEFAULT_THROTTLE_CLASSES)
    for kind in kinds:
        if not issubclass(kind, ScopedRateThrottle):
            continue
        throttle = kind()
        if not throttle.allow_request(request, _Scope(what)):
            return max(1, ceil(throttle.wait() or 60))
    return 0
