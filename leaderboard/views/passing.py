"""Pages of benchmarks that rank by pass rate, at the addresses of all the others."""

from __future__ import annotations

import csv
from http import HTTPStatus
from io import StringIO

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboard.as_of import AsOfError
from leaderboard.current import changelog
from leaderboard.models import Evaluation, EvaluationSnapshot
from leaderboard.models.texts import in_language
from leaderboard.presenters.admission import admission_facts
from leaderboard.presenters.bar_figures import file_links
from leaderboard.presenters.pass_evaluation import pass_evaluation_page
from leaderboard.presenters.passing import (
    pass_page,
    quoted_figures,
    stream_rows,
    task_count,
)
from leaderboard.presenters.share import badge_snippets
from leaderboard.tables import safe_cell


def leaderboard(
    request: HttpRequest,
    snapshot: EvaluationSnapshot,
    *,
    others: list[EvaluationSnapshot],
    elsewhere: list[EvaluationSnapshot],
) -> HttpResponse:
    """AsOfError where the query names a day without standings."""
    context = {
        "section": "leaderboard",
        "page": pass_page(snapshot, request.GET),
        "others": others,
        "elsewhere": elsewhere,
    }
    return render(request, "leaderboard/passing/standings.html", context)


def embed(request: HttpRequest, snapshot: EvaluationSnapshot) -> HttpResponse:
    template = "leaderboard/passing/embed.html"
    try:
        page = pass_page(snapshot, request.GET)
    except AsOfError as error:
        context = {"snapshot": snapshot, "error": error}
        return render(request, template, context, status=HTTPStatus.NOT_FOUND)
    return render(request, template, {"page": page})


def evaluation(
    request: HttpRequest, found: Evaluation, *, lineage: list[Evaluation]
) -> HttpResponse:
    context = {
        "page": pass_evaluation_page(found),
        "files": file_links(["progress"], found.get_absolute_url()),
        "lineage": lineage,
        "share": badge_snippets(found) if found.is_public else None,
    }
    return render(request, "leaderboard/passing/evaluation.html", context)


def benchmark(
    request: HttpRequest,
    snapshot: EvaluationSnapshot,
    *,
    snapshots: list[EvaluationSnapshot],
) -> HttpResponse:
    streams = list(snapshot.streams.all())
    context = {
        "section": "benchmark",
        "snapshot": snapshot,
        "snapshots": snapshots,
        "streams": stream_rows(streams),
        "task_count": task_count(snapshot, streams),
        "source": snapshot.composition.get("source", {}),
        "note": in_language(snapshot.composition.get("note", {})),
        "quoted": quoted_figures(snapshot, streams),
        "admission": admission_facts(snapshot),
        "changelog": changelog(snapshots, snapshot.benchmark_id),
    }
    return render(request, "leaderboard/passing/benchmark.html", context)


def benchmark_csv(snapshot: EvaluationSnapshot) -> str:
    """The streams with their tasks; an empty cell was not published."""
    buffer = StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    header = ("stream", "tasks", "lines_low", "lines_high", "files_low", "files_high")
    writer.writerow(header)
    for each in snapshot.streams.all():
        lines = each.facts.get("lines") or (None, None)
        files = each.facts.get("files") or (None, None)
        cells = (each.slug, each.task_count, *lines, *files)
        writer.writerow([safe_cell(cell) for cell in cells])
    return buffer.getvalue()


def task_list(
    request: HttpRequest,
    snapshot: EvaluationSnapshot,
    *,
    snapshots: list[EvaluationSnapshot],
) -> HttpResponse:
    """For a snapshot whose tasks are not held."""
    context = {
        "section": "tasks",
        "snapshot": snapshot,
        "snapshots": snapshots,
        "task_count": task_count(snapshot, list(snapshot.streams.all())),
    }
    return render(request, "leaderboard/passing/task_list.html", context)
