"""The page with figures to zoom and hover: data, tables, policy, hostile names."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client

from leaderboard.charts import CostPoint
from leaderboard.charts.explore import Series, cost_figure, marks_figure
from leaderboard.models import Configuration
from tests.factories import (
    EvaluationFactory,
    EvaluationSnapshotFactory,
    ScopeTotalsFactory,
)
from tests.leaderboard.test_pages import models_of

HOSTILE = '<img src=x onerror="hacked=1">'


def page_of(client: Client, query: str = "") -> str:
    response = client.get(f"/explore/{query}")
    assert response.status_code == 200
    return response.content.decode()


def drawing_of(html: str, key: str) -> dict[str, Any]:
    found = re.search(
        rf'<script id="{key}-data" type="application/json">(.*?)</script>', html
    )
    assert found, key
    drawing: dict[str, Any] = json.loads(found[1])
    return drawing


def table_of(html: str, key: str) -> list[list[str]]:
    section = html.partition(f'id="{key}-heading"')[2].partition("</section>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", section.partition("<tbody>")[2], re.DOTALL)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


def test_the_figures_hold_the_rows_of_the_leaderboard(client, published):
    html = page_of(client, "?family=Kimi&snapshot=v1.0")
    home = client.get("/?family=Kimi").content.decode()

    for key in ("cost", "sources", "builds"):
        assert [row[0] for row in table_of(html, key)] == models_of(home)


@pytest.mark.parametrize("key", ["sources", "builds"])
def test_a_table_has_the_numbers_of_its_figure(client, published, key):
    html = page_of(client)
    drawing = drawing_of(html, key)
    drawn = [trace["x"] for trace in drawing["data"]]
    names = drawing["layout"]["yaxis"]["ticktext"]

    for place, row in enumerate(table_of(html, key)):
        assert row[0] == names[place]
        for text, values in zip(row[1:], drawn, strict=True):
            assert float(text) == pytest.approx(values[place], abs=0.00501)


def test_the_cost_figure_has_the_frontier_as_a_step_line(client, published):
    line, others, best = drawing_of(page_of(client), "cost")["data"]

    assert line["line"]["shape"] == "hv"
    assert best["text"] == ["Qwen3.8-Max-Preview", "Kimi-K3", "GLM-5.2"]
    assert line["x"][:-1] == best["x"] == [0.98, 1.02, 2.57]
    assert len(others["text"]) == 5
    assert others["error_y"]["symmetric"] is False


def test_the_cost_axis_is_chosen_in_the_address(client, published):
    html = page_of(client, "?cost=time")

    title = drawing_of(html, "cost")["layout"]["xaxis"]["title"]["text"]
    assert title == "Seconds per task (log scale)"


def test_what_was_not_reported_is_no_mark_and_a_dash(client, db):
    snapshot = EvaluationSnapshotFactory(version="v3.0", task_count=0)
    for tokens in (None, 500):
        evaluation = EvaluationFactory(snapshot=snapshot, public=True)
        ScopeTotalsFactory(
            evaluation=evaluation, total_tokens=tokens, first_build_count=None
        )
    html = page_of(client)

    assert drawing_of(html, "builds")["data"][0]["x"] == [None, None]
    assert [row[1] for row in table_of(html, "builds")] == ["—", "—"]
    assert len(table_of(html, "cost")) == 1


def test_only_this_page_allows_inline_styles_and_no_page_inline_scripts(
    client, published
):
    policy = client.get("/explore/")["Content-Security-Policy"]
    usual = client.get("/")["Content-Security-Policy"]

    def parts(text: str) -> dict[str, set[str]]:
        pairs = (part.split() for part in text.split(";"))
        return {name: set(values) for name, *values in pairs}

    assert parts(policy).pop("style-src") == {"'self'", "'unsafe-inline'"}
    assert parts(usual)["style-src"] == {"'self'"}
    assert {**parts(policy), "style-src": set()} == {**parts(usual), "style-src": set()}
    assert "plotly" not in client.get("/").content.decode()


def test_names_of_strangers_are_escaped_for_page_and_figure(client, published):
    Configuration.objects.filter(model="GLM-5.2").update(model=HOSTILE)
    html = page_of(client)
    escaped = HOSTILE.replace("<", "&lt;").replace(">", "&gt;")

    assert HOSTILE not in html
    assert drawing_of(html, "sources")["layout"]["yaxis"]["ticktext"][0] == escaped
    assert escaped in drawing_of(html, "cost")["data"][2]["text"]


def test_a_long_name_leaves_room_for_the_marks():
    figure = marks_figure(["n" * 90], [Series("s", "accent", [1])], label="x")

    assert figure["layout"]["yaxis"]["ticktext"] == ["n" * 31 + "…"]
    assert figure["data"][0]["text"] == ["n" * 90]


def test_two_rows_of_one_name_stay_two_rows():
    figure = marks_figure(["same", "same"], [Series("s", "accent", [1, 2])], label="x")

    assert figure["data"][0]["y"] == [0, 1]
    assert figure["layout"]["yaxis"]["ticktext"] == ["same", "same"]


def test_one_point_is_a_figure_too():
    point = CostPoint("a", "/e/1/", 2.0, 50, 40, 60)
    figure = cost_figure([point], cost_label="x", completion_label="y")

    low, high = figure["layout"]["xaxis"]["range"]
    assert low < high


def test_a_filter_without_a_match_leads_back(client, published):
    html = page_of(client, "?q=nothing-like-this")

    assert "No configuration matches" in html
    assert 'href="/s/openharmony-bench/v1.0/?q=nothing-like-this"' in html


def test_unknown_snapshots_days_and_values_are_told(client, published):
    assert client.get("/explore/?snapshot=v9").status_code == 404
    day = client.get("/explore/?as_of=2020-01-01", follow=True)
    assert day.status_code == 404
    assert "No standings of that day" in day.content.decode()
    assert "<code>cost=price</code>" in page_of(client, "?cost=price")


def test_the_leaderboard_leads_here_with_its_query(client, published):
    html = client.get("/?source=bug-fix&cost=time").content.decode()

    assert 'href="/explore/?source=bug-fix&amp;cost=time&amp;snapshot=v1.0"' in html


def test_figures_cost_a_constant_number_of_queries(
    client, published, django_assert_max_num_queries
):
    with django_assert_max_num_queries(5):
        page_of(client)
