"""The endpoint that compares evaluations; its numbers are those of the page."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import (
    OpenApiParameter,
    PolymorphicProxySerializer,
    extend_schema,
)
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from leaderboard.api.compare_serializers import (
    CompareSerializer,
    PassCompareSerializer,
)
from leaderboard.api.documents import evaluation_as_dict
from leaderboard.api.lookup import answers, wrong_choice
from leaderboard.api.problems import Problem, ProblemItem
from leaderboard.comparison import (
    LETTERS,
    Choice,
    Comparison,
    Fault,
    Pair,
    PassComparison,
    TaskCounts,
    chosen_evaluations,
    compare,
    compare_by_pass_rate,
)
from leaderboard.models import ScoringPolicy
from leaderboard.paired import PairTable, Rule

_FIXES: Mapping[str, str] = {
    "not_a_number": "Give the id of an evaluation, as /api/v1/evaluations/ lists it.",
    "unknown": "Use the id of a public evaluation, or of one of your own.",
    "twice": "Name each evaluation once.",
    "too_many": "Name four at most.",
    "by_pass_rate": "Leave it out, or the others. It is ranked by pass rate, and only "
    "measures of one kind are compared.",
}


_ANY_COMPARISON = PolymorphicProxySerializer(
    component_name="AnyComparison",
    serializers=[CompareSerializer, PassCompareSerializer],
    resource_type_field_name=None,
)


class CompareView(APIView):
    @extend_schema(
        operation_id="compare_retrieve",
        summary="Two to four evaluations side by side",
        parameters=[
            *(
                OpenApiParameter(letter, int, description="Id of an evaluation.")
                for letter in LETTERS
            ),
            OpenApiParameter(
                "by",
                enum=list(Rule),
                description="When a task counts as completed: in most of its runs "
                "(the default), in any, or in all.",
            ),
        ],
        responses=answers(_ANY_COMPARISON, 404),
    )
    def get(self, request: Request) -> Response:
        """Differences only under equal conditions; tasks only where they are held.

        Evaluations by pass rate are compared among themselves, by their totals.
        """
        text = request.query_params.get("by") or Rule.MAJORITY.value
        if text not in list(Rule):
            raise wrong_choice("by", text, list(Rule))
        choice = chosen_evaluations(request.query_params, request.user)
        if choice.faults or len(choice.members) < 2:
            raise _problem(choice)
        if choice.by_pass_rate:
            rates = compare_by_pass_rate(choice.members)
            return Response(PassCompareSerializer(pass_comparison_as_dict(rates)).data)
        found = compare(choice.members, Rule(text))
        return Response(CompareSerializer(comparison_as_dict(found)).data)


def _problem(choice: Choice) -> Problem:
    errors = [_item(fault) for fault in choice.faults]
    named = len(choice.members) + len(errors)
    if named < 2:
        errors.append(
            {
                "code": "too_few",
                "where": "?a, ?b",
                "saw": str(named),
                "fix": "Name at least two evaluations.",
            }
        )
    missing = all(each["code"] in {"unknown", "struck_out"} for each in errors)
    return Problem(
        "These evaluations cannot be compared; see the list of errors.",
        status_code=HTTPStatus.NOT_FOUND if missing else HTTPStatus.BAD_REQUEST,
        errors=errors,
    )


def _item(fault: Fault) -> ProblemItem:
    fix = _FIXES.get(fault.code) or f"Leave it out. It is struck out: {fault.reason}"
    return {
        "code": fault.code,
        "where": f"?{fault.where}",
        "saw": fault.saw,
        "fix": fix,
    }


def comparison_as_dict(found: Comparison) -> dict[str, Any]:
    """Rates are fractions of 1; what is not held is null or empty."""
    held = [each for each in found.members if each.outcomes is not None]
    return {
        "by": found.rule.value,
        "same_conditions": found.same_conditions,
        "differing_fields": list(found.differing),
        "no_verdict_because": list(found.obstacles),
        "evaluations": {
            each.letter: evaluation_as_dict(each.evaluation) for each in found.members
        },
        "without_task_results": [each.letter for each in found.without_tasks],
        "pairs": [_pair_as_dict(pair) for pair in found.pairs],
        "tasks": [
            {
                "task": task.slug,
                "source": task.source,
                "completed_runs": {
                    each.letter: each.completed_runs(task) for each in held
                },
            }
            for task in found.tasks
        ],
    }


def pass_comparison_as_dict(found: PassComparison) -> dict[str, Any]:
    """Rates are fractions of 1; what is not known is null."""
    return {
        "policy": ScoringPolicy.PASS_AND_COMPLETION.value,
        "same_conditions": found.same_conditions,
        "differing_fields": list(found.differing),
        "no_verdict_because": list(found.obstacles),
        "evaluations": {
            each.letter: evaluation_as_dict(each.evaluation) for each in found.members
        },
        "pairs": [
            {
                "first": pair.first.letter,
                "second": pair.second.letter,
                "differences": {
                    each.scope: {
                        "pass_rate": float(each.pass_rate),
                        "completion_rate": None
                        if each.completion_rate is None
                        else float(each.completion_rate),
                        "intervals": each.intervals,
                    }
                    for each in pair.differences
                },
            }
            for pair in found.pairs
        ],
        "not_compared": list(found.missing),
    }


def _pair_as_dict(pair: Pair) -> dict[str, Any]:
    return {
        "first": pair.first.letter,
        "second": pair.second.letter,
        "differences": {
            each.scope.value: {
                "completed": each.completed,
                "task_completion": float(each.task_completion),
                "run_ranges": each.overlap,
            }
            for each in pair.differences
        },
        "tasks": _table_as_dict(pair.table),
        "sources": {each.name: _counts_as_dict(each) for each in pair.sources},
        "kits": {each.name: _counts_as_dict(each) for each in pair.kits},
        "paired_analysis": _analysis_as_dict(pair),
    }


def _table_as_dict(table: PairTable | None) -> dict[str, int] | None:
    return None if table is None else {"task_count": sum(table), **table._asdict()}


def _counts_as_dict(found: TaskCounts) -> dict[str, Any]:
    return {
        "first_completed": found.first_completed,
        "second_completed": found.second_completed,
        "tasks": _table_as_dict(found.table),
    }


def _analysis_as_dict(pair: Pair) -> dict[str, Any] | None:
    if pair.mcnemar is None:
        return None
    return {
        "majority": _table_as_dict(pair.majority),
        "mcnemar_p": float(pair.mcnemar),
        "bootstrap_95": {
            "low": float(pair.bootstrap.low),
            "high": float(pair.bootstrap.high),
        }
        if pair.bootstrap
        else None,
    }
