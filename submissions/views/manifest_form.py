"""Filling in manifest.json on a page; nothing of it is kept."""

from __future__ import annotations

import json
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_http_methods

from leaderboard.ignored import Ignored, one_of
from submissions.manifest import reusable
from submissions.manifest_form import ManifestForm
from submissions.manifest_schema import flat
from submissions.manifest_template import known_values
from submissions.models import Submission
from submissions.snapshot_facts import open_snapshots


@require_http_methods(["GET", "HEAD", "POST"])
def manifest_form(request: HttpRequest) -> HttpResponse:
    """The form; a POST without a fault is answered with the file.

    ``from`` and ``snapshot`` in the query say what stands in the fields at first: the
    values of an earlier submission, and over them those of an open snapshot.
    """
    begun_from = _begun_from(request)
    version = request.GET.get("snapshot", "")
    snapshots = open_snapshots()
    chosen = next((each for each in snapshots if each.version == version), None)
    unknown = version if version and chosen is None else ""
    if chosen is None and begun_from is None and snapshots:
        chosen = snapshots[0]
    initial = {
        **(flat(reusable(begun_from.manifest)) if begun_from else {}),
        **(known_values(chosen) if chosen else {}),
    }
    form = ManifestForm(
        request.POST if request.method == "POST" else None, initial=initial
    )
    if form.is_bound and form.is_valid():
        return _file(form)
    known = one_of(each.version for each in snapshots)
    context = {
        "section": "submit",
        "form": form,
        "groups": form.groups(),
        "snapshots": snapshots,
        "chosen": chosen,
        "ignored": [Ignored("snapshot", unknown, known)] if unknown else [],
        "begun_from": begun_from,
    }
    status = 400 if form.is_bound else 200
    return render(request, "submissions/manifest_form.html", context, status=status)


def _begun_from(request: HttpRequest) -> Submission | None:
    """The submission whose manifest is taken; what is none of theirs is not there."""
    given = request.GET.get("from")
    if not given:
        return None
    try:
        uuid = UUID(given)
    except ValueError:
        raise Http404 from None
    return get_object_or_404(Submission.objects.visible_to(request.user), pk=uuid)


def _file(form: ManifestForm) -> HttpResponse:
    text = json.dumps(form.document, indent=2, ensure_ascii=False) + "\n"
    response = HttpResponse(text, content_type="application/json")
    response["Content-Disposition"] = 'attachment; filename="manifest.json"'
    return response
