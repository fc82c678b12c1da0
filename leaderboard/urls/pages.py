"""Pages that anybody may read."""

from __future__ import annotations

from django.urls import path

from leaderboard.views import (
    artifacts,
    compare,
    configurations,
    evaluations,
    explore,
    feed,
    share,
    standings,
    tasks,
    texts,
)

urlpatterns = [
    path("", standings.home, name="home"),
    path("s/<slug:benchmark>/<version>/", standings.snapshot, name="snapshot"),
    path("snapshots/", standings.snapshot_list, name="snapshot-list"),
    path("tasks/", tasks.task_list, name="task-list"),
    path("tasks/<version>/<slug:slug>/", tasks.task, name="task"),
    path("c/<int:pk>/", configurations.configuration, name="configuration"),
    path("e/<int:pk>/", evaluations.evaluation, name="evaluation"),
    path("e/<int:pk>/badge.svg", share.evaluation_badge, name="evaluation-badge"),
    path("explore/", explore.explore, name="explore"),
    path("embed/<slug:benchmark>/<version>/", share.embed, name="embed"),
    path("feed.atom", feed.feed, name="feed"),
    path("e/<int:pk>/runs/<int:number>/", evaluations.run, name="run"),
    path(
        "e/<int:pk>/runs/<int:number>/artifacts.zip",
        artifacts.run_archive,
        name="run-archive",
    ),
    path(
        "e/<int:pk>/runs/<int:number>/tasks/<slug:slug>/",
        evaluations.task_run,
        name="task-run",
    ),
    path("artifacts/<int:pk>/", artifacts.artifact, name="artifact"),
    path("compare/", compare.compare, name="compare"),
    path("benchmark/", texts.benchmark, name="benchmark"),
    path("benchmark/changes/", texts.snapshot_changes, name="snapshot-changes"),
    path("methodology/", texts.methodology, name="methodology"),
    path("about/", texts.about, name="about"),
]
