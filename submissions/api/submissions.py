"""One submission through the API: follow, cancel, publish; and the quota."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import permissions
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.lookup import answers
from leaderboard.api.problems import Problem
from submissions import services
from submissions.accounts import quota
from submissions.api.own import OwnView, own_submission, user_of
from submissions.models import Scope, Submission
from submissions.progress_serializers import SubmissionDetailSerializer
from submissions.serializers import (
    PublishSerializer,
    QuotasSerializer,
    ReasonSerializer,
    SubmissionSerializer,
)


class SubmissionView(OwnView):
    @extend_schema(
        operation_id="submissions_retrieve",
        summary="One submission and its progress",
        responses=answers(SubmissionDetailSerializer, 404),
    )
    def get(self, request: Request, pk: UUID) -> Response:
        """Counts of task runs are partial while the evaluation goes on."""
        return Response(SubmissionDetailSerializer(own_submission(request, pk)).data)


class CancelView(OwnView):
    @extend_schema(
        operation_id="submissions_cancel",
        summary="Cancel a submission",
        request=ReasonSerializer,
        responses=answers(SubmissionSerializer, 404, 409, 415),
    )
    def post(self, request: Request, pk: UUID) -> Response:
        """Stops the evaluation; what is running ends at its next heartbeat."""
        found = own_submission(request, pk)
        form = ReasonSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        act = partial(services.cancel, reason=form.validated_data["reason"])
        return _act(request, found, act)


class WithdrawView(OwnView):
    @extend_schema(
        operation_id="submissions_withdraw",
        summary="Withdraw a result",
        request=ReasonSerializer,
        responses=answers(SubmissionSerializer, 400, 401, 404, 409),
    )
    def post(self, request: Request, pk: UUID) -> Response:
        """For good. A published row stays, struck out, and the reason with it."""
        found = own_submission(request, pk)
        form = ReasonSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        act = partial(services.withdraw, reason=form.validated_data["reason"])
        return _act(request, found, act)


class PublishView(OwnView):
    permission_classes = [*OwnView.permission_classes, permissions.IsAdminUser]
    unsafe_scope = Scope.MAINTAIN

    @extend_schema(
        operation_id="submissions_publish",
        summary="Publish a result",
        request=PublishSerializer,
        responses=answers(SubmissionSerializer, 404, 409, 415),
    )
    def post(self, request: Request, pk: UUID) -> Response:
        """For maintainers; refused while any task run is not scored."""
        found = own_submission(request, pk)
        form = PublishSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        act = partial(
            services.publish,
            note=form.validated_data["reason"],
            public_from=form.validated_data["public_from"],
        )
        return _act(request, found, act)


class QuotaView(OwnView):
    @extend_schema(
        operation_id="quota_retrieve",
        summary="What you and your teams may still submit",
        responses=answers(QuotasSerializer),
    )
    def get(self, request: Request) -> Response:
        """Checks, samples and what was refused are never counted."""
        user = user_of(request)
        document = {
            "unlimited": quota.is_unlimited(user),
            "results": quota.quotas_of(user),
        }
        return Response(QuotasSerializer(document).data)


def _act(request: Request, found: Submission, act: Callable[..., None]) -> Response:
    try:
        act(found, by=request.user)
    except services.NotPossibleError as error:
        raise Problem(str(error), status_code=HTTPStatus.CONFLICT) from None
    return Response(SubmissionSerializer(found).data)
