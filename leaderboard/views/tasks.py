"""Tasks: the list of a snapshot's tasks and the page of one."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from leaderboard.current import listed_snapshots, snapshot_of_version
from leaderboard.models import UNLISTED, Task
from leaderboard.passing.standings import is_by_pass_rate
from leaderboard.presenters.task_page import task_page
from leaderboard.presenters.tasks import task_list_page
from leaderboard.views import passing


@require_safe
def task_list(request: HttpRequest) -> HttpResponse:
    snapshots = listed_snapshots()
    if not snapshots:
        return render(request, "leaderboard/empty.html")
    snapshot = snapshot_of_version(snapshots, request.GET.get("snapshot", ""))
    if is_by_pass_rate(snapshot) and not snapshot.tasks.exists():
        return passing.task_list(request, snapshot, snapshots=snapshots)
    context = {
        "section": "tasks",
        "page": task_list_page(snapshot, request.GET),
        "snapshots": snapshots,
        "with_tasks": _with_tasks(snapshot.pk),
    }
    return render(request, "leaderboard/task_list.html", context)


@require_safe
def task(request: HttpRequest, version: str, slug: str) -> HttpResponse:
    snapshot = snapshot_of_version(listed_snapshots(), version)
    found = get_object_or_404(
        Task.objects.select_related("snapshot__benchmark"), snapshot=snapshot, slug=slug
    )
    context = {"section": "tasks", "page": task_page(found, request.GET)}
    return render(request, "leaderboard/task.html", context)


def _with_tasks(current: int) -> list[str]:
    """Versions of other public snapshots whose tasks are held."""
    return list(
        Task.objects.exclude(snapshot=current)
        .exclude(snapshot__status__in=UNLISTED)
        .order_by("snapshot__version")
        .values_list("snapshot__version", flat=True)
        .distinct()
    )
