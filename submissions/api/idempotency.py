"""``Idempotency-Key``: a request sent twice submits once."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib.auth.models import User
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from leaderboard.api.problems import Problem
from submissions import services
from submissions.models import Submission, Team

KEY_CHARACTERS = 255
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    location=OpenApiParameter.HEADER,
    description=f"Up to {KEY_CHARACTERS} printable characters that name this attempt. "
    "Sent again with the same request, it gets the same answer and submits nothing.",
)


def key_of(request: Request) -> str:
    key = request.headers.get("Idempotency-Key", "")
    if len(key) > KEY_CHARACTERS or not (key.isascii() and key.isprintable()):
        raise Problem(
            "The Idempotency-Key cannot be used.",
            errors=[
                {
                    "code": "idempotency-key",
                    "where": "Idempotency-Key",
                    "saw": f"{len(key)} characters",
                    "fix": f"Send up to {KEY_CHARACTERS} printable ASCII "
                    "characters, such as a UUID.",
                }
            ],
        )
    return key


def earlier(
    user: User, key: str, *, sha256: str, team: Team | None
) -> Submission | None:
    """What the same request made before; a problem if it was another request."""
    found = services.with_idempotency_key(user, key)
    if found is None:
        return None
    same = found.archive_sha256 == sha256 and found.team == team
    if same and found.rerun_of_id is None:
        return found
    raise key_reused(
        "The Idempotency-Key was sent before with another upload.", key, "upload"
    )


def key_reused(said: str, key: str, what: str) -> Problem:
    """The answer to a key of another request; ``what`` each key is for."""
    return Problem(
        said,
        status_code=HTTPStatus.UNPROCESSABLE_ENTITY,
        errors=[
            {
                "code": "idempotency-key-reused",
                "where": "Idempotency-Key",
                "saw": key,
                "fix": f"Send a new key with every new {what}.",
            }
        ],
    )
