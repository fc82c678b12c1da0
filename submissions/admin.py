"""Submissions in the admin, to look at. Acts go through their own pages."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from submissions.models import (
    ApiToken,
    Membership,
    Submission,
    SubmissionEvent,
    Team,
)


class ReadOnly:
    """Nothing is added, changed or deleted here."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class SubmissionEventInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]  # no subscript at run time
    model = SubmissionEvent
    fields = readonly_fields = ("at", "actor", "from_state", "to_state", "reason")


@admin.register(Submission)
class SubmissionAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]  # no subscript at run time
    list_display = ["uuid", "user", "snapshot", "shown_state", "trusted", "created_at"]
    list_filter = ["snapshot", "state", "trusted"]
    list_select_related = ["user", "snapshot__benchmark", "evaluation"]
    search_fields = ["uuid", "user__username", "archive_sha256"]
    date_hierarchy = "created_at"
    inlines = [SubmissionEventInline]


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
