"""Pages of people who submit, and of maintainers."""

from __future__ import annotations

from django.urls import path
from django.views.generic import RedirectView

from submissions.manifest_schema import SCHEMA_PATH
from submissions.views import (
    followups,
    manifest_form,
    progress,
    review,
    submissions,
    submit,
)

urlpatterns = [
    path("submit/", submit.submit, name="submit"),
    path("submit/manifest/", manifest_form.manifest_form, name="manifest-form"),
    path("submit/manifest.json", submit.manifest_example, name="manifest-example"),
    path(
        "submit/manifest.schema.json",
        RedirectView.as_view(url=SCHEMA_PATH, permanent=True),
        name="manifest-schema-before",
    ),
    path("submissions/", submissions.submission_list, name="submission-list"),
    path("submissions/<uuid:uuid>/", submissions.submission, name="submission"),
    path(
        "submissions/<uuid:uuid>/progress.json",
        progress.progress,
        name="submission-progress",
    ),
    path(
        "submissions/<uuid:uuid>/manifest.json",
        followups.manifest,
        name="submission-manifest",
    ),
    path("submissions/<uuid:uuid>/rerun/", followups.rerun, name="submission-rerun"),
    path("submissions/<uuid:uuid>/notes/", followups.notes, name="submission-notes"),
    path(
        "submissions/<uuid:uuid>/cancel/", submissions.cancel, name="submission-cancel"
    ),
    path(
        "submissions/<uuid:uuid>/answer/", submissions.answer, name="submission-answer"
    ),
    path(
        "submissions/<uuid:uuid>/appeal/", submissions.appeal, name="submission-appeal"
    ),
    path(
        "submissions/<uuid:uuid>/withdraw/",
        submissions.withdraw,
        name="submission-withdraw",
    ),
    path("review/", review.queue, name="review-queue"),
    path("review/<uuid:uuid>/", review.review, name="review"),
    path("review/<uuid:uuid>/decide/", review.decide, name="review-decide"),
    path(
        "review/<uuid:uuid>/proposals/<int:proposal>/",
        review.settle,
        name="review-settle",
    ),
    path("review/<uuid:uuid>/appeal/", review.answer_appeal, name="review-appeal"),
    path("review/<uuid:uuid>/messages/", review.write, name="review-write"),
    path(
        "review/<uuid:uuid>/signals/<int:signal>/",
        review.verdict,
        name="review-verdict",
    ),
    path("review/<uuid:uuid>/overrule/", review.overrule, name="review-overrule"),
]
