"""What a request names, or a problem that says what it could have named."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from leaderboard.api.problems import Problem, ProblemSerializer
from leaderboard.as_of import AsOf, AsOfError, day_from, standings_day, today
from leaderboard.current import current_of, listed_snapshots, newest_of
from leaderboard.metrics import Scope
from leaderboard.models import Evaluation, EvaluationSnapshot, TaskSource
from leaderboard.snapshots import (
    ScopeLookupError,
    SnapshotLookupError,
    scope_by_name,
    snapshot_by_version,
)
from leaderboard.sources import sources_of
from leaderboard.visibility import can_view

SNAPSHOT = OpenApiParameter(
    "snapshot",
    description="Version of a snapshot; it may be cut short where it stays unique. "
    "Without it, the snapshot that the home page shows.",
)
BENCHMARK = OpenApiParameter(
    "benchmark",
    description="Slug of a benchmark, such as android-bench. Without a snapshot, its "
    "newest one with results.",
)
SOURCE = OpenApiParameter(
    "source",
    description="Overall or one task source: "
    f"{', '.join(Scope)}. Of a benchmark by pass rate: overall or a stream.",
)

TASK_SOURCE = OpenApiParameter(
    "source",
    description=f"One task source: {', '.join(TaskSource)}. Of a benchmark by pass "
    "rate: a stream.",
)
AS_OF = OpenApiParameter(
    "as_of",
    OpenApiTypes.DATE,
    description="Standings as they were at the end of that day (UTC).",
)

PROBLEM_TYPE = "application/problem+json"


# A request that no operation can use: an address with a NUL, a token that is not valid
# or not for this, no JSON wanted, too many requests.
_EVERYWHERE = (400, 401, 403, 406, 429)


def answers(serializer: Any, *status_codes: int) -> dict[Any, Any]:
    """The responses of an operation for its documentation."""
    return {HTTPStatus.OK.value: serializer, **problems(*status_codes)}


def problems(*status_codes: int) -> dict[Any, Any]:
    """The errors of an operation for its documentation; the usual ones go without."""
    codes = sorted({*_EVERYWHERE, *status_codes})
    return {(code, PROBLEM_TYPE): ProblemSerializer for code in codes}


def requested_snapshot(
    request: Request, *, among: list[EvaluationSnapshot] | None = None
) -> EvaluationSnapshot:
    """The one of ``?snapshot=`` among the listed ones (one query), or the current.

    ``?benchmark=`` narrows the choice.
    """
    snapshots = listed_snapshots() if among is None else among
    benchmark = request.query_params.get("benchmark", "")
    if benchmark:
        known = sorted({each.benchmark.slug for each in snapshots})
        if benchmark not in known:
            raise wrong_choice("benchmark", benchmark, known)
        snapshots = [each for each in snapshots if each.benchmark.slug == benchmark]
    text = request.query_params.get("snapshot", "")
    try:
        found = (
            snapshot_by_version(text, among=snapshots)
            if text
            else newest_of(snapshots)
            if benchmark
            else current_of(snapshots)
        )
    except SnapshotLookupError as error:
        raise Problem(
            str(error),
            status_code=HTTPStatus.NOT_FOUND,
            errors=[
                {
                    "code": "unknown_snapshot",
                    "where": "?snapshot",
                    "saw": text,
                    "fix": f"Use one of: {_versions(snapshots)}.",
                }
            ],
        ) from None
    if found is None:
        raise Problem("No snapshot is public yet.", status_code=HTTPStatus.NOT_FOUND)
    return found


def requested_scope(request: Request, snapshot: EvaluationSnapshot) -> Scope:
    """The scope of ``?source=``, overall without it."""
    text = request.query_params.get("source") or Scope.OVERALL.value
    try:
        return scope_by_name(text, snapshot=snapshot)
    except ScopeLookupError as error:
        known = [row.scope for row in snapshot.scope_rows]
        raise wrong_choice("source", text, known, detail=str(error)) from None


def requested_source(request: Request, snapshot: EvaluationSnapshot) -> str:
    """The task source or stream of ``?source=``, empty without it."""
    source = str(request.query_params.get("source", ""))
    if source:
        known = [slug for slug, _ in sources_of(snapshot)]
        if source not in known:
            raise wrong_choice("source", source, known)
    return source


def requested_day(request: Request, snapshot: EvaluationSnapshot) -> AsOf | None:
    """The day of ``?as_of=``, None without it; one query where it is given."""
    text = request.query_params.get("as_of", "")
    if not text:
        return None
    day = day_from(text)
    if day is None:
        raise Problem(
            f"?as_of= cannot be {text!r}.",
            errors=[
                {
                    "code": "not_a_day",
                    "where": "?as_of",
                    "saw": text,
                    "fix": f"Write a day as YYYY-MM-DD, such as {today()}.",
                }
            ],
        )
    try:
        return standings_day(snapshot, day)
    except AsOfError as error:
        raise day_problem(error) from None


def day_problem(error: AsOfError) -> Problem:
    """The problem that a day has no standings."""
    first = error.first
    fix = f"Use a day from {first} to {today()}." if first else "Leave it out."
    return Problem(
        str(error),
        status_code=HTTPStatus.NOT_FOUND,
        errors=[
            {
                "code": "no_standings_of_that_day",
                "where": "?as_of",
                "saw": error.day.isoformat(),
                "fix": fix,
            }
        ],
    )


def wrong_choice(name: str, saw: str, known: list[str], *, detail: str = "") -> Problem:
    """The problem that a query parameter has a value it cannot have."""
    choices = ", ".join(known)
    return Problem(
        detail or f"?{name}= cannot be {saw!r}.",
        errors=[
            {
                "code": f"unknown_{name}",
                "where": f"?{name}",
                "saw": saw,
                "fix": f"Use one of: {choices}.",
            }
        ],
    )


def viewable_evaluation(
    request: Request, evaluations: QuerySet[Evaluation], **conditions: Any
) -> Evaluation:
    """The evaluation that fits, if the user may read it.

    The same answer for one that does not exist and for one that is private.
    """
    found = evaluations.filter(**conditions).first()
    if found is None or not can_view(request.user, found):
        raise Problem(
            "There is no such evaluation, or it is not public.",
            status_code=HTTPStatus.NOT_FOUND,
        )
    return found


def _versions(snapshots: list[EvaluationSnapshot]) -> str:
    return ", ".join(each.version for each in snapshots) or "none"
