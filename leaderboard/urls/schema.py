"""The API's schema and documentation, and the end of the line below /api/."""

from __future__ import annotations

from django.urls import path, re_path

from leaderboard.api.docs import DocsView, SchemaView, UnknownView

urlpatterns = [
    path("schema/", SchemaView.as_view(), name="api-schema"),
    path("docs/", DocsView.as_view(), name="api-docs"),
    re_path(r"^(?P<rest>(?s:.*))\Z", UnknownView.as_view(), name="api-unknown"),
]
