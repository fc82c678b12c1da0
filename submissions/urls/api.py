"""The API of submissions, below /api/v1/."""

from __future__ import annotations

from django.urls import path

from submissions import api

urlpatterns = [
    path("submissions/", api.SubmissionListView.as_view(), name="api-submission-list"),
    path(
        "submissions/validate/",
        api.ValidateView.as_view(),
        name="api-submission-validate",
    ),
    path(
        "submissions/<uuid:pk>/",
        api.SubmissionView.as_view(),
        name="api-submission",
    ),
    path(
        "submissions/<uuid:pk>/cancel/",
        api.CancelView.as_view(),
        name="api-submission-cancel",
    ),
    path(
        "submissions/<uuid:pk>/publish/",
        api.PublishView.as_view(),
        name="api-submission-publish",
    ),
]
