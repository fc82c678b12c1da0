"""Pages of people who submit, and of maintainers."""

from __future__ import annotations

from django.urls import path
from django.views.generic import RedirectView

from submissions.manifest_schema import SCHEMA_PATH
from submissions.views import (
    audit,
    curation,
    failure_review,
    followups,
    manifest_form,
    progress,
    review,
    submissions,
    submit,
    trajectories,
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
    path("e/<int:pk>/audit/", audit.audit, name="evaluation-audit"),
    path(
        "e/<int:pk>/runs/<int:number>/tasks/<slug:slug>/trajectory/",
        trajectories.trajectory,
        name="task-run-trajectory",
    ),
    path("review/", review.queue, name="review-queue"),
    path("review/snapshots/", curation.snapshot_list, name="curation"),
    path(
        "review/snapshots/<slug:benchmark>/<str:version>/",
        curation.snapshot,
        name="curation-snapshot",
    ),
    path(
        "review/snapshots/<slug:benchmark>/<str:version>/act/",
        curation.act,
        name="curation-act",
    ),
    path(
        "review/snapshots/<slug:benchmark>/<str:version>/tasks/<slug:slug>/",
        curation.task,
        name="curation-task",
    ),
    path(
        "review/snapshots/<slug:benchmark>/<str:version>/tasks/<slug:slug>/judge/",
        curation.judge,
        name="curation-judge",
    ),
    path("review/failures/", failure_review.agreement, name="review-agreement"),
    path("review/<uuid:uuid>/", review.review, name="review"),
    path(
        "review/<uuid:uuid>/failures/", failure_review.failures, name="review-failures"
    ),
    path(
        "review/<uuid:uuid>/failures/label/",
        failure_review.label,
        name="review-failures-label",
    ),
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
    path(
        "review/<uuid:uuid>/re-evaluate/",
        review.reevaluate,
        name="review-reevaluate",
    ),
    path("review/<uuid:uuid>/overrule/", review.overrule, name="review-overrule"),
    path("review/<uuid:uuid>/lift/", review.lift, name="review-lift"),
    path(
        "review/<uuid:uuid>/comparability/",
        review.comparability,
        name="review-comparability",
    ),
]
