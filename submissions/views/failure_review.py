"""Pages on which maintainers say why task runs failed."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from evaluator.errors import NotPossibleError
from leaderboard.failures.taxonomy import BENCHMARK_ERRORS
from leaderboard.models import TaskResult
from submissions.models import Submission
from submissions.review.failures import Opinion, label_failure
from submissions.review.failures_page import agreement_page, failure_review_page
from submissions.review.forms import FailureLabelForm
from submissions.views.guards import maintainers_only, reader


@require_safe
@maintainers_only
def agreement(request: HttpRequest) -> HttpResponse:
    """How far reviewers agree, and where they do not."""
    context = {"section": "review", "page": agreement_page()}
    return render(request, "review/agreement.html", context)


@require_safe
@maintainers_only
def failures(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Failed task runs of a submission, each with a form for the reader's label."""
    page = failure_review_page(_found(uuid), request.GET, reader=reader(request))
    context = {"section": "review", "page": page}
    return render(request, "review/failures.html", context)


@require_POST
@maintainers_only
def label(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Keep the reader's label of one task run; leads back to its place in the list."""
    found = _found(uuid)
    form = FailureLabelForm(request.POST)
    back = redirect("review-failures", uuid)
    if query := request.META.get("QUERY_STRING"):
        back["Location"] += f"?{query}"
    if not form.is_valid():
        for name, errors in form.errors.items():
            for error in errors:
                messages.error(request, f"{name}: {error}")
        return back
    try:
        result = _result(found, form.cleaned_data["run"], form.cleaned_data["task"])
        messages.success(request, _labelled(request, found, result, form))
    except NotPossibleError as error:
        messages.error(request, str(error))
    else:
        back["Location"] += f"#result-{result.pk}"
    return back


def _labelled(
    request: HttpRequest,
    submission: Submission,
    result: TaskResult,
    form: FailureLabelForm,
) -> str:
    given = form.cleaned_data
    proposal = label_failure(
        submission,
        result,
        Opinion(given["failure"], given["note"], given["file"], given["line"]),
        by=reader(request),
    )
    if proposal is not None:
        return _(
            "Label kept. The erratum and the re-run wait for another maintainer to "
            "confirm them."
        )
    if given["failure"] in BENCHMARK_ERRORS:
        return _(
            "Label kept. An erratum and a re-run were proposed for this task before."
        )
    return _("Label kept.")


def _result(submission: Submission, number: int, slug: str) -> TaskResult:
    found = (
        TaskResult.objects.filter(
            run__evaluation=submission.evaluation_id,
            run__number=number,
            task__slug=slug,
        )
        .select_related("run", "task", "overruling")
        .first()
    )
    if found is None:
        raise NotPossibleError(_("There is no such task run, or it is not scored."))
    return found


def _found(uuid: UUID) -> Submission:
    rows = Submission.objects.select_related(
        "user", "team", "snapshot__benchmark", "evaluation__configuration"
    )
    return get_object_or_404(rows, pk=uuid)
