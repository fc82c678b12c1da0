"""What its people do with a submission afterwards, through the API."""

from __future__ import annotations

from http import HTTPStatus
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.lookup import answers, problems
from leaderboard.api.problems import Problem
from submissions import followups
from submissions.api.idempotency import IDEMPOTENCY_KEY, key_of, key_reused
from submissions.api.own import OwnView, own_submission, user_of
from submissions.api.refusals import refused
from submissions.findings import Report
from submissions.intake import Receipt
from submissions.manifest import reusable
from submissions.serializers import (
    ManifestSerializer,
    NotesSerializer,
    ReasonSerializer,
    SubmissionSerializer,
)


class RerunView(OwnView):
    @extend_schema(
        operation_id="submissions_rerun",
        summary="Evaluate the same files again",
        parameters=[IDEMPOTENCY_KEY],
        request=ReasonSerializer,
        responses={
            HTTPStatus.CREATED.value: SubmissionSerializer,
            **problems(400, 401, 404, 409, 422, 429),
        },
    )
    def post(self, request: Request, pk: UUID) -> Response:
        """A new submission with an evaluation of its own, linked to the original.

        Nothing of the original changes. It needs a reason, which is public. It counts
        for the quota of whoever asks, and of the team.
        """
        found, user = own_submission(request, pk), user_of(request)
        form = ReasonSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        reason, key = form.validated_data["reason"], key_of(request)
        try:
            again = followups.rerun(found, by=user, reason=reason, idempotency_key=key)
        except followups.OverQuotaError as error:
            receipt = Receipt(None, Report(error.findings))
            raise refused(receipt, user) from None
        except followups.KeyReusedError as error:
            raise key_reused(str(error), key, "act") from None
        except followups.NotPossibleError as error:
            raise Problem(str(error), status_code=HTTPStatus.CONFLICT) from None
        data = SubmissionSerializer(again).data
        headers = {"Location": data["url"]}
        return Response(data, status=HTTPStatus.CREATED, headers=headers)


class NotesView(OwnView):
    @extend_schema(
        operation_id="submissions_notes",
        summary="Write the notes of a submission",
        request=NotesSerializer,
        responses=answers(SubmissionSerializer, 400, 401, 404),
    )
    def post(self, request: Request, pk: UUID) -> Response:
        """The public note stands on the evaluation; the private one is yours."""
        found, user = own_submission(request, pk), user_of(request)
        form = NotesSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        given = form.validated_data
        followups.write_notes(
            found,
            by=user,
            public=given.get("public_note", found.evaluation.submitter_note),
            private=given.get("private_note", found.private_note),
        )
        return Response(SubmissionSerializer(own_submission(request, pk)).data)


class ManifestView(OwnView):
    @extend_schema(
        operation_id="submissions_manifest",
        summary="The manifest of a submission",
        responses=answers(ManifestSerializer, 404),
    )
    def get(self, request: Request, pk: UUID) -> Response:
        """To begin another bundle from; see the schema of the manifest for its fields.

        Without what a conversion wrote: it would be of other files.
        """
        return Response(reusable(own_submission(request, pk).manifest))
