"""What all endpoints for people with a token share."""

from __future__ import annotations

from django.contrib.auth.models import User
from rest_framework import permissions
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView

from submissions.accounts.api_access import TokenScope


class OwnView(APIView):
    """For people with a token whose scopes allow it."""

    permission_classes = [permissions.IsAuthenticated, TokenScope]


def user_of(request: Request) -> User:
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user
