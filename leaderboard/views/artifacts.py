"""Downloads of those who may read the evaluation; 410 where the bytes are gone."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.downloads import FilesGoneError, artifact_file, run_zip
from leaderboard.models import Artifact, Run
from leaderboard.visibility import artifact_or_404, run_or_404


@require_safe
def artifact(request: HttpRequest, pk: int) -> HttpResponseBase:
    """One stored file under its own name."""
    rows = Artifact.objects.select_related("run__evaluation", "task")
    found = artifact_or_404(request.user, rows.filter(pk=pk).first())
    try:
        return artifact_file(request, found)
    except FilesGoneError as error:
        return _gone(request, error)


@require_safe
def run_archive(request: HttpRequest, pk: int, number: int) -> HttpResponseBase:
    """All files of one run."""
    rows = Run.objects.select_related("evaluation")
    found = run_or_404(
        request.user, rows.filter(evaluation__pk=pk, number=number).first()
    )
    try:
        return run_zip(request, found)
    except FilesGoneError as error:
        return _gone(request, error)


def _gone(request: HttpRequest, error: FilesGoneError) -> HttpResponse:
    context = {"names": error.names}
    return render(request, "leaderboard/gone.html", context, status=410)
