"""The leaderboard as a file: the rows and columns of a page, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus

from django.conf import settings
from django.http import HttpResponse
from django.utils.translation import override
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from leaderboard.api.artifacts import AnyAccept
from leaderboard.api.lookup import (
    AS_OF,
    BENCHMARK,
    SNAPSHOT,
    SOURCE,
    day_problem,
    problems,
    requested_snapshot,
)
from leaderboard.api.pass_leaderboard import requested_table
from leaderboard.api.problems import Problem
from leaderboard.as_of import AsOfError
from leaderboard.ignored import Ignored
from leaderboard.metrics import Scope
from leaderboard.models import EvaluationSnapshot
from leaderboard.passing.documents import flat_pass_table
from leaderboard.passing.standings import is_by_pass_rate
from leaderboard.presenters import columns
from leaderboard.presenters.files import standings_file, table_file
from leaderboard.presenters.selection import select
from leaderboard.ranking.orders import ORDERS
from leaderboard.tables import FILE_KINDS

_PARAMETERS = [
    OpenApiParameter(
        "kind", location=OpenApiParameter.PATH, enum=list(FILE_KINDS), required=True
    ),
    SNAPSHOT,
    BENCHMARK,
    SOURCE,
    AS_OF,
    OpenApiParameter("columns", description="Optional columns, joined by commas."),
    OpenApiParameter("sort", description="A column; with - in front it falls."),
    OpenApiParameter("q", description="Words of model, provider, family or agent."),
    OpenApiParameter("family"),
    OpenApiParameter("provider"),
    OpenApiParameter("agent", description="Name of the agent, without its version."),
    OpenApiParameter("provenance"),
]


class StandingsFileView(APIView):
    content_negotiation_class = AnyAccept

    @extend_schema(
        operation_id="leaderboard_download",
        summary="The standings as CSV, JSON or Parquet",
        parameters=_PARAMETERS,
        responses={
            (HTTPStatus.OK.value, kind.media_type): OpenApiTypes.OBJECT
            if name == "json"
            else OpenApiTypes.BINARY
            for name, kind in FILE_KINDS.items()
        }
        | problems(400, 404),
    )
    def get(self, request: Request, kind: str) -> HttpResponse:
        """What the leaderboard page shows for the same query.

        First the ranked rows, then those that are not comparable. Rates come as
        numerator, denominator and quotient; what was not reported is empty. Snapshot,
        day, data version and license stand in every line.
        """
        if kind not in FILE_KINDS:
            raise Problem(
                f"There are no standings as {kind!r}. "
                f"There are: {', '.join(FILE_KINDS)}.",
                status_code=HTTPStatus.NOT_FOUND,
            )
        snapshot = requested_snapshot(request)
        if is_by_pass_rate(snapshot):
            return _pass_file(request, snapshot, kind)
        try:
            selection = select(snapshot, request._request.GET, whole=True)
        except AsOfError as error:
            raise day_problem(error) from None
        _refuse(selection.ignored)
        return standings_file(selection, kind)


def _pass_file(
    request: Request, snapshot: EvaluationSnapshot, kind: str
) -> HttpResponse:
    """The whole table; it has no columns to choose and no other order."""
    known = {"snapshot", "benchmark", "source", "as_of"}
    asked = request.query_params
    _refuse([Ignored(name, asked[name]) for name in asked if name not in known])
    table, as_of = requested_table(request, snapshot)
    with override(settings.LANGUAGE_CODE):
        flat = flat_pass_table(table, as_of, site=settings.PUBLIC_URL)
    return table_file(flat, kind)


_FIXES = {
    "as_of": "Write a day as YYYY-MM-DD.",
    "columns": f"Choose from: {', '.join(columns.LABELS)}. "
    f"Always there: {', '.join(columns.ALWAYS)}.",
    "sort": f"Choose from: {', '.join(ORDERS)}; with - before it the other way round.",
    "source": f"Choose from: {', '.join(Scope)}.",
}


def _refuse(ignored: Sequence[Ignored]) -> None:
    """A page tells what it ignored; a file cannot, so it is not made."""
    if ignored:
        names = ", ".join(f"{each.name}={each.saw}" for each in ignored)
        raise Problem(
            f"Not known here: {names}.",
            errors=[
                {
                    "code": f"unknown_{each.name}",
                    "where": f"?{each.name}",
                    "saw": each.saw,
                    "fix": _FIXES.get(
                        each.name, "Leave it out, or choose it on the page."
                    ),
                }
                for each in ignored
            ],
        )
