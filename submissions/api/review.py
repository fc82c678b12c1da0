"""Reviews through the API: decisions of maintainers, answers and appeals."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema
from rest_framework import permissions, serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from evaluator.errors import NotPossibleError
from leaderboard.api.lookup import answers
from leaderboard.api.problems import Problem
from submissions.api.own import OwnView, own_submission, user_of
from submissions.models import Scope, Submission
from submissions.review import appeals, decisions, messages, overrulings
from submissions.review.independence import is_of_the_team
from submissions.serializers import PublishSerializer, SubmissionSerializer
from submissions.transitions import Act


class DecisionSerializer(PublishSerializer):
    act = serializers.ChoiceField(
        choices=[each.value for each in decisions.DECISIONS],
        help_text="`reopen` takes a rejected submission up again; `reinstate` undoes a "
        "disqualification. Every act but `publish` needs a reason.",
    )


class TextSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(max_length=4000)


class AppealSerializer(TextSerializer):
    run = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=1000,
        help_text="With `task`: against the overruling of this task run.",
    )
    task = serializers.CharField(required=False, max_length=200)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("run" in attrs) != ("task" in attrs):
            raise serializers.ValidationError("Give run and task, or neither.")
        return attrs


class DecisionView(OwnView):
    permission_classes = [*OwnView.permission_classes, permissions.IsAdminUser]
    unsafe_scope = Scope.MAINTAIN

    @extend_schema(
        operation_id="submissions_decide",
        summary="Decide about a submission",
        request=DecisionSerializer,
        responses={
            HTTPStatus.ACCEPTED.value: SubmissionSerializer,
            **answers(SubmissionSerializer, 400, 401, 403, 404, 409),
        },
    )
    def post(self, request: Request, pk: UUID) -> Response:
        """For maintainers. 202 where another one must confirm it on the review page."""
        form = DecisionSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        found = own_submission(request, pk)
        try:
            proposal = decisions.decide(
                found,
                Act(form.validated_data["act"]),
                by=user_of(request),
                reason=form.validated_data["reason"],
                public_from=form.validated_data["public_from"],
            )
        except NotPossibleError as error:
            raise Problem(str(error), status_code=HTTPStatus.CONFLICT) from None
        status = HTTPStatus.ACCEPTED if proposal else HTTPStatus.OK
        return Response(SubmissionSerializer(found).data, status=status)


class AnswerView(OwnView):
    @extend_schema(
        operation_id="submissions_answer",
        summary="Answer a question of the maintainers",
        request=TextSerializer,
        responses=answers(SubmissionSerializer, 400, 401, 403, 404, 409),
    )
    def post(self, request: Request, pk: UUID) -> Response:
        """The submission is under review again."""
        return _say(request, pk, messages.answer)


class AppealView(OwnView):
    @extend_schema(
        operation_id="submissions_appeal",
        summary="Appeal against a decision",
        request=AppealSerializer,
        responses=answers(SubmissionSerializer, 400, 401, 403, 404, 409),
    )
    def post(self, request: Request, pk: UUID) -> Response:
        """Once against each rejection and disqualification, and each overruling of a
        task run.
        """
        return _say(request, pk, _appeal, AppealSerializer)


def _appeal(found: Submission, *, by: User, **given: Any) -> None:
    act = overrulings.appeal if "task" in given else appeals.appeal
    act(found, by=by, **given)


def _say(
    request: Request,
    pk: UUID,
    act: Callable[..., object],
    kind: type[TextSerializer] = TextSerializer,
) -> Response:
    """An act of those whose submission it is; maintainers of others only look on."""
    form = kind(data=request.data)
    form.is_valid(raise_exception=True)
    found, user = own_submission(request, pk), user_of(request)
    if not is_of_the_team(user, found):
        raise PermissionDenied("Only those who submitted it may do this.")
    try:
        act(found, by=user, **form.validated_data)
    except NotPossibleError as error:
        raise Problem(str(error), status_code=HTTPStatus.CONFLICT) from None
    found.refresh_from_db()
    return Response(SubmissionSerializer(found).data)
