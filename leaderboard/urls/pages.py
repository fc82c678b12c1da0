"""Pages that anybody may read."""

from __future__ import annotations

from django.urls import path

from leaderboard.views import (
    artifacts,
    bar_figures,
    compare,
    configurations,
    evaluations,
    explore,
    failures,
    feed,
    figures,
    share,
    standings,
    tasks,
    texts,
)

urlpatterns = [
    path("", standings.home, name="home"),
    path("s/<slug:benchmark>/<version>/", standings.snapshot, name="snapshot"),
    path(
        "s/<slug:benchmark>/<version>/figures/<slug:figure>.<slug:kind>",
        figures.figure_file,
        name="figure-file",
    ),
    path(
        "s/<slug:benchmark>/<version>/failures/",
        failures.across,
        name="snapshot-failures",
    ),
    path("snapshots/", standings.snapshot_list, name="snapshot-list"),
    path("tasks/", tasks.task_list, name="task-list"),
    path("tasks/<version>/<slug:slug>/", tasks.task, name="task"),
    path("c/<int:pk>/", configurations.configuration, name="configuration"),
    path("e/<int:pk>/", evaluations.evaluation, name="evaluation"),
    path("e/<int:pk>/failures/", failures.failures, name="evaluation-failures"),
    path(
        "e/<int:pk>/failures.csv",
        failures.failures_file,
        name="evaluation-failures-file",
    ),
    path("e/<int:pk>/badge.svg", share.evaluation_badge, name="evaluation-badge"),
    path(
        "e/<int:pk>/figures/<slug:figure>.<slug:kind>",
        bar_figures.evaluation_figure,
        name="evaluation-figure",
    ),
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
    path("benchmark/data.csv", texts.benchmark_data, name="benchmark-data"),
    path(
        "benchmark/figures/<slug:figure>.<slug:kind>",
        bar_figures.benchmark_figure,
        name="benchmark-figure",
    ),
    path("benchmark/changes/", texts.snapshot_changes, name="snapshot-changes"),
    path("methodology/", texts.methodology, name="methodology"),
    path("about/", texts.about, name="about"),
]
