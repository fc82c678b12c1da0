"""The history of a configuration over snapshots and time."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from leaderboard.models import Evaluation, EvaluationSnapshot, Visibility
from tests.factories import ConfigurationFactory, EvaluationSnapshotFactory
from tests.leaderboard.evaluations import evaluated

pytestmark = pytest.mark.django_db


@pytest.fixture
def configuration():
    return ConfigurationFactory(model="some-model")


def add(configuration, version: str, day: int, **fields) -> Evaluation:
    snapshot = EvaluationSnapshot.objects.filter(version=version).first()
    snapshot = snapshot or EvaluationSnapshotFactory(version=version, task_count=2)
    return evaluated(
        snapshot,
        configuration=configuration,
        published_at=datetime(2024, 5, day, tzinfo=UTC),
        **fields,
    )


def rows_of(client, configuration, language: str = "") -> list[str]:
    response = client.get(f"{language}/c/{configuration.pk}/")
    assert response.status_code == 200
    body = re.search(r"<tbody>(.*?)</tbody>", response.content.decode(), re.DOTALL)
    assert body
    rows = re.findall(r"<tr.*?</tr>", body[1], re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in rows]


def test_evaluations_stand_by_time_with_their_provenance_and_state(
    client, configuration
):
    add(configuration, "v1.0", 1)
    add(configuration, "v1.0", 9, provenance="reproduced")
    add(configuration, "v2.0", 5, provenance="self-reported")

    latest, other, first = rows_of(client, configuration)

    assert latest.startswith("2024-05-09 OpenHarmony Bench v1.0 Reproduced")
    assert latest.endswith("Current on its snapshot")
    assert "75.00 [50.00–100.00] 3/4" in latest
    assert other.startswith("2024-05-05 OpenHarmony Bench v2.0 Self-reported")
    assert other.endswith("Not comparable, not ranked")
    assert first.endswith("Superseded by a later evaluation on the same snapshot")


def test_a_struck_out_evaluation_stays_with_its_reason_and_without_figures(
    client, configuration
):
    add(configuration, "v1.0", 1)
    add(
        configuration,
        "v1.0",
        2,
        visibility=Visibility.DISQUALIFIED,
        withdrawn_reason="Checks were copied.",
        struck_out_at=datetime(2024, 5, 4, tzinfo=UTC),
    )

    struck, standing = rows_of(client, configuration)

    assert struck.endswith("Disqualified (2024-05-04): Checks were copied.")
    assert "75.00" not in struck
    assert standing.endswith("Current on its snapshot")


def test_a_strike_that_was_taken_back_is_told(client, configuration):
    period = ["2024-05-04T00:00:00+00:00", "2024-05-06T00:00:00+00:00", "A mistake."]
    add(configuration, "v1.0", 1, past_strikes=[period])

    (row,) = rows_of(client, configuration)

    assert row.endswith(
        "Struck out from 2024-05-04 to 2024-05-06 (A mistake.), then ranked again."
    )


@pytest.mark.parametrize("visibility", [Visibility.PRIVATE, Visibility.EMBARGOED])
def test_what_is_not_public_is_unknown_to_everybody(
    client, admin_client, configuration, visibility
):
    add(
        configuration,
        "v1.0",
        1,
        visibility=visibility,
        public_from=datetime(2999, 1, 1, tzinfo=UTC),
    )

    for asker in (client, admin_client):
        assert asker.get(f"/c/{configuration.pk}/").status_code == 404


def test_private_evaluations_and_configurations_are_not_listed(client, configuration):
    add(configuration, "v1.0", 1)
    add(configuration, "v1.0", 2, visibility=Visibility.PRIVATE)
    hidden = ConfigurationFactory(model="some-model", agent_version="9.9")
    add(hidden, "v1.0", 3, visibility=Visibility.PRIVATE)
    shown = ConfigurationFactory(model="some-model", agent_version="8.8")
    add(shown, "v1.0", 3)

    html = client.get(f"/c/{configuration.pk}/").content.decode()

    assert len(rows_of(client, configuration)) == 1
    assert "8.8" in html
    assert "9.9" not in html


def test_rows_and_evaluation_pages_lead_to_the_history(client, published):
    evaluation = Evaluation.objects.get(configuration__model="GLM-5.2")
    address = f'href="/c/{evaluation.configuration_id}/"'

    assert f'class="history" {address} aria-label="History of GLM-5.2"' in (
        client.get("/").content.decode()
    )
    assert address in client.get(evaluation.get_absolute_url()).content.decode()


def test_a_history_costs_the_same_at_any_length(
    client, configuration, django_assert_max_num_queries
):
    for day in range(1, 7):
        add(configuration, "v1.0", day)

    with django_assert_max_num_queries(5):
        assert len(rows_of(client, configuration)) == 6
