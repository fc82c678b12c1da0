"""The API's schema and documentation, and the end of the line below /api/."""

from __future__ import annotations

from django.urls import path, re_path

from leaderboard.api.docs import DocsView, SchemaView, UnknownView

urlpatterns = [
    path("schema/", SchemaView.as_view(), name="api-schema"),
    path("docs/", DocsView.as_view(), name="api-docs"),
    # With a slash at the end only, so that a missing one is still put right.
    re_path(r"^(?P<rest>.*)/$", UnknownView.as_view(), name="api-unknown"),
]
