from __future__ import annotations

import pytest
from django.core.management import call_command
from django.test import RequestFactory
from rest_framework.request import Request

from leaderboard.api.results import Pages
from leaderboard.exports import standings_as_dict
from leaderboard.metrics import Scope
from leaderboard.models import EvaluationSnapshot, Visibility
from leaderboard.published import load_published
from leaderboard.standings import row_as_dict, standings
from tests.factories import (
    ArtifactFactory,
    EvaluationFactory,
    EvaluationSnapshotFactory,
    RunFactory,
    ScopeTotalsFactory,
    SubmissionFactory,
    TaskFactory,
    scored_evaluation,
)
from tests.leaderboard.test_published import FOLDER
from tests.tokens import token_for

pytestmark = pytest.mark.django_db

API = "/api/v1"


@pytest.fixture
def v1() -> EvaluationSnapshot:
    return load_published(FOLDER).snapshot


def problem_of(response, status: int):
    assert response.status_code == status
    assert response["Content-Type"] == "application/problem+json"
    problem = response.json()
    assert problem.keys() == {"type", "title", "status", "detail", "errors"}
    assert problem["status"] == status
    for item in problem["errors"]:
        assert item.keys() == {"code", "where", "saw", "fix"}
    return problem


@pytest.mark.parametrize("scope", Scope)
def test_the_leaderboard_gives_the_rows_of_the_standings(client, v1, scope):
    answer = client.get(f"{API}/leaderboard/?snapshot=v1.0&source={scope}").json()

    table = standings_as_dict(standings(v1, scope))
    assert answer == {**table, "count": 8, "next": None, "previous": None}
    assert len(answer["results"]) == 8


def test_rows_that_are_not_ranked_come_with_the_first_page(client, v1):
    EvaluationFactory(
        snapshot=v1, visibility=Visibility.WITHDRAWN, withdrawn_reason="A mistake."
    )

    first = client.get(f"{API}/leaderboard/?limit=3").json()
    second = client.get(first["next"]).json()

    assert [row["rank"] for row in first["results"] + second["results"]] == [
        row.rank for row in standings(v1).rows[:6]
    ]
    assert (len(first["withdrawn"]), len(second["withdrawn"])) == (1, 0)


def test_a_page_is_never_longer_than_the_cap(client, v1):
    answer = client.get(f"{API}/evaluations/?limit=100000").json()

    assert (answer["count"], len(answer["results"])) == (8, 8)
    assert Pages().get_limit(Request(RequestFactory().get("/?limit=9999"))) == 500


def test_a_row_has_the_documented_fields_and_units(client, v1):
    answer = client.get(f"{API}/leaderboard/").json()

    assert answer["snapshot"]["version"] == "v1.0"
    assert answer["scope"] == "overall"
    first = answer["results"][0]
    assert first["configuration"]["model"] == "GLM-5.2"
    assert (first["completed"], first["task_runs"]) == (268, 459)
    assert first["task_completion"]["mean"] == 268 / 459
    assert first["tokens_per_task"] == 2_570_000
    assert first["seconds_per_task"] == 1936.4
    assert first["printed"]["first_build"] == "67.10"
    labels = [row["rank_label"] for row in answer["results"]]
    assert labels == ["1", "2", "3", "4", "5", "6=", "6=", "8"]


def test_no_field_of_a_row_is_left_out_by_the_documentation(client):
    evaluation = scored_evaluation([[0], [], []], task_count=1)
    row = standings(evaluation.snapshot).rows[0]

    (answered,) = client.get(f"{API}/leaderboard/").json()["results"]

    assert answered == row_as_dict(row)


def test_the_leaderboard_costs_four_queries_at_any_size(
    client, django_assert_max_num_queries
):
    snapshot = EvaluationSnapshotFactory()
    for _ in range(12):
        evaluation = EvaluationFactory(public=True, snapshot=snapshot)
        ScopeTotalsFactory(evaluation=evaluation)

    with django_assert_max_num_queries(4):
        answer = client.get(f"{API}/leaderboard/")

    assert len(answer.json()["results"]) == 12


def test_what_is_not_comparable_or_withdrawn_stands_apart(client):
    snapshot = EvaluationSnapshotFactory()
    self_reported = EvaluationFactory(
        public=True, snapshot=snapshot, provenance="self-reported"
    )
    ScopeTotalsFactory(evaluation=self_reported)
    withdrawn = EvaluationFactory(
        public=True,
        snapshot=snapshot,
        visibility=Visibility.WITHDRAWN,
        withdrawn_reason="Contaminated.",
    )
    ScopeTotalsFactory(evaluation=withdrawn)

    answer = client.get(f"{API}/leaderboard/").json()

    assert answer["results"] == []
    assert [row["rank"] for row in answer["unranked"]] == [None]
    assert [row["reason"] for row in answer["withdrawn"]] == ["Contaminated."]


def test_an_unknown_snapshot_is_answered_with_the_known_ones(client, v1):
    EvaluationSnapshotFactory(version="hidden-1.0", status="draft")

    problem = problem_of(client.get(f"{API}/leaderboard/?snapshot=hidden"), 404)

    assert problem["detail"] == "No snapshot 'hidden'. Known: v1.0."
    assert problem["errors"] == [
        {
            "code": "unknown_snapshot",
            "where": "?snapshot",
            "saw": "hidden",
            "fix": "Use one of: v1.0.",
        }
    ]


def test_an_unknown_source_is_answered_with_the_known_ones(client, v1):
    problem = problem_of(client.get(f"{API}/leaderboard/?source=bugs"), 400)

    (item,) = problem["errors"]
    assert item["where"] == "?source"
    assert "new-feature, spec-driven, bug-fix" in problem["detail"]


def test_without_any_public_snapshot_the_leaderboard_says_so(client):
    problem = problem_of(client.get(f"{API}/leaderboard/"), 404)

    assert problem["detail"] == "No snapshot is public yet."


def test_snapshots_are_listed_without_drafts(client, v1):
    EvaluationSnapshotFactory(status="draft")

    (found,) = client.get(f"{API}/snapshots/").json()["results"]

    assert found["version"] == "v1.0"
    assert found["scopes"]["spec-driven"] == {"tasks": 50, "f_points": 139}
    assert not found["package_held"]
    assert found["script_digest"] is None


def test_a_snapshot_shows_its_composition(client, v1):
    found = client.get(f"{API}/snapshots/openharmony-bench/v1.0/").json()

    assert found["composition"]["overall"]["repositories"] == 42


def test_a_draft_snapshot_is_not_found(client):
    EvaluationSnapshotFactory(version="d-1", status="draft")

    problem_of(client.get(f"{API}/snapshots/openharmony-bench/d-1/"), 404)


def test_tasks_are_listed_in_their_order_and_filtered(client):
    snapshot = EvaluationSnapshotFactory(version="t-1", task_count=0)
    TaskFactory(snapshot=snapshot, slug="second", position=2, kits=["Image Kit"])
    TaskFactory(
        snapshot=snapshot, slug="first", position=1, difficulty="hard", f_point_count=3
    )

    def slugs(query: str) -> list[str]:
        found = client.get(f"{API}/tasks/?snapshot=t-1{query}").json()["results"]
        return [task["slug"] for task in found]

    assert slugs("") == ["first", "second"]
    assert slugs("&difficulty=hard") == ["first"]
    assert slugs("&kit=image-kit") == ["second"]
    assert slugs("&source=bug-fix") == []
    problem_of(client.get(f"{API}/tasks/?difficulty=wild"), 400)


def test_the_task_list_costs_the_same_at_any_size(
    client, django_assert_max_num_queries
):
    snapshot = EvaluationSnapshotFactory(task_count=0)
    for _ in range(8):
        TaskFactory(snapshot=snapshot, kits=["ArkUI"], f_point_count=2)

    with django_assert_max_num_queries(5):
        answer = client.get(f"{API}/tasks/")

    assert {task["f_point_count"] for task in answer.json()["results"]} == {2}


def test_a_task_shows_statement_and_f_points_but_not_the_checks(client):
    task = TaskFactory(snapshot__version="t-1", f_point_count=2)

    found = client.get(f"{API}/tasks/t-1/{task.slug}/").json()

    assert found["statement"] == task.statement
    assert [point["id"] for point in found["f_points"]] == ["FP-1", "FP-2"]
    assert "case" not in found["f_points"][0]
    assert "method" not in found["f_points"][0]


def test_a_task_of_a_draft_is_not_found(client):
    task = TaskFactory(snapshot__version="d-1", snapshot__status="draft")

    problem_of(client.get(f"{API}/tasks/d-1/{task.slug}/"), 404)


def test_evaluations_are_listed_with_the_figures_of_every_scope(client, v1):
    scored_evaluation([[0], [], []], task_count=1)

    everything = client.get(f"{API}/evaluations/").json()
    published = client.get(f"{API}/evaluations/?provenance=published").json()
    one_page = client.get(f"{API}/evaluations/?snapshot=v1&limit=3").json()

    assert everything["count"] == len(everything["results"]) == 9
    assert published["count"] == one_page["count"] == 8
    assert len(one_page["results"]) == 3
    assert "offset=3" in one_page["next"]
    scopes = published["results"][0]["scopes"]
    assert list(scopes) == ["overall", "new-feature", "spec-driven", "bug-fix"]
    problem_of(client.get(f"{API}/evaluations/?provenance=guessed"), 400)


def test_an_evaluation_leads_to_its_runs_results_and_artifacts(client):
    evaluation = scored_evaluation(
        [[0], [1], []], task_count=2, total_tokens=10, agent_milliseconds=1500
    )
    run = evaluation.runs.first()
    artifact = ArtifactFactory(run=run)

    found = client.get(f"{API}/evaluations/{evaluation.pk}/").json()
    runs = client.get(found["runs_url"]).json()["results"]
    first, second = client.get(runs[0]["results_url"]).json()["results"]

    assert found["scopes"]["overall"]["completed_by_run"] == [1, 1, 0]
    assert [each["number"] for each in runs] == [1, 2, 3]
    assert runs[0]["scopes"]["overall"]["completed"] == 1
    assert runs[0]["archive_url"] == f"{API}/runs/{run.pk}/artifacts.zip"
    assert first["completed"]
    assert first["reason"] is None
    assert (first["total_tokens"], first["agent_seconds"]) == (10, 1.5)
    assert [check["passed"] for check in first["checks"]] == [True]
    assert second["reason"] == "check_failed"
    assert [each["id"] for each in first["artifacts"]] == [artifact.pk]
    assert second["artifacts"] == []
    assert client.get(f"{API}/artifacts/{artifact.pk}/").json() == {
        **first["artifacts"][0],
        "sha256": artifact.sha256,
        "download_url": f"{API}/artifacts/{artifact.pk}/file/",
    }


def test_published_evaluations_have_no_runs(client, v1):
    evaluation = v1.evaluations.first()

    answer = client.get(f"{API}/evaluations/{evaluation.pk}/runs/")

    assert answer.json()["results"] == []


def test_results_cost_the_same_at_any_size(client, django_assert_max_num_queries):
    evaluation = scored_evaluation([[0]], task_count=9)
    run = evaluation.runs.get()

    with django_assert_max_num_queries(7):
        answer = client.get(f"{API}/runs/{run.pk}/results/")

    assert len(answer.json()["results"]) == 9


@pytest.fixture
def private_urls():
    run = RunFactory()
    artifact = ArtifactFactory(run=run)
    return [
        f"{API}/evaluations/{run.evaluation_id}/",
        f"{API}/evaluations/{run.evaluation_id}/runs/",
        f"{API}/runs/{run.pk}/results/",
        f"{API}/artifacts/{artifact.pk}/",
    ], run.evaluation


def token_header(user) -> dict[str, str]:
    token = token_for(user)
    return {"Authorization": f"Token {token}"}


def test_a_private_evaluation_is_as_if_it_did_not_exist(client, private_urls, user):
    urls, _ = private_urls
    missing = [url.replace(f"/{url.split('/')[4]}/", "/999999/") for url in urls]

    for headers in ({}, token_header(user)):
        for url, other in zip(urls, missing, strict=True):
            private = problem_of(client.get(url, headers=headers), 404)
            assert private == problem_of(client.get(other, headers=headers), 404)
    assert client.get(f"{API}/evaluations/").json()["count"] == 0


def test_its_owner_and_maintainers_read_a_private_evaluation(
    client, private_urls, user, maintainer
):
    urls, evaluation = private_urls
    SubmissionFactory(evaluation=evaluation, user=user)

    for reader in (user, maintainer):
        headers = token_header(reader)
        for url in urls:
            assert client.get(url, headers=headers).status_code == 200


def test_a_wrong_token_is_a_problem_and_says_what_to_send(client):
    answer = client.get(f"{API}/snapshots/", headers={"Authorization": "Token no"})

    (item,) = problem_of(answer, 401)["errors"]
    assert answer["WWW-Authenticate"].startswith("Token")
    assert item["where"] == "Authorization"


def test_an_unknown_path_and_a_wrong_method_are_problems(client):
    unknown = problem_of(client.get(f"{API}/nothing/here/"), 404)
    method = problem_of(client.post(f"{API}/leaderboard/"), 405)

    assert "/api/docs/" in unknown["detail"]
    assert method["errors"][0]["saw"] == "POST"
    assert client.get(f"{API}/snapshots").headers["Location"] == f"{API}/snapshots/"


def test_an_unexpected_error_is_a_problem_without_details(client, monkeypatch, caplog):
    def broken() -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr("leaderboard.api.catalogue.listed_snapshots", broken)
    client.raise_request_exception = False

    problem = problem_of(client.get(f"{API}/snapshots/"), 500)

    assert "secret" not in str(problem)
    assert "secret" in caplog.text


def test_too_many_requests_are_a_problem_with_a_time_to_wait(client, monkeypatch):
    class Refusing:
        def allow_request(self, request, view):
            return False

        def wait(self):
            return 1.2

    monkeypatch.setattr(
        "leaderboard.api.catalogue.SnapshotListView.throttle_classes", [Refusing]
    )

    answer = client.get(f"{API}/snapshots/")

    (item,) = problem_of(answer, 429)["errors"]
    assert item["fix"] == "Wait 2 seconds, then try again."
    assert answer["Retry-After"] == "2"


def test_the_schema_is_valid_and_complete(tmp_path):
    path = tmp_path / "schema.yml"

    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(path))

    text = path.read_text()
    for name in ("leaderboard", "runs/{id}/results", "artifacts/{id}"):
        assert f"/api/v1/{name}/:" in text


def test_the_documentation_page_needs_no_inline_script_or_style(client):
    page = client.get("/api/docs/")

    html = page.content.decode()
    policy = page["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "script-src 'self'" in policy
    assert "<style" not in html
    assert "<script>" not in html
    assert "://" not in html
    assert (
        client.get("/api/docs/?script=")
        .headers["Content-Type"]
        .startswith("application/javascript")
    )
    assert client.get("/api/schema/").status_code == 200
