"""Submissions in the admin, to look at. Acts go through their own pages."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from leaderboard.models import EvaluationSnapshot
from submissions.comparability import REFUSABLE
from submissions.models import (
    ApiToken,
    Appeal,
    IntegritySignal,
    Membership,
    Message,
    Proposal,
    SignalVerdict,
    SnapshotPolicy,
    Submission,
    SubmissionEvent,
    Team,
)
from submissions.policy import refuse_differences


class ReadOnly:
    """Nothing is added, changed or deleted here."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def _link_to_review(submission: Submission) -> str:
    address = reverse("review", args=[submission.pk])
    return format_html('<a href="{}">{}</a>', address, _("Review"))


class SubmissionEventInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]  # no subscript at run time
    model = SubmissionEvent
    fields = readonly_fields = ("at", "actor", "from_state", "to_state", "reason")


@admin.register(Submission)
class SubmissionAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]  # no subscript at run time
    list_display = [
        *("uuid", "user", "snapshot", "shown_state", "trusted", "created_at"),
        "review",
    ]
    readonly_fields = ("review",)
    list_filter = ["snapshot", "state", "trusted"]
    list_select_related = ["user", "snapshot__benchmark", "evaluation"]
    search_fields = ["uuid", "user__username", "archive_sha256"]
    date_hierarchy = "created_at"
    inlines = [SubmissionEventInline]

    @admin.display(description=_("Review"))
    def review(self, submission: Submission) -> str:
        return _link_to_review(submission)


class ReviewedAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]  # no subscript at run time
    """Rows of a review, each with a link to its page, where they are acted on."""

    readonly_fields = ("review",)

    @admin.display(description=_("Review"))
    def review(self, row: Message | Proposal | Appeal | IntegritySignal) -> str:
        return _link_to_review(row.submission)


@admin.register(Message)
class MessageAdmin(ReviewedAdmin):
    list_display = ["at", "kind", "author", "review"]
    list_filter = ["kind"]
    list_select_related = ["author", "submission"]
    search_fields = ["text", "submission__uuid"]


@admin.register(Proposal)
class ProposalAdmin(ReviewedAdmin):
    list_display = ["proposed_at", "act", "proposed_by", "confirmed", "review"]
    list_filter = ["act", "confirmed"]
    list_select_related = ["proposed_by", "submission"]
    search_fields = ["reason", "submission__uuid"]


@admin.register(Appeal)
class AppealAdmin(ReviewedAdmin):
    list_display = ["at", "by", "outcome", "answered_by", "review"]
    list_filter = ["outcome"]
    list_select_related = ["by", "answered_by", "submission"]
    search_fields = ["text", "answer", "submission__uuid"]


class SignalVerdictInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]  # no subscript at run time
    model = SignalVerdict
    fields = readonly_fields = ("at", "actor", "decision", "reason")


@admin.register(IntegritySignal)
class IntegritySignalAdmin(ReviewedAdmin):
    list_display = ["code", "severity", "score", "run_number", "task", "review"]
    list_filter = ["code", "severity", "current"]
    list_select_related = ["task", "submission"]
    search_fields = ["seen", "submission__uuid"]
    inlines = [SignalVerdictInline]


class MembershipInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]  # no subscript at run time
    model = Membership
    fields = readonly_fields = ("user", "role", "joined_at")


@admin.register(Team)
class TeamAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]  # no subscript at run time
    list_display = ["name", "slug", "created_at"]
    search_fields = ["name", "memberships__user__username"]
    inlines = [MembershipInline]


@admin.register(ApiToken)
class ApiTokenAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # no subscript at run time
    """To see who uses what, and to revoke; tokens are made by their owners alone."""

    list_display = ["shown_prefix", "user", "name", "scopes", "expiry", "last_used_at"]
    list_select_related = ["user"]
    search_fields = ["user__username", "name", "token_key"]
    fields = readonly_fields = (
        "user",
        "name",
        "shown_prefix",
        "scopes",
        "created",
        "expiry",
        "last_used_at",
    )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class PolicyForm(forms.ModelForm):  # type: ignore[type-arg]  # no subscript at run time
    refused_differences = forms.MultipleChoiceField(
        label=_("Refused where different"),
        help_text=_(
            "Any other field that differs is accepted, named, and not comparable. "
            "Submissions of before stay as they are."
        ),
        choices=[(name, name) for name in REFUSABLE],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    reason = forms.CharField(
        label=_("Reason"),
        max_length=2000,
        widget=forms.Textarea({"rows": 2}),
        help_text=_("It stays on record with your name."),
    )

    class Meta:
        model = SnapshotPolicy
        fields = ["refused_differences"]


@admin.register(SnapshotPolicy)
class SnapshotPolicyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # no subscript at run time
    """What uploads for a snapshot may not differ in; each change is an audit event."""

    form = PolicyForm
    list_display = ["version", "benchmark", "status", "refused_differences"]
    list_select_related = ["benchmark"]
    readonly_fields = ["version", "benchmark", "status"]
    fields = ["version", "benchmark", "status", "refused_differences", "reason"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(
        self, request: HttpRequest, obj: SnapshotPolicy, form: Any, change: bool
    ) -> None:
        assert isinstance(request.user, User)  # noqa: S101 - a superuser
        refuse_differences(
            EvaluationSnapshot.objects.get(pk=obj.pk),
            form.cleaned_data["refused_differences"],
            by=request.user,
            reason=form.cleaned_data["reason"],
        )
