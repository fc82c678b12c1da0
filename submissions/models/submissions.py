"""What users upload to ask for an evaluation, and what became of it."""

from __future__ import annotations

import contextlib
import uuid
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.db import models
from django.db.models import Count, Exists, OuterRef, Q
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from evaluator import queue
from evaluator.models import Attempt, Job, JobEvent, JobState
from evaluator.transitions import STUCK
from leaderboard.models import Evaluation, EvaluationSnapshot, Visibility, public_now
from submissions.models.teams import Membership, Team

_AT_WORK = [JobState.QUEUED, JobState.LEASED]


class SubmissionState(models.TextChoices):
    EVALUATING = "evaluating", _("Evaluating")
    EVALUATED = "evaluated", _("Evaluated, under review")
    ASKED = "asked", _("Waiting for the submitter")
    EMBARGOED = "embargoed", _("Embargoed")
    PUBLISHED = "published", pgettext_lazy("state of a submission", "Published")
    REJECTED = "rejected", _("Rejected")
    CANCELLED = "cancelled", _("Cancelled")
    WITHDRAWN = "withdrawn", _("Withdrawn")
    DISQUALIFIED = "disqualified", _("Disqualified")


# What the evaluation's visibility says goes before the last act.
_BY_VISIBILITY = {
    Visibility.EMBARGOED: SubmissionState.EMBARGOED,
    Visibility.WITHDRAWN: SubmissionState.WITHDRAWN,
    Visibility.DISQUALIFIED: SubmissionState.DISQUALIFIED,
}
_BY_ACT = {
    SubmissionState.CANCELLED,
    SubmissionState.REJECTED,
    SubmissionState.ASKED,
    SubmissionState.WITHDRAWN,
}


class SubmissionQuerySet(models.QuerySet["Submission"]):
    def visible_to(self, user: User | AnonymousUser) -> SubmissionQuerySet:
        """Own ones and those of own teams; maintainers see all, a visitor none."""
        if not user.is_authenticated:
            return self.none()
        found = self
        if not getattr(user, "is_staff", False):
            teams = Membership.objects.filter(user=user.pk).values("team")
            found = self.filter(Q(team=None, user=user.pk) | Q(team__in=teams))
        return found.select_related(
            "user", "team", "snapshot__benchmark", "evaluation__configuration"
        )

    def in_state(self, state: SubmissionState) -> SubmissionQuerySet:
        """Those whose ``shown_state`` is ``state`` now."""
        public = public_now("evaluation__")
        private = Q(evaluation__visibility=Visibility.PRIVATE)
        by_visibility = {
            SubmissionState.PUBLISHED: public,
            SubmissionState.EMBARGOED: Q(evaluation__visibility=Visibility.EMBARGOED)
            & ~public,
            SubmissionState.DISQUALIFIED: Q(
                evaluation__visibility=Visibility.DISQUALIFIED
            ),
            SubmissionState.WITHDRAWN: Q(evaluation__visibility=Visibility.WITHDRAWN)
            | private & Q(state=SubmissionState.WITHDRAWN),
        }
        if state in by_visibility:
            return self.filter(by_visibility[state])
        if state in _BY_ACT:
            return self.filter(private, state=state)
        is_open = state == SubmissionState.EVALUATING
        return self.filter(private, evaluation__scored_at__isnull=is_open).exclude(
            state__in=_BY_ACT
        )

    def matching(self, text: str) -> SubmissionQuerySet:
        """Those whose model, provider, agent, people or identifier hold ``text``."""
        columns = (
            "evaluation__configuration__model",
            "evaluation__configuration__provider",
            "evaluation__configuration__agent_name",
            "user__username",
            "team__name",
        )
        found = Q()
        for column in columns:
            found |= Q(**{f"{column}__icontains": text})
        with contextlib.suppress(ValueError):
            found |= Q(pk=uuid.UUID(text))
        return self.filter(found)

    def costing(self) -> SubmissionQuerySet:
        """Those that count against a quota.

        Samples of the project, bundles of maintainers and re-runs that they ask for are
        free, and so is what was cancelled before it began or was stopped by trouble of
        our own.
        """
        jobs = Job.objects.filter(evaluation=OuterRef("evaluation"))
        begun = Attempt.objects.filter(job__evaluation=OuterRef("evaluation"))
        trouble = JobEvent.objects.filter(
            job__evaluation=OuterRef("evaluation"), to_state__in=STUCK
        )
        return (
            self.filter(trusted=False, free=False)
            .exclude(Q(state=SubmissionState.CANCELLED) & ~Exists(begun))
            .exclude(Q(state=SubmissionState.CANCELLED) & Exists(trouble))
            .exclude(
                Q(evaluation__scored_at=None)
                & Exists(jobs.filter(state__in=STUCK))
                & ~Exists(jobs.filter(state__in=_AT_WORK))
            )
        )

    def running(self) -> SubmissionQuerySet:
        """Those whose evaluation is at work or waiting in the queue."""
        jobs = Job.objects.filter(evaluation=OuterRef("evaluation"))
        return self.filter(
            Exists(jobs.filter(state__in=_AT_WORK)), evaluation__scored_at=None
        ).exclude(state=SubmissionState.CANCELLED)

    def with_counts(self) -> SubmissionQuerySet:
        """The newest first, with the number of jobs in each state: ``jobs_<state>``.

        ``jobs_completed`` counts the completed ones; partial before the end.
        """
        return self.order_by("-created_at", "-pk").annotate(
            **{
                f"jobs_{state.value}": Count(
                    "evaluation__jobs", filter=Q(evaluation__jobs__state=state)
                )
                for state in JobState
            },
            jobs_completed=Count(
                "evaluation__jobs",
                filter=Q(evaluation__jobs__state=JobState.SCORED)
                & Q(evaluation__jobs__reason=""),
            ),
        )


class Submission(models.Model):
    """An accepted upload. What was refused is not kept.

    ``state`` is the last act of a person; ``shown_state`` adds what the evaluation
    itself says, and cannot lag behind it.
    """

    uuid = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="submissions"
    )
    team = models.ForeignKey(
        Team,
        on_delete=models.PROTECT,
        related_name="submissions",
        null=True,
        blank=True,
        help_text="Whose it is; empty where it belongs to the user alone.",
    )
    snapshot = models.ForeignKey(
        EvaluationSnapshot, on_delete=models.PROTECT, related_name="submissions"
    )
    evaluation = models.OneToOneField(
        Evaluation, on_delete=models.PROTECT, related_name="submission"
    )
    state = models.CharField(
        max_length=12, choices=SubmissionState, default=SubmissionState.EVALUATING
    )
    manifest = models.JSONField()
    archive_sha256 = models.CharField(max_length=64)
    archive_size_bytes = models.PositiveBigIntegerField()
    content_sha256 = models.CharField(
        max_length=64,
        blank=True,
        help_text="Of names and contents alone; empty where it was not yet kept.",
    )
    report = models.JSONField(
        default=dict, help_text="The report of the check; its warnings stay visible."
    )
    trusted = models.BooleanField(
        default=False, help_text="A sample of this project, or from a maintainer."
    )
    rerun_of = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        related_name="reruns",
        null=True,
        blank=True,
        help_text="The submission whose files are evaluated once more.",
    )
    copy_of = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        related_name="copies",
        null=True,
        blank=True,
        help_text="The submission from whose manifest this one was begun.",
    )
    free = models.BooleanField(
        default=False, help_text="Asked for by a maintainer; counts for no quota."
    )
    private_note = models.TextField(
        blank=True, help_text="For the submitter, their team and the maintainers."
    )
    idempotency_key = models.CharField(max_length=255, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "snapshot", "archive_sha256"],
                condition=~Q(state="cancelled") & Q(rerun_of=None),
                name="one_submission_per_archive",
            ),
            models.UniqueConstraint(
                fields=["user", "snapshot", "content_sha256"],
                condition=~Q(state="cancelled")
                & Q(rerun_of=None)
                & ~Q(content_sha256=""),
                name="one_submission_per_content",
            ),
            models.UniqueConstraint(
                fields=["user", "idempotency_key"],
                condition=~Q(idempotency_key=""),
                name="one_submission_per_idempotency_key",
            ),
        ]
        indexes = [models.Index(fields=["user", "created_at"])]

    def __str__(self) -> str:
        return f"submission {self.uuid}"

    def get_absolute_url(self) -> str:
        return reverse("submission", args=[self.pk])

    @property
    def shown_state(self) -> SubmissionState:
        evaluation = self.evaluation
        if evaluation.is_public:
            return SubmissionState.PUBLISHED
        if evaluation.visibility in _BY_VISIBILITY:
            return _BY_VISIBILITY[Visibility(evaluation.visibility)]
        if self.state in _BY_ACT:
            return SubmissionState(self.state)
        if evaluation.scored_at is not None:
            return SubmissionState.EVALUATED
        return SubmissionState.EVALUATING

    @property
    def job_counts(self) -> dict[str, int]:
        """Jobs by state; without a query where ``with_counts`` was used."""
        attached = {
            state.value: getattr(self, f"jobs_{state.value}", None)
            for state in JobState
        }
        if None in attached.values():
            return queue.counts(self.evaluation)
        return {state: count or 0 for state, count in attached.items()}

    @property
    def took(self) -> timedelta | None:
        """From handing in to the last verdict; None before it."""
        scored_at = self.evaluation.scored_at
        return None if scored_at is None else scored_at - self.created_at

    @property
    def job_total(self) -> int:
        return sum(self.job_counts.values())

    @property
    def undecided(self) -> bool:
        """Whether jobs may still be at work."""
        return self.shown_state == SubmissionState.EVALUATING


class SubmissionEvent(models.Model):
    """One act on a submission; ``actor`` is empty where the software acted."""

    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, related_name="events"
    )
    at = models.DateTimeField(auto_now_add=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True
    )
    from_state = models.CharField(max_length=12, choices=SubmissionState, blank=True)
    to_state = models.CharField(max_length=12, choices=SubmissionState)
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.from_state or '-'} -> {self.to_state}"

    @property
    def is_note(self) -> bool:
        """Whether only the reason tells something, such as that it was run again.

        A move from embargo to embargo is none: the day is another one.
        """
        same = self.from_state == self.to_state
        return same and self.to_state != SubmissionState.EMBARGOED

    @property
    def label(self) -> str | Promise:
        """The new state in words, or that it is a note."""
        return _("Note") if self.is_note else SubmissionState(self.to_state).label
