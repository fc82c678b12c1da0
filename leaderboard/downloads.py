"""Answers that carry stored bytes, for pages and API: one file, or all of a run.

Who may have them is decided by the caller. Nothing is ever shown inside the site.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.http import (
    FileResponse,
    HttpRequest,
    HttpResponseBase,
    StreamingHttpResponse,
)
from django.utils.http import content_disposition_header
from django.views.decorators.http import condition

from leaderboard.archives import RunArchive
from leaderboard.blobs import BlobMissingError, open_blob
from leaderboard.models import Artifact, Run
from leaderboard.presenters.viewer import is_text

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "private, no-cache",
    # Stored bytes go out as they are, so that lengths and checksums hold.
    "Content-Encoding": "identity",
}


class FilesGoneError(Exception):
    """Bytes that the tables name are no longer in the storage."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        super().__init__(
            f"No longer stored: {', '.join(names)}. Their SHA-256 sums stay on record."
        )


def artifact_file(request: HttpRequest, artifact: Artifact) -> HttpResponseBase:
    """The file under its own name; needs ``run`` and ``task`` selected."""

    @condition(etag_func=lambda _request: f'"{artifact.sha256}"')
    def answer(request: HttpRequest) -> HttpResponseBase:
        return _file(artifact)

    return answer(request)


def run_zip(request: HttpRequest, run: Run) -> HttpResponseBase:
    """All files of the run as a zip with ``SHA256SUMS``."""
    archive = RunArchive(run)
    name = f"evaluation-{run.evaluation_id}-run-{run.number}.zip"

    @condition(etag_func=lambda _request: f'"{archive.digest}"')
    def answer(request: HttpRequest) -> HttpResponseBase:
        return _zip(request, archive, name)

    return answer(request)


def _file(artifact: Artifact) -> HttpResponseBase:
    if artifact.absence:
        raise FilesGoneError([artifact.name])
    try:
        handle = open_blob(artifact.sha256)
    except BlobMissingError:
        raise FilesGoneError([artifact.name]) from None
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


def _zip(request: HttpRequest, archive: RunArchive, name: str) -> HttpResponseBase:
    missing = archive.missing()
    if missing:
        raise FilesGoneError([entry.name for entry in missing])
    chunks: Iterator[bytes] = iter(()) if request.method == "HEAD" else archive.chunks()
    response = StreamingHttpResponse(
        chunks, content_type="application/zip", headers=_HEADERS
    )
    response["Content-Disposition"] = content_disposition_header(True, name) or ""
    if archive.size_bytes is not None:
        response["Content-Length"] = str(archive.size_bytes)
    return response
