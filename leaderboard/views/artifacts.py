"""Downloads: one file, or all files of a run. Nothing is ever shown inside the site."""

from __future__ import annotations

from collections.abc import Iterator

from django.http import (
    FileResponse,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    StreamingHttpResponse,
)
from django.shortcuts import get_object_or_404, render
from django.utils.http import content_disposition_header
from django.views.decorators.http import condition, require_safe

from leaderboard.archives import RunArchive
from leaderboard.blobs import BlobMissingError, open_blob
from leaderboard.models import Artifact, Run
from leaderboard.presenters.runs import is_text
from leaderboard.visibility import require_view

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "private, no-cache",
    # Stored bytes go out as they are, so that lengths and checksums hold.
    "Content-Encoding": "identity",
}


@require_safe
def artifact(request: HttpRequest, pk: int) -> HttpResponseBase:
    """One stored file under its own name; 410 where its bytes are gone."""
    found = get_object_or_404(
        Artifact.objects.select_related("run__evaluation", "task"), pk=pk
    )
    require_view(request.user, found.run.evaluation)

    @condition(etag_func=lambda _request: f'"{found.sha256}"')
    def answer(request: HttpRequest) -> HttpResponseBase:
        return _file(request, found)

    return answer(request)


def _file(request: HttpRequest, artifact: Artifact) -> HttpResponseBase:
    try:
        handle = open_blob(artifact.sha256)
    except BlobMissingError:
        return _gone(request, [artifact.name])
    kind = (
        "text/plain; charset=utf-8"
        if is_text(artifact.name)
        else "application/octet-stream"
    )
    return FileResponse(
        handle,
        as_attachment=True,
        filename=_flat_name(artifact),
        content_type=kind,
        headers=_HEADERS,
    )


def _flat_name(artifact: Artifact) -> str:
    """A file name that says where the file belongs once it lies in a folder."""
    name = artifact.name.replace("/", "-")
    return f"{artifact.task.slug}-run{artifact.run.number}-{name}"


@require_safe
def run_archive(request: HttpRequest, pk: int, number: int) -> HttpResponseBase:
    """All files of one run as a zip with ``SHA256SUMS``; 410 where one is gone."""
    run = get_object_or_404(
        Run.objects.select_related("evaluation"), evaluation=pk, number=number
    )
    require_view(request.user, run.evaluation)
    archive = RunArchive(run)

    @condition(etag_func=lambda _request: f'"{archive.digest}"')
    def answer(request: HttpRequest) -> HttpResponseBase:
        return _zip(request, archive, name=f"evaluation-{pk}-run-{number}.zip")

    return answer(request)


def _zip(request: HttpRequest, archive: RunArchive, *, name: str) -> HttpResponseBase:
    missing = archive.missing()
    if missing:
        return _gone(request, [entry.name for entry in missing])
    chunks: Iterator[bytes] = iter(()) if request.method == "HEAD" else archive.chunks()
    response = StreamingHttpResponse(
        chunks, content_type="application/zip", headers=_HEADERS
    )
    response["Content-Disposition"] = content_disposition_header(True, name) or ""
    if archive.size_bytes is not None:
        response["Content-Length"] = str(archive.size_bytes)
    return response


def _gone(request: HttpRequest, names: list[str]) -> HttpResponse:
    return render(request, "leaderboard/gone.html", {"names": names}, status=410)
