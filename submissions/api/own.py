"""What all endpoints for people with a token share."""

from __future__ import annotations

from http import HTTPStatus
from uuid import UUID

from django.contrib.auth.models import User
from rest_framework import permissions
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView

from leaderboard.api.problems import Problem
from submissions.accounts.api_access import TokenScope
from submissions.models import Submission


class OwnView(APIView):
    """For people with a token whose scopes allow it."""

    permission_classes = [permissions.IsAuthenticated, TokenScope]


def own_submission(request: Request, pk: UUID) -> Submission:
    """The same answer for a submission of others as for none."""
    found = Submission.objects.visible_to(request.user).filter(pk=pk).first()
    if found is None:
        raise Problem("You have no such submission.", status_code=HTTPStatus.NOT_FOUND)
    return found


def user_of(request: Request) -> User:
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user
