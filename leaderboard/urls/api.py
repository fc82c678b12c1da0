"""The API of what the public reads, below /api/v1/."""

from __future__ import annotations

from django.urls import path

from leaderboard.api import (
    artifacts,
    catalogue,
    compare,
    evaluations,
    failures,
    files,
    screens,
)

urlpatterns = [
    path("snapshots/", catalogue.SnapshotListView.as_view(), name="api-snapshot-list"),
    path(
        "snapshots/<slug:benchmark>/<str:version>/",
        catalogue.SnapshotDetailView.as_view(),
        name="api-snapshot",
    ),
    path("leaderboard/", catalogue.LeaderboardView.as_view(), name="api-leaderboard"),
    path(
        "leaderboard/standings.<str:kind>",
        files.StandingsFileView.as_view(),
        name="api-leaderboard-file",
    ),
    path("tasks/", catalogue.TaskListView.as_view(), name="api-task-list"),
    path(
        "tasks/<str:version>/<slug:slug>/",
        catalogue.TaskDetailView.as_view(),
        name="api-task",
    ),
    path(
        "evaluations/",
        evaluations.EvaluationListView.as_view(),
        name="api-evaluation-list",
    ),
    path(
        "evaluations/<int:pk>/",
        evaluations.EvaluationDetailView.as_view(),
        name="api-evaluation",
    ),
    path(
        "evaluations/<int:pk>/failures/",
        failures.FailureListView.as_view(),
        name="api-failure-list",
    ),
    path(
        "evaluations/<int:pk>/history/",
        evaluations.HistoryView.as_view(),
        name="api-evaluation-history",
    ),
    path(
        "evaluations/<int:pk>/runs/",
        evaluations.RunListView.as_view(),
        name="api-run-list",
    ),
    path(
        "evaluations/<int:pk>/screens/",
        screens.ScreenListView.as_view(),
        name="api-screen-list",
    ),
    path("compare/", compare.CompareView.as_view(), name="api-compare"),
    path(
        "runs/<int:pk>/results/",
        evaluations.ResultListView.as_view(),
        name="api-result-list",
    ),
    path(
        "runs/<int:pk>/artifacts.zip",
        artifacts.RunArchiveView.as_view(),
        name="api-run-archive",
    ),
    path("artifacts/<int:pk>/", artifacts.ArtifactView.as_view(), name="api-artifact"),
    path(
        "artifacts/<int:pk>/file/",
        artifacts.ArtifactFileView.as_view(),
        name="api-artifact-file",
    ),
]
