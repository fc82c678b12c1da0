"""The leaderboard page: rows, ranks, filters, sorting, notes and empty states."""

from __future__ import annotations

import re
from datetime import date

import pytest
from django.test import Client

from leaderboard.models import Evaluation, Provenance, Visibility
from tests.factories import (
    ConfigurationFactory,
    EvaluationFactory,
    EvaluationSnapshotFactory,
    ScopeTotalsFactory,
)
from tests.leaderboard.evaluations import evaluated


def text_of(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def table_of(html: str) -> str:
    found = re.search(r'<table class="standings">.*?</table>', html, re.DOTALL)
    assert found, "the page has no standings table"
    return found[0]


def models_of(html: str) -> list[str]:
    return re.findall(r'class="model" href="[^"]*">([^<]+)<', table_of(html))


def ranks_of(html: str) -> list[str]:
    return re.findall(r'<td class="rank">.*?<b>([^<]*)</b>', table_of(html))


def test_the_home_page_ranks_the_published_configurations_with_their_tie(
    client, published
):
    html = text_of(client, "/")

    assert models_of(html) == [
        "GLM-5.2",
        "Kimi-K3",
        "Qwen3.8-Max-Preview",
        "Qwen3.7-Max",
        "GLM-5.1",
        "DeepSeek-V4-Pro",
        "Kimi-K2.7-Code",
        "MiniMax-M3",
    ]
    assert ranks_of(html) == ["1", "2", "3", "4", "5", "6=", "6=", "8"]
    assert "completed the same number of task runs (239 of 459)" in html


def test_a_row_shows_count_mean_range_and_rank_span(client, published):
    row = re.findall(r"<tr.*?</tr>", table_of(text_of(client, "/")), re.DOTALL)[1]

    assert ">268<" in row
    assert "58.39" in row
    assert "[56.21–60.78]" in row
    assert "1–3" in row
    assert "56.21; 58.17; 60.78" in row
    for figure in ("67.10", "98.04", "2.57", "1,936.4", "63.54", "32.67", "74.18"):
        assert figure in row, figure


def test_the_leading_group_is_named_in_words_and_marked_in_the_rows(client, published):
    html = text_of(client, "/")

    assert "<b>GLM-5.2, Kimi-K3, Qwen3.8-Max-Preview</b>" in html
    assert table_of(html).count('<tr class="leading') == 3


def test_runs_of_published_rows_are_not_presented_in_order(client, published):
    html = text_of(client, "/")

    assert "Runs from lowest to highest: 56.21; 58.17; 60.78" in html
    assert "Runs in order" not in html
    assert "the order of the runs was not published" in html


def test_a_digit_that_the_report_prints_differently_is_named(client, published):
    html = text_of(client, "/")

    assert 'title="The report prints 48.36">48.37' in html
    assert "Where the report prints another digit" in html


@pytest.mark.parametrize(
    ("source", "leader", "resolution"),
    [
        ("new-feature", "GLM-5.2", "1.04"),
        ("spec-driven", "Kimi-K3", "0.67"),
        ("bug-fix", "Kimi-K3", "0.47"),
    ],
)
def test_a_source_table_is_ranked_by_itself_and_called_diagnostic(
    client, published, source, leader, resolution
):
    html = text_of(client, f"/?source={source}")

    assert models_of(html)[0] == leader
    assert "Diagnostic." in html
    assert f"one task run is worth {resolution} percent points" in html


def test_filtering_hides_rows_and_never_changes_ranks(client, published):
    html = text_of(client, "/?family=Kimi")

    assert models_of(html) == ["Kimi-K3", "Kimi-K2.7-Code"]
    assert ranks_of(html) == ["2", "6="]
    assert "2 of 8 configurations" in html


@pytest.mark.parametrize("query", ["q=kimi", "provider=Moonshot+AI"])
def test_search_and_provider_narrow_the_table(client, published, query):
    assert models_of(text_of(client, f"/?{query}")) == ["Kimi-K3", "Kimi-K2.7-Code"]


def test_a_filter_without_a_match_offers_to_clear_it(client, published):
    html = text_of(client, "/?q=nothing-like-this&source=bug-fix")

    assert "No configuration matches" in html
    assert 'href="?source=bug-fix"' in html


def test_sorting_by_tokens_keeps_ranks_and_marks_one_heading(client, published):
    html = text_of(client, "/?sort=tokens")

    assert models_of(html)[0] == "Qwen3.8-Max-Preview"
    assert ranks_of(html)[0] == "3"
    assert re.findall(r'aria-sort="(\w+)"', html) == ["ascending"]


def test_a_heading_turns_the_order_round_and_keeps_the_rest_of_the_query(
    client, published
):
    html = text_of(client, "/?sort=tokens&family=GLM")

    assert 'href="?family=GLM&amp;sort=-tokens"' in html


def test_missing_values_sort_last_in_both_directions(client, db):
    snapshot = EvaluationSnapshotFactory(device_profile_simulated=False, task_count=0)
    for model, tokens in (("a", 50), ("b", None), ("c", 10)):
        evaluation = EvaluationFactory(
            snapshot=snapshot, public=True, configuration__model=model
        )
        ScopeTotalsFactory(evaluation=evaluation, total_tokens=tokens)

    assert models_of(text_of(client, "/?sort=tokens")) == ["c", "a", "b"]
    assert models_of(text_of(client, "/?sort=-tokens")) == ["a", "c", "b"]


@pytest.mark.parametrize(
    "query", ["source=nope", "sort=nope", "family=nope", "provenance=nope", "cost=nope"]
)
def test_an_unknown_value_is_ignored_and_named(client, published, query):
    html = text_of(client, f"/?{query}")

    assert f"<code>{query}</code> is not known here" in html
    assert len(models_of(html)) == 8


@pytest.mark.parametrize(
    ("query", "advice"),
    [
        ("source=nope", "Choose from: overall, new-feature, spec-driven, bug-fix."),
        ("sort=nope", "seconds; with - before it the other way round."),
        ("cost=nope", "Choose from: tokens, time."),
        ("columns=nope", "Choose from: rank, name, task_completion, completed, "),
        ("provenance=nope", "Choose from: published."),
        ("page=9", "There is 1 page."),
        ("as_of=nope", "Write a day as YYYY-MM-DD."),
        (f"q={'x' * 101}", "at most 100 characters"),
    ],
)
def test_it_is_told_what_would_be_right(client, published, query, advice):
    notice = text_of(client, f"/?{query}").partition("was ignored.")[2][:300]

    assert advice in notice


def test_what_would_be_right_is_told_in_chinese_and_once(client, published):
    html = text_of(client, "/zh-hans/?cost=a&columns=b&columns=c")

    assert "可选：tokens、time。" in html
    assert html.count("可选：rank、name、") == 1


def test_home_shows_a_simulated_snapshot_only_where_there_is_no_other(
    client, published
):
    simulated = EvaluationSnapshotFactory(
        version="demo-9", task_snapshot_date=date(2027, 1, 1), task_count=2
    )
    evaluated(simulated)

    assert "<b>v1.0" in text_of(client, "/")
    Evaluation.objects.filter(snapshot=published).update(visibility=Visibility.PRIVATE)
    html = text_of(client, "/")
    assert "<b>demo-9" in html
    assert "must not be compared with results from a device" in html


def test_a_snapshot_without_results_says_so(client, db):
    snapshot = EvaluationSnapshotFactory(version="v9.9")

    html = text_of(client, snapshot.get_absolute_url())

    assert "No results yet for v9.9" in html


def test_a_site_without_snapshots_says_how_to_get_one(client, db):
    for path in ("/", "/tasks/", "/benchmark/"):
        assert "manage.py load_published" in text_of(client, path)


def test_a_draft_snapshot_is_not_found(client, db):
    snapshot = EvaluationSnapshotFactory(status="draft")

    assert client.get(snapshot.get_absolute_url()).status_code == 404
    assert snapshot.version not in client.get("/snapshots/").content.decode()


def test_rows_of_other_conditions_stand_apart_without_a_rank(client, db):
    snapshot = EvaluationSnapshotFactory(task_count=2)
    evaluated(snapshot, configuration__model="ranked-model")
    evaluated(
        snapshot,
        configuration__model="other-model",
        differing_fields=["sdk", "toolchain"],
        comparability_key="f" * 64,
    )
    evaluated(
        snapshot,
        configuration__model="own-numbers",
        provenance=Provenance.SELF_REPORTED,
    )

    html = text_of(client, snapshot.get_absolute_url())

    assert models_of(html) == ["ranked-model"]
    assert "Shown apart, not ranked" in html
    assert "Differs in: SDK, Toolchain." in html
    assert "nobody here has evaluated it" in html


def test_a_withdrawn_evaluation_stays_listed_with_its_reason(client, db):
    snapshot = EvaluationSnapshotFactory(task_count=2)
    evaluated(snapshot, configuration__model="kept-model")
    gone = evaluated(snapshot, configuration__model="gone-model")
    gone.visibility, gone.withdrawn_reason = Visibility.WITHDRAWN, "Checks were copied."
    gone.save()

    html = text_of(client, snapshot.get_absolute_url())

    assert "gone-model</del></a> — Withdrawn: Checks were copied." in html
    assert models_of(html) == ["kept-model"]


def test_text_of_submitters_is_escaped(client, db):
    snapshot = EvaluationSnapshotFactory(task_count=2)
    model = "<script>alert(1)</script>"
    evaluated(snapshot, configuration=ConfigurationFactory(model=model))

    html = text_of(client, snapshot.get_absolute_url())

    assert model not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_home_names_the_latest_results_of_snapshots_of_its_kind(client, db):
    current = EvaluationSnapshotFactory(version="v2", device_profile_simulated=False)
    earlier = EvaluationSnapshotFactory(
        version="v1", device_profile_simulated=False, task_count=2
    )
    demo = EvaluationSnapshotFactory(version="demo", device_profile_simulated=True)
    evaluated(current, completed=((True,),), configuration__model="ranked-here")
    evaluated(earlier, completed=((True, False),), configuration__model="of-v1")
    evaluated(demo, completed=((True,),), configuration__model="of-the-demo")
    EvaluationFactory(snapshot=current, configuration__model="not-public")

    html = text_of(client, current.get_absolute_url())
    card = html[html.index("Latest results") :]
    of_demo = text_of(client, demo.get_absolute_url())

    assert "ranked-here" in card
    assert "of-v1" in card
    assert "1/2" in card
    assert "of-the-demo" not in html
    assert "not-public" not in html
    assert "Simulated device" in of_demo[of_demo.index("Latest results") :]
    assert "of-v1" not in of_demo


def test_home_costs_a_constant_number_of_queries(
    client, django_assert_max_num_queries, db
):
    snapshot = EvaluationSnapshotFactory(device_profile_simulated=False, task_count=0)
    for _ in range(40):
        evaluation = EvaluationFactory(snapshot=snapshot, public=True)
        ScopeTotalsFactory(evaluation=evaluation)

    with django_assert_max_num_queries(4):
        html = text_of(client, "/")

    assert len(models_of(html)) == 40


def test_pages_carry_no_inline_script_or_style(client, published):
    for path in (
        "/",
        "/tasks/",
        "/benchmark/",
        "/methodology/",
        "/snapshots/",
        "/e/1/",
    ):
        html = client.get(path).content.decode()
        assert not re.search(r"<script(?![^>]*\bsrc=)", html), path
        assert " style=" not in html, path
        assert not re.search(r"\son[a-z]+=", html), path
        assert not re.search(r'(?:src|href)="(?:https?:)?//(?!localhost)', html), path
