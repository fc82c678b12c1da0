"""Lists answer as an object with the rows under ``results``."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import inline_serializer
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer, Serializer


class Results:
    """Documentation of a list that is answered whole."""

    @staticmethod
    def of(serializer: type[BaseSerializer[Any]]) -> Serializer[Any]:
        name = serializer.__name__.removesuffix("Serializer")
        return inline_serializer(f"{name}List", {"results": serializer(many=True)})


class Pages(LimitOffsetPagination):
    """``{count, next, previous, results}`` with ``?limit=`` and ``?offset=``."""

    default_limit = 100
    max_limit = 500

    def get_paginated_response(self, data: Any) -> Response:
        return Response(
            {
                "count": self.count,
                "next": self.get_next_link(),
                "previous": self.get_previous_link(),
                "results": data,
            }
        )
