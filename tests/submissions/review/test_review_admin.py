"""The admin shows what reviews wrote, and changes none of it."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.forms.models import model_to_dict
from django.urls import reverse

from leaderboard.models import Overruling, ScopeTotals, TaskResult
from leaderboard.overrulings import overrule
from submissions.models import IntegritySignal, Severity, Submission
from submissions.review import appeals, decisions, messages
from submissions.transitions import Act
from tests.factories import scored_evaluation

pytestmark = pytest.mark.django_db
OWN_APPS = {"leaderboard", "evaluator", "submissions"}
# Tokens are revoked here, and here is said which bundles are taken from now on, with a
# form that leads to a service. Neither says anything about results.
DELETED, CHANGED = {"ApiToken"}, {"SnapshotPolicy"}
REGISTERED = [
    model for model in admin.site._registry if model._meta.app_label in OWN_APPS
]


@pytest.fixture
def rows(evaluated, maintainer, insider, second):
    """Something of everything that a review writes."""
    messages.write_note(evaluated, by=maintainer, text="looks odd")
    decisions.decide(evaluated, Act.REJECT, by=maintainer, reason="copied")
    appeals.appeal(evaluated, by=evaluated.user, text="No.")
    decisions.decide(evaluated, Act.REOPEN, by=second, reason="it is not")
    decisions.decide(evaluated, Act.PUBLISH, by=insider)
    IntegritySignal.objects.create(
        submission=evaluated,
        code="git_history",
        severity=Severity.FLAG,
        score=0.9,
        seen="git log --all",
        fingerprint="1",
    )
    other = scored_evaluation([[0]], task_count=1)
    overrule(
        TaskResult.objects.get(run__evaluation=other),
        proposed_by=maintainer,
        confirmed_by=second,
        reason="copied",
    )


@pytest.mark.parametrize("model", REGISTERED, ids=lambda model: model.__name__)
def test_no_page_of_the_admin_adds_changes_or_deletes_a_row(
    client, maintainer, rows, model
):
    client.force_login(maintainer)
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
    listed = client.get(reverse(f"{name}_changelist"))
    assert listed.status_code == 200
    acting = client.post(
        reverse(f"{name}_changelist"),
        {"action": "delete_selected", "_selected_action": ["1"], "post": "yes"},
    )
    count = model.objects.count()
    row = model.objects.first()

    assert client.post(reverse(f"{name}_add"), {"_save": "1"}).status_code == 403
    if row is not None:
        before = model_to_dict(row)
        change = reverse(f"{name}_change", args=[row.pk])
        assert client.get(change).status_code == 200
        if model.__name__ not in CHANGED:
            assert client.post(change, {"_save": "1"}).status_code == 403
        if model.__name__ not in DELETED:
            delete = reverse(f"{name}_delete", args=[row.pk])
            assert client.post(delete, {"post": "yes"}).status_code == 403
        assert model_to_dict(model.objects.get(pk=row.pk)) == before
    assert acting.status_code in {200, 302, 403}
    assert model.objects.count() == count


def test_verdicts_and_numbers_have_no_form_in_the_admin(client, maintainer, rows):
    client.force_login(maintainer)
    for model in (TaskResult, ScopeTotals, Overruling, Submission):
        if model not in admin.site._registry:
            continue
        row = model.objects.first()
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}_change"
        page = client.get(reverse(name, args=[row.pk])).content.decode()
        assert 'name="_save"' not in page, model
        assert 'type="checkbox" name="completed"' not in page, model


def test_rows_of_a_review_lead_to_its_page(client, maintainer, rows, evaluated):
    client.force_login(maintainer)
    for name in ("submission", "message", "proposal", "appeal", "integritysignal"):
        page = client.get(reverse(f"admin:submissions_{name}_changelist"))
        assert f'href="/review/{evaluated.pk}/"' in page.content.decode(), name
