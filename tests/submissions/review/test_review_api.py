"""Decisions, answers and appeals through the API."""

from __future__ import annotations

import pytest

from submissions.models import Scope
from tests.factories import UserFactory
from tests.tokens import api_client

pytestmark = pytest.mark.django_db


def post(client, submission, name: str, **body):
    address = f"/api/v1/submissions/{submission.pk}/{name}/"
    return client.post(address, body, content_type="application/json")


def test_a_maintainer_decides(evaluated, maintainer):
    answer = post(
        api_client(maintainer), evaluated, "decisions", act="reject", reason="copied"
    )

    assert answer.status_code == 200
    assert answer.json()["state"] == "rejected"


def test_what_is_not_possible_is_a_conflict_with_a_sentence(evaluated, maintainer):
    client = api_client(maintainer)

    answer = post(client, evaluated, "decisions", act="reinstate", reason="x")
    unknown = post(client, evaluated, "decisions", act="explode")

    assert answer.status_code == 409
    assert "Only a submission that is disqualified" in answer.json()["detail"]
    assert unknown.status_code == 400
    assert unknown.json()["errors"][0]["where"] == "act"


def test_a_decision_for_the_own_team_is_accepted_but_not_done(evaluated, insider):
    client = api_client(insider)

    answer = post(client, evaluated, "decisions", act="publish")
    outright = post(client, evaluated, "publish")

    assert answer.status_code == 202
    assert answer.json()["state"] == "evaluated"
    assert outright.status_code == 409
    assert "second maintainer" in outright.json()["detail"]


def test_deciding_needs_the_scope_and_the_person(evaluated, maintainer, user):
    without = api_client(maintainer, Scope.READ, Scope.SUBMIT)
    assert post(without, evaluated, "decisions", act="publish").status_code == 403
    assert (
        post(api_client(user), evaluated, "decisions", act="publish").status_code == 403
    )


def test_the_submitter_answers_and_appeals(evaluated, maintainer, user):
    staff, owner = api_client(maintainer), api_client(user)
    post(staff, evaluated, "decisions", act="ask", reason="Which seed?")

    answered = post(owner, evaluated, "answer", text="7")
    assert answered.json()["state"] == "evaluated"
    assert post(owner, evaluated, "answer", text="7").status_code == 409
    assert post(owner, evaluated, "appeal", text="No.").status_code == 409

    post(staff, evaluated, "decisions", act="reject", reason="copied")
    assert post(owner, evaluated, "appeal").status_code == 400
    assert post(owner, evaluated, "appeal", text="No.").status_code == 200
    assert post(staff, evaluated, "appeal", text="No.").status_code == 403
    assert post(
        api_client(UserFactory()), evaluated, "appeal", text="x"
    ).status_code in {404}
