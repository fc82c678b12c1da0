"""Whether the public sees an evaluation: each change in one transaction, on record."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from evaluator import queue
from evaluator.errors import NotPossibleError
from evaluator.hints import call_after_commit
from evaluator.models import JobState
from evaluator.reruns import why_not_scored
from leaderboard.models import Evaluation, Provenance, Visibility, record
from leaderboard.passing.standings import is_by_pass_rate


def publish_evaluation(
    evaluation: Evaluation,
    *,
    by: User,
    note: str = "",
    public_from: datetime | None = None,
) -> None:
    """Make a scored evaluation public: a maintainer's act.

    With ``public_from`` in the future it is under embargo until then. Refused while
    any job is not scored, naming what is missing.
    """
    with transaction.atomic():
        locked = _locked(evaluation)
        if locked.is_public:
            raise NotPossibleError(_("The evaluation is public already."))
        if locked.is_struck_out:
            raise NotPossibleError(_("The evaluation is struck out of the ranking."))
        counts = queue.counts(locked)
        open_count = sum(counts.values()) - counts[JobState.SCORED]
        if locked.scored_at is not None and is_by_pass_rate(locked.snapshot):
            # Left incomplete by a maintainer; their number stands beside the rates.
            open_count -= counts[JobState.CANCELLED]
        if open_count or locked.scored_at is None:
            raise NotPossibleError(why_not_scored(locked, counts))
        if locked.provenance == Provenance.BASELINE:
            raise NotPossibleError(
                _("A baseline proves the tasks; it is never ranked.")
            )
        _publish(locked, public_from, by=by, note=note)
    evaluation.refresh_from_db()


def withdraw_evaluation(evaluation: Evaluation, *, by: User, reason: str) -> None:
    """Take a public evaluation out of the ranking; its row and reason stay visible."""
    refusal = _("Only a public evaluation can be withdrawn.")
    _strike_out(evaluation, Visibility.WITHDRAWN, refusal, by=by, reason=reason)


def disqualify_evaluation(evaluation: Evaluation, *, by: User, reason: str) -> None:
    """Strike a public evaluation out of the ranking; everybody reads the reason."""
    refusal = _("Only a public evaluation can be disqualified.")
    _strike_out(evaluation, Visibility.DISQUALIFIED, refusal, by=by, reason=reason)


def reinstate_evaluation(evaluation: Evaluation, *, by: User, reason: str) -> None:
    """Undo a disqualification: the row is ranked again, and the record tells both."""
    _require_public_reason(reason)
    with transaction.atomic():
        locked = _locked(evaluation)
        if locked.visibility != Visibility.DISQUALIFIED:
            raise NotPossibleError(
                _("Only a disqualified evaluation can be reinstated.")
            )
        locked.take_strike_back(at=timezone.now())
        _set_visibility(
            locked, Visibility.PUBLIC, by=by, act="reinstate", reason=reason
        )
    evaluation.refresh_from_db()


def end_embargo(evaluation: Evaluation, *, by: User, reason: str) -> None:
    """Make an evaluation under embargo private again; nothing of it was public."""
    with transaction.atomic():
        locked = _locked(evaluation)
        if locked.shown_visibility != Visibility.EMBARGOED:
            raise NotPossibleError(_("The evaluation is not under embargo."))
        locked.public_from = locked.published_at = None
        _set_visibility(
            locked, Visibility.PRIVATE, by=by, act="end embargo", reason=reason
        )
    evaluation.refresh_from_db()


def _strike_out(
    evaluation: Evaluation,
    visibility: Visibility,
    refusal: str,
    *,
    by: User,
    reason: str,
) -> None:
    _require_public_reason(reason)
    act = {Visibility.WITHDRAWN: "withdraw", Visibility.DISQUALIFIED: "disqualify"}
    with transaction.atomic():
        locked = _locked(evaluation)
        if not locked.is_public:
            raise NotPossibleError(refusal)
        locked.strike_out(reason, at=timezone.now())
        _set_visibility(locked, visibility, by=by, act=act[visibility], reason=reason)
    evaluation.refresh_from_db()


def _locked(evaluation: Evaluation) -> Evaluation:
    return Evaluation.objects.select_for_update().get(pk=evaluation.pk)


def _require_public_reason(reason: str) -> None:
    if not reason.strip():
        raise NotPossibleError(_("Give a reason; it is shown to the public."))


def _publish(
    evaluation: Evaluation, public_from: datetime | None, *, by: User, note: str
) -> None:
    """Public now, or under embargo: then ``published_at`` tells the day it will be."""
    now = timezone.now()
    later = public_from if public_from is not None and public_from > now else None
    evaluation.public_from = later
    evaluation.published_at = later or now
    visibility = Visibility.EMBARGOED if later else Visibility.PUBLIC
    act = "embargo" if later else "publish"
    _set_visibility(evaluation, visibility, by=by, act=act, reason=note)


def _set_visibility(
    evaluation: Evaluation,
    visibility: Visibility,
    *,
    by: User,
    act: str,
    reason: str,
) -> None:
    before = evaluation.visibility
    evaluation.visibility = visibility
    evaluation.save(
        update_fields=[
            "visibility",
            "public_from",
            "published_at",
            "struck_out_at",
            "past_strikes",
            "withdrawn_reason",
        ]
    )
    record(
        act,
        evaluation,
        by=by,
        reason=reason,
        before={"visibility": before},
        after={"visibility": visibility},
    )
    call_after_commit("leaderboard.tasks.renew_standings")
