"""Which submissions wait for a maintainer, the oldest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django import forms
from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from evaluator.models import Job
from evaluator.transitions import STUCK
from leaderboard.forms import QueryForm
from leaderboard.models import (
    STRUCK_OUT,
    EvaluationSnapshot,
    Visibility,
    public_now,
)
from submissions.models import (
    Appeal,
    IntegritySignal,
    Membership,
    Proposal,
    Submission,
    SubmissionState,
)

PAGE_SIZE = 50
_THIS = OuterRef("pk")
WAITING = "waiting"
_PRIVATE = Q(evaluation__visibility=Visibility.PRIVATE)
_SET_ASIDE = [
    SubmissionState.ASKED,
    SubmissionState.CANCELLED,
    SubmissionState.REJECTED,
    SubmissionState.WITHDRAWN,
]


class Tab(NamedTuple):
    label: str | Promise
    submission_count: int
    current: bool
    href: str


class QueueForm(QueryForm):
    """Which rows of the queue are shown."""

    q = forms.CharField(
        required=False,
        max_length=100,
        label=_("Search models and submitters"),
        widget=forms.TextInput({"type": "search", "autocomplete": "off"}),
    )
    snapshot = forms.ChoiceField(required=False, label=_("Snapshot"))

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data)
        snapshots = EvaluationSnapshot.objects.filter(submissions__isnull=False)
        versions = snapshots.order_by("version").values_list("version", flat=True)
        self._set_choices(
            "snapshot",
            empty=_("All"),
            values=[(each, each) for each in versions.distinct()],
        )


@dataclass(frozen=True, slots=True)
class QueuePage:
    """Submissions of one kind, one page of them, with the counts of every kind.

    They carry ``open_signals`` (None for none), ``stuck_count``, ``has_appeal``,
    ``has_proposal`` and ``is_own``: of the reader's own team.
    """

    tabs: Sequence[Tab]
    form: QueueForm
    page: Page[Submission]
    show: str
    query: str


_LABELS: Mapping[str, str | Promise] = {
    WAITING: _("Waiting for a decision"),
    "proposals": _("Proposals"),
    "appeals": _("Appeals"),
    "stuck": _("Infrastructure trouble"),
    "asked": _("Waiting for the submitter"),
    "evaluating": _("Evaluating"),
    "embargoed": _("Embargoed"),
    "published": SubmissionState.PUBLISHED.label,
    "rejected": _("Rejected"),
    "struck-out": _("Withdrawn and disqualified"),
    "all": _("All"),
}


def queue_page(query: QueryDict, *, reader_id: int) -> QueuePage:
    """Count every kind, then read one page of the chosen one: a fixed few queries."""
    form = QueueForm(query)
    conditions = _conditions()
    found = _narrowed(form)
    counts = found.aggregate(
        **{
            name.replace("-", "_"): Count("pk", filter=condition)
            for name, condition in conditions.items()
        }
    )
    show = query.get("show", WAITING)
    if show not in conditions:
        show = WAITING
    rows = _annotated(found.filter(conditions[show]), reader_id)
    tabs = [
        Tab(
            label=label,
            submission_count=counts[name.replace("-", "_")],
            current=name == show,
            href=_href(query, show=name),
        )
        for name, label in _LABELS.items()
    ]
    return QueuePage(
        tabs=tabs,
        form=form,
        page=Paginator(rows, PAGE_SIZE).get_page(query.get("page")),
        show=show,
        query=_href(query, show=show),
    )


def _conditions() -> dict[str, Q]:
    evaluated = (
        _PRIVATE & Q(evaluation__scored_at__isnull=False) & ~Q(state__in=_SET_ASIDE)
    )
    proposals = Q(Exists(Proposal.objects.filter(submission=_THIS, confirmed=None)))
    appeals = Q(Exists(Appeal.objects.filter(submission=_THIS, outcome="")))
    stuck = Q(
        Exists(Job.objects.filter(evaluation=OuterRef("evaluation"), state__in=STUCK))
    ) & ~Q(state=SubmissionState.CANCELLED)
    public = public_now("evaluation__")
    return {
        WAITING: evaluated | proposals | appeals,
        "proposals": proposals,
        "appeals": appeals,
        "stuck": stuck,
        "asked": _PRIVATE & Q(state=SubmissionState.ASKED),
        "evaluating": Q(evaluation__scored_at=None)
        & ~Q(state=SubmissionState.CANCELLED),
        "embargoed": Q(evaluation__visibility=Visibility.EMBARGOED) & ~public,
        "published": public,
        "rejected": _PRIVATE & Q(state=SubmissionState.REJECTED),
        "struck-out": Q(evaluation__visibility__in=STRUCK_OUT),
        "all": Q(),
    }


def _narrowed(form: QueueForm) -> QuerySet[Submission]:
    found = Submission.objects.all()
    if text := form.chosen("q").strip():
        found = found.filter(
            Q(evaluation__configuration__model__icontains=text)
            | Q(user__username__icontains=text)
            | Q(team__name__icontains=text)
        )
    if version := form.chosen("snapshot"):
        found = found.filter(snapshot__version=version)
    return found


def _annotated(found: QuerySet[Submission], reader_id: int) -> QuerySet[Submission]:
    own = Membership.objects.filter(team=OuterRef("team"), user=reader_id)
    return (
        found.select_related(
            "user", "team", "snapshot__benchmark", "evaluation__configuration"
        )
        .annotate(
            open_signals=_count(IntegritySignal.objects.open(), "submission"),
            stuck_count=Count(
                "evaluation__jobs",
                filter=Q(evaluation__jobs__state__in=STUCK),
                distinct=True,
            ),
            has_appeal=Exists(Appeal.objects.filter(submission=_THIS, outcome="")),
            has_proposal=Exists(
                Proposal.objects.filter(submission=_THIS, confirmed=None)
            ),
            is_own=Q(user=reader_id) | Exists(own),
        )
        .order_by(F("evaluation__scored_at").asc(nulls_last=True), "created_at", "pk")
    )


def _count(rows: QuerySet[IntegritySignal], field: str) -> Subquery:
    """How many of ``rows`` point with ``field`` to a row of the outer query."""
    counted = (
        rows.filter(**{field: _THIS})
        .order_by()
        .values(field)
        .annotate(number=Count("pk"))
    )
    return Subquery(counted.values("number"))


def _href(query: QueryDict, *, show: str) -> str:
    """The same filters with another kind; always the first page."""
    changed = query.copy()
    changed.pop("page", None)
    changed["show"] = show
    return f"?{changed.urlencode()}"
