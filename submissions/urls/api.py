"""The API of submissions, below /api/v1/."""

from __future__ import annotations

from django.urls import path

from submissions.api import followups, review, submissions, uploads
from submissions.resumable import views as resumable

urlpatterns = [
    path("uploads/", resumable.UploadListView.as_view(), name="api-upload-list"),
    path(
        "uploads/<uuid:pk>/", resumable.UploadSessionView.as_view(), name="api-upload"
    ),
    path("quota/", submissions.QuotaView.as_view(), name="api-quota"),
    path(
        "submissions/", uploads.SubmissionListView.as_view(), name="api-submission-list"
    ),
    path(
        "submissions/validate/",
        uploads.ValidateView.as_view(),
        name="api-submission-validate",
    ),
    path(
        "submissions/<uuid:pk>/",
        submissions.SubmissionView.as_view(),
        name="api-submission",
    ),
    path(
        "submissions/<uuid:pk>/manifest/",
        followups.ManifestView.as_view(),
        name="api-submission-manifest",
    ),
    path(
        "submissions/<uuid:pk>/rerun/",
        followups.RerunView.as_view(),
        name="api-submission-rerun",
    ),
    path(
        "submissions/<uuid:pk>/notes/",
        followups.NotesView.as_view(),
        name="api-submission-notes",
    ),
    path(
        "submissions/<uuid:pk>/cancel/",
        submissions.CancelView.as_view(),
        name="api-submission-cancel",
    ),
    path(
        "submissions/<uuid:pk>/withdraw/",
        submissions.WithdrawView.as_view(),
        name="api-submission-withdraw",
    ),
    path(
        "submissions/<uuid:pk>/publish/",
        submissions.PublishView.as_view(),
        name="api-submission-publish",
    ),
    path(
        "submissions/<uuid:pk>/decisions/",
        review.DecisionView.as_view(),
        name="api-submission-decide",
    ),
    path(
        "submissions/<uuid:pk>/answer/",
        review.AnswerView.as_view(),
        name="api-submission-answer",
    ),
    path(
        "submissions/<uuid:pk>/appeal/",
        review.AppealView.as_view(),
        name="api-submission-appeal",
    ),
]
