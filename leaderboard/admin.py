"""The tables of the ground floor in Django's admin: to look at, never to change.

Results come from evaluations, snapshots from packages; whoever must act on them uses
the pages and commands that check the rules and leave a record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from leaderboard import outbox
from leaderboard.models import (
    Artifact,
    AuditEvent,
    Benchmark,
    CheckResult,
    Configuration,
    Erratum,
    Evaluation,
    EvaluationSnapshot,
    FPoint,
    Kit,
    OutboxMessage,
    Overruling,
    Run,
    ScopeTotals,
    SnapshotScope,
    Task,
    TaskResult,
)

if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Any]
    _TabularInline = admin.TabularInline[Any, Any]
else:  # Django's own classes take no type arguments.
    _ModelAdmin = admin.ModelAdmin
    _TabularInline = admin.TabularInline


class ReadOnlyAdmin(_ModelAdmin):
    """Shows rows to staff with the permission to view them."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(
        self, request: HttpRequest, obj: Model | None = None
    ) -> bool:
        return False

    def has_delete_permission(
        self, request: HttpRequest, obj: Model | None = None
    ) -> bool:
        return False


class ReadOnlyInline(_TabularInline):
    extra = 0
    can_delete = False
    show_change_link = True

    def has_add_permission(
        self, request: HttpRequest, obj: Model | None = None
    ) -> bool:
        return False

    def has_change_permission(
        self, request: HttpRequest, obj: Model | None = None
    ) -> bool:
        return False


class ScopeInline(ReadOnlyInline):
    model = SnapshotScope


class FPointInline(ReadOnlyInline):
    model = FPoint


class TotalsInline(ReadOnlyInline):
    model = ScopeTotals
    fields = ["run", "scope", "completed_count", "completed_by_run", "task_count"]


class CheckInline(ReadOnlyInline):
    model = CheckResult


@admin.register(EvaluationSnapshot)
class SnapshotAdmin(ReadOnlyAdmin):
    list_display = ["version", "benchmark", "title", "status", "task_snapshot_date"]
    list_filter = ["status", "benchmark"]
    list_select_related = ["benchmark"]
    inlines = [ScopeInline]


@admin.register(Task)
class TaskAdmin(ReadOnlyAdmin):
    list_display = ["slug", "snapshot", "source", "difficulty", "title"]
    list_filter = ["snapshot", "source", "difficulty"]
    list_select_related = ["snapshot__benchmark"]
    search_fields = ["slug", "title"]
    inlines = [FPointInline]


@admin.register(Configuration)
class ConfigurationAdmin(ReadOnlyAdmin):
    list_display = ["model", "provider", "agent_name", "agent_version"]
    search_fields = ["model", "provider"]


@admin.register(Evaluation)
class EvaluationAdmin(ReadOnlyAdmin):
    list_display = ["pk", "configuration", "snapshot", "provenance", "visibility"]
    list_filter = ["provenance", "visibility", "snapshot"]
    list_select_related = ["configuration", "snapshot__benchmark"]
    search_fields = ["configuration__model"]
    inlines = [TotalsInline]


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    list_display = ["evaluation", "number", "finished_at"]
    list_select_related = [
        "evaluation__configuration",
        "evaluation__snapshot__benchmark",
    ]


@admin.register(TaskResult)
class TaskResultAdmin(ReadOnlyAdmin):
    list_display = ["pk", "run", "task", "completed", "reason", "scored_at"]
    list_filter = ["completed", "reason"]
    list_select_related = ["run", "task"]
    search_fields = ["task__slug"]
    inlines = [CheckInline]


@admin.register(Overruling)
class OverrulingAdmin(ReadOnlyAdmin):
    list_display = ["result", "reason", "proposed_by", "confirmed_by", "at"]
    list_select_related = ["result__task", "proposed_by", "confirmed_by"]
    search_fields = ["result__task__slug", "reason"]


@admin.register(Artifact)
class ArtifactAdmin(ReadOnlyAdmin):
    list_display = ["name", "run", "task", "kind", "size_bytes"]
    list_filter = ["kind"]
    list_select_related = ["run", "task"]
    search_fields = ["name", "sha256"]


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnlyAdmin):
    list_display = ["at", "actor", "act", "subject", "reason"]
    list_filter = ["act"]
    list_select_related = ["actor"]
    search_fields = ["subject", "reason"]


@admin.register(OutboxMessage)
class OutboxMessageAdmin(ReadOnlyAdmin):
    """What was told to whom; what was given up can be sent again from here."""

    list_display = ["created_at", "kind", "channel", "target", "state", "tries", "note"]
    list_filter = ["state", "channel", "kind"]
    search_fields = ["key", "target"]
    actions = ["send_again"]

    @admin.display(description=_("Last answer or error"))
    def note(self, message: OutboxMessage) -> str:
        return message.answer or message.last_error

    def has_send_again_permission(self, request: HttpRequest) -> bool:
        return bool(getattr(request.user, "is_superuser", False))

    @admin.action(
        description=_("Send again what was given up"), permissions=["send_again"]
    )
    def send_again(
        self, request: HttpRequest, queryset: QuerySet[OutboxMessage]
    ) -> None:
        assert isinstance(request.user, User)  # noqa: S101 - a superuser
        count = outbox.send_again(queryset, by=request.user, reason="in the admin")
        said = ngettext(
            "%(count)s message will be sent again.",
            "%(count)s messages will be sent again.",
            count,
        )
        self.message_user(request, said % {"count": count})


admin.site.register([Benchmark, Erratum, Kit], ReadOnlyAdmin)
