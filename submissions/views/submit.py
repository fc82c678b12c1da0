"""Uploading a bundle, and what one needs for it."""

from __future__ import annotations

import base64
import json
from http import HTTPStatus
from math import ceil
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from evaluator.offers import known_offers
from submissions import services, uploads
from submissions.accounts import quota
from submissions.accounts.limits import seconds_to_wait
from submissions.archive.names import UNIT_FILES
from submissions.browser_facts import browser_facts
from submissions.findings import Report
from submissions.formats.bundle import MAX_PATCH_BYTES
from submissions.forms import UploadForm
from submissions.manifest_schema import field_rows, manifest_json_schema
from submissions.manifest_template import manifest_template
from submissions.models import Submission, UploadSession
from submissions.resumable import sessions
from submissions.snapshot_facts import open_snapshots


@csrf_exempt
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: HttpRequest) -> HttpResponse:
    """The form, and on POST the check and the submission.

    Exempt here and protected one step further in: the middleware would read the whole
    body, to look for its token, before anything could be said about its size.
    """
    if uploads.is_too_large(request):
        return _page(request, UploadForm(request.user), too_large=True, status=413)
    uploads.use_work_folder(request)
    return _submit(request)


@csrf_protect
def _submit(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _page(request, UploadForm(request.user, copy_of=_copied(request)))
    form = UploadForm(request.user, request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, form, status=400)
    assert isinstance(request.user, User)  # noqa: S101 - login_required
    only_check = "check" in request.POST
    wait = seconds_to_wait(request, "validation" if only_check else "upload")
    if wait:
        return _too_often(request, form, wait)
    kept = form.session
    try:
        with uploads.as_path(form.given) as archive:
            if only_check:
                receipt = services.Receipt(None, services.check(request.user, archive))
            else:
                receipt = _received(request.user, archive, form)
            if receipt.awaits_tick:
                kept = uploads.keep(request.user, form.given, archive)
    except sessions.UNUSABLE:
        # It went while it was looked at, or is not what was announced.
        form.add_error("bundle", _("Choose a file first."))
        return _page(request, form, status=400)
    if not (receipt.sound_so_far or (only_check and receipt.report.ok)):
        uploads.let_go(form.given)
    if receipt.submission is None:
        status = _status_of(receipt)
        return _page(request, form, receipt=receipt, kept=kept, status=status)
    messages.success(request, _("Accepted. Every task run is queued."))
    return redirect(receipt.submission)


def _too_often(request: HttpRequest, form: UploadForm, wait: int) -> HttpResponse:
    """Too many bundles within the hour, by page and API together."""
    said = _("Too many bundles within an hour. Send it again in %(minutes)s min.")
    form.add_error("bundle", said % {"minutes": ceil(wait / 60)})
    response = _page(request, form, status=HTTPStatus.TOO_MANY_REQUESTS)
    response["Retry-After"] = str(wait)
    return response


def _received(user: User, archive: Path, form: UploadForm) -> services.Receipt:
    return services.receive(
        user,
        archive,
        origin="page",
        team=form.cleaned_data["team"],
        copy_of=form.cleaned_data["copy_of"],
        tick=form.cleaned_data["accept_warnings"],
    )


def _status_of(refusal: services.Receipt) -> HTTPStatus:
    if refusal.over_quota:
        return HTTPStatus.TOO_MANY_REQUESTS
    if refusal.awaits_tick:
        return HTTPStatus.UNPROCESSABLE_ENTITY
    return HTTPStatus.OK if refusal.report.ok else HTTPStatus.BAD_REQUEST


def _copied(request: HttpRequest) -> Submission | None:
    """The submission that this one begins from; what is none of theirs is none."""
    try:
        uuid = UUID(request.GET.get("copy_of", ""))
    except ValueError:
        return None
    return Submission.objects.visible_to(request.user).filter(pk=uuid).first()


@require_safe
def manifest_example(request: HttpRequest) -> HttpResponse:
    """A manifest to fill in, with the values of an open snapshot."""
    snapshots = open_snapshots()
    version = request.GET.get("snapshot", "")
    chosen = [each for each in snapshots if each.version == version] or snapshots
    template = manifest_template(chosen[0] if chosen else None)
    response = JsonResponse(template, json_dumps_params={"indent": 2})
    response["Content-Disposition"] = 'attachment; filename="manifest.json"'
    return response


@require_safe
@cache_control(public=True, max_age=3600)
def manifest_schema(request: HttpRequest) -> HttpResponse:
    """The JSON Schema; an ETag is added on the way out."""
    return JsonResponse(
        manifest_json_schema(settings.PUBLIC_URL),
        json_dumps_params={"indent": 2},
        content_type="application/schema+json",
    )


def _page(
    request: HttpRequest,
    form: UploadForm,
    *,
    receipt: services.Receipt | None = None,
    kept: UploadSession | None = None,
    too_large: bool = False,
    status: int = 200,
) -> HttpResponse:
    """The page; ``kept`` is the upload that need not be sent again."""
    assert isinstance(request.user, User)  # noqa: S101 - login_required
    report = receipt.report if receipt else None
    kept = kept and sessions.find_whole(request.user, kept.pk)
    context = {
        "section": "submit",
        "unlimited": quota.is_unlimited(request.user),
        "quotas": quota.quotas_of(request.user),
        "form": form,
        "kept": kept,
        "awaits_tick": bool(receipt and receipt.awaits_tick),
        "over_quota": bool(receipt and receipt.over_quota),
        "copied": form.copied,
        "facts": browser_facts(),
        "report": report,
        "report_link": _download_link(report) if report else "",
        "too_large": too_large,
        "trusted_only": not request.user.is_staff and not services.takes_untrusted(),
        "snapshots": open_snapshots(),
        "offers": known_offers(),
        "unit_files": UNIT_FILES,
        "fields": field_rows(),
        "upload_limit_mib": settings.UPLOAD_LIMIT_BYTES // 1024**2,
        "patch_limit_mib": MAX_PATCH_BYTES // 1024**2,
    }
    return render(request, "submissions/submit.html", context, status=status)


def _download_link(report: Report) -> str:
    """The report inside a link: nothing of a refused upload is kept to serve later."""
    data = json.dumps(report.as_dict(), indent=1, ensure_ascii=False).encode()
    return f"data:application/json;base64,{base64.b64encode(data).decode('ascii')}"
