"""What its people do with a submission afterwards, through the API."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.lookup import answers
from submissions.api.own import OwnView, own_submission
from submissions.manifest import reusable
from submissions.serializers import ManifestSerializer


class ManifestView(OwnView):
    @extend_schema(
        operation_id="submissions_manifest",
        summary="The manifest of a submission",
        responses=answers(ManifestSerializer, 401, 404),
    )
    def get(self, request: Request, pk: UUID) -> Response:
        """To begin another bundle from; see the schema of the manifest for its fields.

        Without what a conversion wrote: it would be of other files.
        """
        return Response(reusable(own_submission(request, pk).manifest))
