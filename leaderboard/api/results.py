"""Lists answer as an object with the rows of one page under ``results``."""

from __future__ import annotations

import re
from typing import Any

from drf_spectacular.utils import OpenApiParameter, inline_serializer
from rest_framework import serializers
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer, Serializer

from leaderboard.api.problems import SHOWN_CHARACTERS, Problem

_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)


class Pages(LimitOffsetPagination):
    """``{count, next, previous, results}`` with ``?limit=`` and ``?offset=``.

    Rows need an order without ties, or a page may repeat what another one had.
    """

    default_limit = 100
    max_limit = 500

    def get_limit(self, request: Request) -> int:
        asked = _number(request, "limit", default=self.default_limit, least=1)
        return min(asked, self.max_limit)

    def get_offset(self, request: Request) -> int:
        return _number(request, "offset", default=0, least=0)

    def window(self, request: Request) -> tuple[int, int]:
        """Offset and limit of a list that counts and cuts its rows itself.

        Set ``count`` before the answer is made.
        """
        self.request = request
        self.limit, self.offset = self.get_limit(request), self.get_offset(request)
        return self.offset, self.limit

    def get_paginated_response(self, data: Any, **beside: Any) -> Response:
        """The page with what else the answer holds, such as the snapshot."""
        return Response(
            {
                **beside,
                "count": self.count,
                "next": self.get_next_link(),
                "previous": self.get_previous_link(),
                "results": data,
            }
        )


class WholePages(Pages):
    """For the tasks of a snapshot: a benchmark of our size fits into one page."""

    default_limit = Pages.max_limit


class PagedSerializer(Serializer[Any]):
    """What stands beside the rows of every list."""

    count = serializers.IntegerField(help_text="Rows on all pages together.")
    next = serializers.CharField(
        allow_null=True, help_text="Address of the next page; null on the last one."
    )
    previous = serializers.CharField(
        allow_null=True, help_text="Address of the page before; null on the first one."
    )


def paging(pages: type[Pages] = Pages) -> list[OpenApiParameter]:
    """The parameters of a list for its documentation."""
    return [
        OpenApiParameter(
            "limit",
            int,
            description=f"Rows of a page: {pages.default_limit} unless said otherwise; "
            f"more than {pages.max_limit} are cut to that.",
        ),
        OpenApiParameter("offset", int, description="How many rows to pass over."),
    ]


class Results:
    """Documentation of a list that has nothing beside its rows."""

    @staticmethod
    def of(serializer: type[BaseSerializer[Any]]) -> Serializer[Any]:
        name = serializer.__name__.removesuffix("Serializer")
        return inline_serializer(
            f"{name}List",
            {**PagedSerializer().fields, "results": serializer(many=True)},
        )


def _number(request: Request, name: str, *, default: int, least: int) -> int:
    text = request.query_params.get(name, "")
    if not text:
        return default
    if _NUMBER.fullmatch(text) is None or int(text) < least:
        raise Problem(
            f"?{name}= is not a number that can be used.",
            errors=[
                {
                    "code": f"{name}_not_a_number",
                    "where": f"?{name}",
                    "saw": text[:SHOWN_CHARACTERS],
                    "fix": f"Give a whole number from {least} to {10**9 - 1}.",
                }
            ],
        )
    return int(text)
