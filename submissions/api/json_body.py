"""Bodies in JSON, read as strictly as a manifest, with the place of every fault.

The settings of the API name the parser, so nothing here imports views.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from submissions import strict_json

LIMIT_BYTES = 256 * 1024


class BodyError(ParseError):
    """The body is not strict JSON; every fault is listed."""

    def __init__(self, error: strict_json.StrictJsonError) -> None:
        super().__init__("The body is not JSON that can be used.")
        self.errors = [each.as_dict() for each in error.findings]


class StrictJSONParser(JSONParser):
    """No duplicate keys, NUL, lone surrogates, NaN or endless nesting.

    The usual reader takes them all, and the database or the answer breaks over them.
    """

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        data = stream.read(LIMIT_BYTES + 1)
        try:
            return strict_json.loads(data, where="body", limit_bytes=LIMIT_BYTES)
        except strict_json.StrictJsonError as error:
            raise BodyError(error) from None
