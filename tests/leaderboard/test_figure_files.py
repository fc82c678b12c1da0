"""The figures of the leaderboard as files: drawings and their numbers."""

from __future__ import annotations

import csv
import re
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest

from leaderboard.models import (
    Configuration,
    EvaluationSnapshot,
    Kit,
    TaskResult,
)
from leaderboard.published import load_published
from tests.factories import EvaluationSnapshotFactory, FPointFactory
from tests.leaderboard.evaluations import evaluated

ROOT = Path(__file__).parents[2]
PLACE = "/s/openharmony-bench/v1.0/figures"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def published(db) -> EvaluationSnapshot:
    load_published(ROOT / "fixtures" / "published")
    return EvaluationSnapshot.objects.get(version="v1.0")


def rows_of(client, path: str) -> list[dict[str, str]]:
    response = client.get(path)
    assert response.status_code == 200
    assert response["Content-Type"].startswith("text/csv")
    return list(csv.DictReader(StringIO(response.content.decode())))


def texts_of(client, path: str) -> list[str]:
    response = client.get(path)
    assert response["Content-Type"] == "image/svg+xml"
    root = ElementTree.fromstring(response.content)  # noqa: S314 - our own
    return ["".join(each.itertext()) for each in root.iter(f"{SVG}text")]


def test_the_page_links_each_figure_as_drawing_and_numbers(client, published):
    html = client.get("/?source=bug-fix&cost=time&family=GLM").content.decode()
    links = re.findall(r'href="([^"]+/figures/[^"]+)" download', html)

    assert [link.split("/")[-1].split("?")[0] for link in links] == [
        *("cost.svg", "cost.csv", "sources.svg", "sources.csv")
    ]
    for link in links:
        address = link.replace("&amp;", "&")
        # The page draws every ranked row, whatever the filter.
        assert "family" not in address
        assert client.get(address).status_code == 200


def test_the_page_to_explore_links_what_it_draws(client, published):
    html = client.get("/explore/?snapshot=v1.0&family=GLM").content.decode()
    (address,) = re.findall(r'href="([^"]+/builds\.csv[^"]*)"', html)

    rows = rows_of(client, address.replace("&amp;", "&"))
    assert [row["model"] for row in rows] == ["GLM-5.2", "GLM-5.1"]
    texts = texts_of(client, address.replace("&amp;", "&").replace(".csv", ".svg"))
    assert {"GLM-5.2", "GLM-5.1", "98.04"} <= set(texts)
    assert "Kimi-K3" not in texts


def test_numbers_are_exact_and_tell_the_frontier(client, published):
    rows = rows_of(client, f"{PLACE}/cost.csv?cost=time")

    assert len(rows) == 8
    assert rows[0]["model"] == "GLM-5.2"
    assert float(rows[0]["task_completion_mean"]) == 268 / 459
    assert float(rows[0]["seconds_per_task"]) == 1936.4
    best = [row["model"] for row in rows if row["on_frontier"] == "true"]
    assert "GLM-5.2" in best
    assert "MiniMax-M3" not in best


def test_sources_carry_their_counts(client, published):
    first = rows_of(client, f"{PLACE}/sources.csv")[0]

    assert first["spec_driven_completed"] == "49"
    assert first["spec_driven_task_runs"] == "150"


def test_drawings_stand_alone_and_name_every_row(client, published):
    texts = texts_of(client, f"{PLACE}/cost.svg")

    assert "What does a completed task cost?" in texts
    assert {"GLM-5.2", "MiniMax-M3"} <= set(texts)
    assert "智能体在哪里失败？" in texts_of(client, f"/zh-hans{PLACE}/sources.svg")


def test_names_stay_text(client, published):
    hostile = "=1+1<script>alert(1)</script>"
    Configuration.objects.filter(model="GLM-5.2").update(model=hostile)

    content = client.get(f"{PLACE}/sources.svg").content.decode()
    assert "<script>" not in content
    assert rows_of(client, f"{PLACE}/cost.csv")[0]["model"] == f"'{hostile}"


def test_a_drawing_has_the_colors_of_the_site(client, published):
    tokens = (ROOT / "static" / "css" / "base.css").read_text("utf-8")
    light = tokens.split("@media screen")[0]
    drawing = client.get(f"{PLACE}/cost.svg").content.decode()

    for color in set(re.findall(r"#[0-9a-f]{6}", drawing)):
        assert color in light, color


@pytest.mark.parametrize("name", ["builds.png", "nothing.csv", "cost.png"])
def test_other_files_do_not_exist(client, published, name):
    assert client.get(f"{PLACE}/{name}").status_code == 404


def test_a_figure_that_is_not_there_is_answered_with_those_that_are(client, published):
    answer = client.get(f"{PLACE}/cost.gif")

    assert answer.status_code == 404
    text = answer.content.decode()
    assert "There is no figure cost.gif." in text
    assert "cost.svg, cost.csv, sources.svg" in text


def test_every_bar_of_an_evaluation_is_a_file(client, db):
    """Drawing and numbers of each figure that the page shows, and links to them."""
    snapshot = EvaluationSnapshotFactory(task_count=3)
    for task in snapshot.tasks.all():
        FPointFactory(task=task)
        task.kits.add(Kit.objects.get_or_create(name="ArkUI")[0])
    evaluation = evaluated(snapshot, completed=((True, False, True),) * 2)
    TaskResult.objects.filter(run__evaluation=evaluation).update(repair_rounds=1)
    page = client.get(evaluation.get_absolute_url()).content.decode()
    links = re.findall(r'href="([^"]+/figures/[^"]+)" download', page)

    assert {link.rsplit("/")[-1] for link in links} == {
        f"{figure}.{kind}"
        for figure in (
            *("builds", "stability", "outcomes", "progress", "repairs", "kits"),
        )
        for kind in ("svg", "csv")
    }
    for link in links:
        if link.endswith(".csv"):
            assert rows_of(client, link)
        else:
            texts = texts_of(client, link)
            assert any(evaluation.configuration.model in each for each in texts)
            assert any("Simulated device" in each for each in texts)
    place = f"{evaluation.get_absolute_url()}figures"
    assert rows_of(client, f"{place}/outcomes.csv")[0] == {
        "outcome": "completed",
        "task_runs": "4",
        "percent_of_task_runs": "66.67",
    }
    assert "67" not in "".join(texts_of(client, f"{place}/stability.svg"))
    assert "完成" in "".join(texts_of(client, f"/zh-hans{place}/builds.svg"))


def test_every_bar_of_a_benchmark_is_a_file(client, published):
    page = client.get("/benchmark/").content.decode()
    links = re.findall(r'href="([^"]+/figures/[^"]+)" download', page)

    assert {link.split("?")[0].rsplit("/")[-1] for link in links} == {
        f"{figure}.{kind}"
        for figure in ("difficulty", "concentration", "kits", "coverage")
        for kind in ("svg", "csv")
    }
    for link in links:
        if ".csv" in link:
            assert rows_of(client, link)
        else:
            assert any("v1.0" in each for each in texts_of(client, link))
    overall = rows_of(client, "/benchmark/figures/difficulty.csv?snapshot=v1.0")[0]
    assert sum(int(overall[level]) for level in ("easy", "medium", "hard")) == 153


def test_bars_have_the_colors_of_the_site_and_quote_names(client, published):
    tokens = (ROOT / "static" / "css" / "base.css").read_text("utf-8")
    Configuration.objects.filter(model="GLM-5.2").update(model="<script>x</script>")
    drawing = client.get("/e/1/figures/builds.svg").content.decode()

    assert "<script>" not in drawing
    for color in set(re.findall(r"#[0-9a-f]{6}", drawing)):
        assert color in tokens.split("@media screen")[0], color


def test_there_is_nothing_to_draw_without_results(client, db):
    empty = EvaluationSnapshotFactory(version="empty-1")
    place = f"{empty.get_absolute_url()}figures"

    assert client.get(f"{place}/cost.svg").status_code == 404
    assert rows_of(client, f"{place}/cost.csv") == []


def test_a_day_without_standings_has_no_figures(client, published):
    assert client.get(f"{PLACE}/cost.csv?as_of=2020-01-01").status_code == 404
