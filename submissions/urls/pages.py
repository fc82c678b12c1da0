"""Pages of people who submit, and of maintainers."""

from __future__ import annotations

from django.urls import path
from django.views.generic import RedirectView

from submissions.manifest_schema import SCHEMA_PATH
from submissions.views import followups, progress, submissions, submit

urlpatterns = [
    path("submit/", submit.submit, name="submit"),
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
        "submissions/<uuid:uuid>/publish/",
        submissions.publish,
        name="submission-publish",
    ),
    path(
        "submissions/<uuid:uuid>/reject/",
        submissions.reject,
        name="submission-reject",
    ),
    path(
        "submissions/<uuid:uuid>/withdraw/",
        submissions.withdraw,
        name="submission-withdraw",
    ),
]
