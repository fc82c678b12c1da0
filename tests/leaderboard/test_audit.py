from __future__ import annotations

import pytest
from django.contrib import admin
from django.core.management.color import no_style
from django.db import DatabaseError, connection, transaction
from django.urls import reverse

from leaderboard.models import AuditEvent, Evaluation
from leaderboard.published import load_published
from tests.factories import (
    ArtifactFactory,
    scored_evaluation,
)
from tests.leaderboard.test_published import FOLDER

pytestmark = pytest.mark.django_db

OWN_MODELS = [
    model for model in admin.site._registry if model._meta.app_label == "leaderboard"
]


@pytest.fixture
def event(user) -> AuditEvent:
    return AuditEvent.objects.create(
        actor=user, act="publish", subject="evaluation 1", reason="Reviewed."
    )


def test_an_audit_event_can_be_added(event):
    assert AuditEvent.objects.get() == event


@pytest.mark.parametrize(
    "change",
    [
        lambda event: AuditEvent.objects.update(reason="Something else."),
        lambda event: event.delete(),
        lambda event: AuditEvent.objects.all().delete(),
        lambda event: event.save(),
    ],
    ids=["update", "delete one", "delete all", "save again"],
)
def test_the_database_refuses_to_change_or_delete_an_audit_event(event, change):
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        change(event)

    assert AuditEvent.objects.get(reason="Reviewed.")


def test_raw_sql_cannot_change_an_audit_event_either(event):
    with (
        pytest.raises(DatabaseError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("UPDATE leaderboard_auditevent SET act = 'other'")


def test_the_audit_trail_cannot_be_emptied_at_once(event):
    """As ``manage.py flush`` does it: with TRUNCATE where there is such a thing."""
    tables = [AuditEvent._meta.db_table]
    emptying = connection.ops.sql_flush(no_style(), tables, allow_cascade=True)
    connection.check_constraints()  # what the insert left to do would refuse it, too

    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        connection.ops.execute_sql_flush(emptying)

    assert AuditEvent.objects.get() == event


def test_who_acted_cannot_be_deleted(event, user):
    with pytest.raises(DatabaseError), transaction.atomic():
        user.delete()


@pytest.fixture
def rows(user):
    load_published(FOLDER)
    evaluation = scored_evaluation([[0], [], [0]], task_count=1)
    ArtifactFactory(run=evaluation.runs.first())
    AuditEvent.objects.create(actor=user, act="publish", subject="evaluation 1")


@pytest.mark.parametrize("model", OWN_MODELS, ids=lambda model: model.__name__)
def test_the_admin_shows_every_table_and_changes_none(client, maintainer, rows, model):
    client.force_login(maintainer)
    name = f"admin:leaderboard_{model._meta.model_name}"
    row = model.objects.first()
    if row is not None:
        page = client.get(reverse(f"{name}_change", args=[row.pk]))
        assert page.status_code == 200
        assert b'name="_save"' not in page.content
        posted = client.post(reverse(f"{name}_change", args=[row.pk]), {"_save": "1"})
        assert posted.status_code == 403
        deleted = client.post(reverse(f"{name}_delete", args=[row.pk]), {"post": "yes"})
        assert deleted.status_code == 403

    assert client.get(reverse(f"{name}_changelist")).status_code == 200
    assert client.get(reverse(f"{name}_add")).status_code == 403


def test_the_admin_is_closed_to_everybody_else(signed_in):
    page = signed_in.get(reverse("admin:leaderboard_evaluation_changelist"))

    assert page.status_code == 302


def test_the_admin_list_of_evaluations_costs_the_same_at_any_size(
    client, maintainer, django_assert_max_num_queries
):
    load_published(FOLDER)
    client.force_login(maintainer)

    with django_assert_max_num_queries(10):
        client.get(reverse("admin:leaderboard_evaluation_changelist"))

    assert Evaluation.objects.count() == 8
