"""What is looked at in every request before anything else reads it."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import unquote_to_bytes

from django.core.exceptions import BadRequest
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase

from leaderboard.api.problems import CONTENT_TYPE, problem_details

Answer = Callable[[HttpRequest], HttpResponseBase]


def refuse_nul(get_response: Answer) -> Answer:
    """Refuse an address with a NUL: no text here has one, and PostgreSQL takes none."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        query = unquote_to_bytes(request.META.get("QUERY_STRING", ""))
        if "\0" not in request.path_info and b"\0" not in query:
            return get_response(request)
        if not request.path_info.startswith("/api/"):
            raise BadRequest("An address cannot hold the character NUL (%00).")
        return JsonResponse(
            problem_details(
                HTTPStatus.BAD_REQUEST,
                "An address cannot hold the character NUL.",
                [
                    {
                        "code": "nul_character",
                        "where": "path" if "\0" in request.path_info else "query",
                        "saw": "%00",
                        "fix": "Take it out of the address.",
                    }
                ],
            ),
            status=HTTPStatus.BAD_REQUEST,
            content_type=CONTENT_TYPE,
        )

    return answer
