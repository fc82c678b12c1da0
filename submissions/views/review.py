"""Review pages of maintainers: the queue, one submission, and the acts on it."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from evaluator.errors import NotPossibleError
from leaderboard.models import TaskResult
from leaderboard.snapshots import SnapshotLookupError, snapshot_by_version
from submissions import reevaluation
from submissions.models import (
    Decision,
    IntegritySignal,
    MessageKind,
    Submission,
    SubmissionState,
)
from submissions.review import appeals, decisions, overrulings
from submissions.review import messages as texts
from submissions.review.forms import (
    AppealForm,
    ComparabilityForm,
    DecisionForm,
    MessageForm,
    OverrulingForm,
    ProposalForm,
    ReevaluationForm,
    VerdictForm,
)
from submissions.review.page import review_page
from submissions.review.queue import queue_page
from submissions.transitions import Act
from submissions.views.guards import maintainers_only, reader


@require_safe
@maintainers_only
def queue(request: HttpRequest) -> HttpResponse:
    """What waits, the oldest first; ``?show=`` chooses another kind."""
    page = queue_page(request.GET, reader_id=reader(request).pk)
    context = {"section": "review", "page": page}
    return render(request, "review/queue.html", context)


@require_safe
@maintainers_only
def review(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """One submission with everything that a decision needs."""
    page = review_page(_found(uuid), request.GET, reader=reader(request))
    context = {"section": "review", "page": page, "kinds": MessageKind}
    return render(request, "review/review.html", context)


@require_POST
@maintainers_only
def decide(request: HttpRequest, uuid: UUID) -> HttpResponse:
    form = DecisionForm(request.POST)

    def act() -> str:
        proposal = decisions.decide(
            _found(uuid),
            form.chosen,
            by=reader(request),
            reason=form.cleaned_data["reason"],
            public_from=form.cleaned_data["public_from"],
            seen=form.cleaned_data["seen"],
        )
        if proposal is not None:
            return _("Proposed. Another maintainer must confirm it.")
        return _("Done: %(act)s.") % {"act": form.chosen.label}

    return _answered(request, uuid, form, act)


@require_POST
@maintainers_only
def settle(request: HttpRequest, uuid: UUID, proposal: int) -> HttpResponse:
    """Confirm or decline what another maintainer proposed."""
    found = get_object_or_404(_found(uuid).proposals, pk=proposal)
    form = ProposalForm(request.POST)

    def act() -> str:
        by, reason = reader(request), form.cleaned_data["reason"]
        if form.cleaned_data["verdict"] == "decline":
            decisions.decline(found, by=by, reason=reason)
            return _("Declined.")
        decisions.confirm(found, by=by, seen=form.cleaned_data["seen"])
        return _("Confirmed and done.")

    return _answered(request, uuid, form, act)


@require_POST
@maintainers_only
def answer_appeal(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Uphold an appeal, which takes the decision back, or dismiss it."""
    form = AppealForm(request.POST)

    def act() -> str:
        found, by = _found(uuid), reader(request)
        reason = form.cleaned_data["reason"]
        if form.cleaned_data["appeal"]:
            return _answer_overruling(found, form, by=by)
        if form.cleaned_data["outcome"] == "dismissed":
            appeals.dismiss(found, by=by, reason=reason)
            return _("Appeal dismissed.")
        rejected = found.shown_state == SubmissionState.REJECTED
        proposal = decisions.decide(
            found,
            Act.REOPEN if rejected else Act.REINSTATE,
            by=by,
            reason=reason,
            seen=form.cleaned_data["seen"],
        )
        if proposal is not None:
            return _("Proposed. Another maintainer must confirm it.")
        return _("Appeal upheld.")

    return _answered(request, uuid, form, act)


def _answer_overruling(found: Submission, form: AppealForm, *, by: User) -> str:
    """Answer an appeal against the overruling of one task run."""
    given = form.cleaned_data
    if given["outcome"] == "dismissed":
        overrulings.dismiss(found, given["appeal"], by=by, reason=given["reason"])
        return _("Appeal dismissed.")
    decisions.propose_lifting(
        found,
        run=given["run"] or 0,
        task=given["task"],
        by=by,
        reason=given["reason"],
        seen=given["seen"],
    )
    return _("Proposed. Another maintainer must confirm it.")


@require_POST
@maintainers_only
def lift(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Propose that an overruled task run counts as measured again."""
    form = OverrulingForm(request.POST)

    def act() -> str:
        decisions.propose_lifting(_found(uuid), by=reader(request), **form.cleaned_data)
        return _("Proposed. Another maintainer must confirm it.")

    return _answered(request, uuid, form, act)


@require_POST
@maintainers_only
def write(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """A note for maintainers or a message to the submitter."""
    form = MessageForm(request.POST)

    def act() -> str:
        is_note = form.cleaned_data["kind"] == MessageKind.NOTE
        writing = texts.write_note if is_note else texts.write_message
        writing(_found(uuid), by=reader(request), text=form.cleaned_data["text"])
        return _("Note kept.") if is_note else _("Message sent.")

    return _answered(request, uuid, form, act)


@require_POST
@maintainers_only
def verdict(request: HttpRequest, uuid: UUID, signal: int) -> HttpResponse:
    """Confirm or dismiss a signal, and propose what follows from it."""
    found = _found(uuid)
    row = get_object_or_404(IntegritySignal, submission=found, pk=signal)
    form = VerdictForm(request.POST)

    def act() -> str:
        by, reason = reader(request), form.cleaned_data["reason"]
        decision = form.cleaned_data["decision"]
        with transaction.atomic():
            decisions.judge_signal(
                row,
                by=by,
                decision=decision,
                reason=reason,
                public_note=form.cleaned_data["public_note"],
            )
            if not form.cleaned_data["overrule"] or decision != Decision.CONFIRMED:
                return _("Verdict kept.")
            result = _result(found, row.run_number, row.task_id)
            decisions.propose_overruling(found, result, by=by, reason=reason)
        return _("Verdict kept. Another maintainer must confirm that it counts 0.")

    back = None
    if request.POST.get("back") == "audit":
        back = reverse("evaluation-audit", args=[found.evaluation_id])
    return _answered(request, uuid, form, act, anchor=f"signal-{signal}", address=back)


@require_POST
@maintainers_only
def overrule(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Propose that a completed task run counts 0."""
    form = OverrulingForm(request.POST)

    def act() -> str:
        found = _found(uuid)
        task = found.snapshot.tasks.filter(slug=form.cleaned_data["task"]).first()
        result = _result(found, form.cleaned_data["run"], task.pk if task else None)
        decisions.propose_overruling(
            found,
            result,
            by=reader(request),
            reason=form.cleaned_data["reason"],
            seen=form.cleaned_data["seen"],
        )
        return _("Proposed. Another maintainer must confirm it.")

    return _answered(request, uuid, form, act)


@require_POST
@maintainers_only
def comparability(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Propose that its conditions are ranked with the snapshot's, or no longer."""
    form = ComparabilityForm(request.POST)

    def act() -> str:
        decisions.propose_comparability(
            _found(uuid),
            form.cleaned_data["act"],
            by=reader(request),
            reason=form.cleaned_data["reason"],
            seen=form.cleaned_data["seen"],
        )
        return _("Proposed. Another maintainer must confirm it.")

    return _answered(request, uuid, form, act)


@require_POST
@maintainers_only
def reevaluate(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Evaluate the same files on another snapshot, as a submission of its own."""
    form = ReevaluationForm(request.POST)

    def act() -> str:
        try:
            snapshot = snapshot_by_version(form.cleaned_data["snapshot"])
        except SnapshotLookupError as error:
            raise NotPossibleError(str(error)) from None
        again = reevaluation.reevaluate(
            _found(uuid),
            snapshot,
            by=reader(request),
            reason=form.cleaned_data["reason"],
        )
        return _(
            "Every task run is queued on %(snapshot)s, as submission %(uuid)s."
        ) % {
            "snapshot": snapshot,
            "uuid": again.pk,
        }

    return _answered(request, uuid, form, act)


def _result(
    submission: Submission, run_number: int | None, task_id: int | None
) -> TaskResult:
    found = (
        TaskResult.objects.filter(
            run__evaluation=submission.evaluation_id,
            run__number=run_number or 0,
            task=task_id,
        )
        .select_related("run", "overruling")
        .first()
    )
    if found is None:
        raise NotPossibleError(_("There is no such task run, or it is not scored."))
    return found


def _answered(
    request: HttpRequest,
    uuid: UUID,
    form: forms.Form,
    act: Callable[[], str],
    *,
    anchor: str = "",
    address: str | None = None,
) -> HttpResponse:
    """Do ``act`` if ``form`` is sound, and lead back with what came of it."""
    if not form.is_valid():
        for name, errors in form.errors.items():
            for error in errors:
                messages.error(request, f"{name}: {error}")
    else:
        try:
            messages.success(request, act())
        except NotPossibleError as error:
            messages.error(request, str(error))
    back = redirect(address) if address else redirect("review", uuid)
    if anchor:
        back["Location"] += f"#{anchor}"
    return back


def _found(uuid: UUID) -> Submission:
    rows = Submission.objects.select_related(
        "user", "team", "snapshot__benchmark", "evaluation__configuration"
    )
    return get_object_or_404(rows, pk=uuid)
