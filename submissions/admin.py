"""Submissions in the admin, to look at. Acts go through their own pages."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from submissions.models import Submission, SubmissionEvent


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
