"""Columns of the leaderboard and the files that hold exactly what it shows."""

from __future__ import annotations

import csv
import json
import re
from io import BytesIO, StringIO
from typing import Any

import pytest
from arro3.io import read_parquet
from django.conf import settings
from django.test import Client

from leaderboard.as_of import today
from leaderboard.metrics import Scope
from leaderboard.standings import standings
from leaderboard.tables import safe_cell
from tests.factories import (
    EvaluationFactory,
    EvaluationSnapshotFactory,
    ScopeTotalsFactory,
)
from tests.leaderboard.evaluations import evaluated
from tests.leaderboard.test_pages import models_of, table_of, text_of

FILES = "/api/v1/leaderboard/standings"
QUERIES = [
    "",
    "source=spec-driven",
    "sort=tokens",
    "sort=-name&family=Kimi",
    "q=glm&columns=completed",
    "provider=Moonshot+AI&columns=agent,published,runs&source=bug-fix",
    "columns=task_completion",
    "as_of=2026-08-17",
    "q=no-such-model",
]


def csv_rows(client: Client, query: str) -> list[dict[str, str]]:
    response = client.get(f"{FILES}.csv?{query}")
    assert response.status_code == 200, response.content
    return list(csv.DictReader(StringIO(response.content.decode())))


def json_file(client: Client, query: str) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"{FILES}.json?{query}").json()
    return found


def parquet_file(client: Client, query: str) -> Any:
    return read_parquet(
        BytesIO(client.get(f"{FILES}.parquet?{query}").content)
    ).read_all()


def parquet_rows(table: Any) -> list[dict[str, Any]]:
    columns = {
        field.name: [
            value.as_py() if hasattr(value, "as_py") else value
            for value in table.column(place)
        ]
        for place, field in enumerate(table.schema)
    }
    return [
        {name: values[place] for name, values in columns.items()}
        for place in range(table.num_rows)
    ]


def headings_of(html: str) -> list[str]:
    head = re.search(r"<thead>.*?</thead>", table_of(html), re.DOTALL)
    assert head
    cells = re.findall(r"<th .*?</th>", head[0], re.DOTALL)
    words = [re.sub(r"<svg.*?</svg>|<small>.*?</small>|<[^>]+>", "", c) for c in cells]
    return [word.strip() for word in words]


def test_columns_are_chosen_in_the_address_by_comma_or_one_by_one(client, published):
    by_comma = text_of(client, "/?columns=tokens,completed")
    one_by_one = text_of(
        client, "/?columns=task_completion&columns=completed&columns=tokens"
    )

    wanted = ["Rank", "Configuration", "Task Completion", "Completed", "Tokens / task"]
    assert headings_of(by_comma) == headings_of(one_by_one) == wanted


def test_columns_that_nobody_asks_for_wait_in_the_menu(client, published):
    usual = text_of(client, "/")
    html = text_of(client, "/?columns=agent,published")

    assert "Agent" not in headings_of(usual)
    assert headings_of(html)[3:] == ["Agent", "Public since"]
    assert "2026-08-17" in table_of(html)
    assert 'value="agent" data-focus="column-agent" checked' in html
    assert 'value="tokens" data-focus="column-tokens">' in html


def test_no_optional_column_at_all_is_a_choice_too(client, published):
    html = text_of(client, "/?columns=task_completion")

    assert headings_of(html) == ["Rank", "Configuration", "Task Completion"]


def test_an_unknown_column_is_ignored_and_named(client, published):
    html = text_of(client, "/?columns=tokens,price")

    assert "<code>columns=price</code> is not known here" in html
    assert headings_of(html)[3:] == ["Tokens / task"]


def test_links_of_the_page_keep_the_columns_in_their_shortest_form(client, published):
    html = text_of(client, "/?columns=tokens&columns=completed&q=")

    assert 'href="?columns=completed,tokens&amp;source=bug-fix"' in html
    everything = "&".join(f"columns={key}" for key in ("completed", "runs"))
    usual = "new-feature,spec-driven,bug-fix,first_build,final_build,tokens,seconds"
    html = text_of(client, f"/?{everything}&columns={usual}")
    assert 'href="?source=bug-fix"' in html


def test_columns_of_the_other_scopes_survive_a_visit_to_a_source(client, published):
    html = text_of(client, "/?source=bug-fix&columns=new-feature,tokens")

    assert headings_of(html)[3:] == ["Tokens / task"]
    assert 'type="hidden" form="standings-form" name="columns" value="new-feature"' in (
        html
    )
    assert 'href="?columns=new-feature,tokens"' in html


def test_a_filter_without_a_match_keeps_columns_and_day(client, published):
    html = text_of(client, "/?q=nothing&columns=tokens&as_of=2026-08-20")

    assert '<input type="hidden" name="columns" value="tokens">' in html
    assert '<input type="hidden" name="as_of" value="2026-08-20">' in html


def test_the_link_to_copy_is_the_view_at_the_address_of_its_snapshot(client, published):
    html = text_of(client, "/?sort=tokens&columns=tokens&q=&family=")

    expected = "/s/openharmony-bench/v1.0/?sort=tokens&amp;columns=tokens"
    assert f'data-copy-link="{expected}"' in html
    again = text_of(client, expected.replace("&amp;", "&"))
    assert models_of(again) == models_of(html)


@pytest.mark.parametrize("query", QUERIES)
def test_every_file_holds_the_rows_of_the_page_in_their_order(client, published, query):
    html = client.get(f"/?{query}").content.decode()
    shown = models_of(html) if '<table class="standings"' in html else []

    assert [row["model"] for row in csv_rows(client, query)] == shown
    assert [row["model"] for row in json_file(client, query)["rows"]] == shown
    assert [row["model"] for row in parquet_rows(parquet_file(client, query))] == shown


@pytest.mark.parametrize("query", QUERIES)
def test_the_three_files_hold_the_same_cells(client, published, query):
    document = json_file(client, query)
    names = [field["name"] for field in document["fields"]]
    table = parquet_file(client, query)

    assert parquet_rows(table) == document["rows"]
    assert [field.name for field in table.schema] == names
    assert [list(row) for row in document["rows"]] == [names] * len(document["rows"])
    texts = [
        {
            name: "" if value is None else str(safe_cell(value))
            for name, value in row.items()
        }
        for row in document["rows"]
    ]
    assert csv_rows(client, query) == texts


@pytest.mark.parametrize("scope", list(Scope))
def test_rates_in_files_are_those_of_the_standings_exactly(client, published, scope):
    rows = json_file(client, f"source={scope.value}")["rows"]

    for row, expected in zip(rows, standings(published, scope).rows, strict=True):
        found = expected.in_scope
        assert row["rank_label"] == expected.rank_label
        for name, exact in (
            ("task_completion", found.task_completion.mean),
            ("task_completion_min", found.task_completion.low),
            ("task_completion_max", found.task_completion.high),
            ("first_build", found.first_build),
            ("final_build", found.final_build),
            ("tokens_per_task", found.tokens_per_task),
            ("seconds_per_task", found.seconds_per_task),
        ):
            numerator, denominator = (
                row[f"{name}_numerator"],
                row[f"{name}_denominator"],
            )
            assert numerator == exact * denominator, name
            assert row[name] == numerator / denominator, name


def test_parquet_has_types_and_says_what_it_is(client, published):
    schema = parquet_file(client, "").schema
    types = {field.name: str(field.type) for field in schema}

    assert {
        types[name] for name in types if name.endswith(("numerator", "denominator"))
    } == {types["rank"]}
    assert "Int64" in types["rank"]
    assert "Float64" in types["task_completion"]
    assert "Boolean" in types["leading_group"]
    assert "List" in types["completed_by_run"]
    about = json.loads(schema.metadata[b"about"])
    assert about["snapshot"] == "v1.0"
    assert about["license"] == settings.DATA_LICENSE
    assert b"meaning" in schema.field("rank").metadata


def test_a_file_names_snapshot_day_data_version_and_license(client, published):
    about = json_file(client, "source=bug-fix")["about"]
    version = client.get("/api/v1/leaderboard/?snapshot=v1.0").json()["data_version"]

    assert about == {
        "benchmark": "openharmony-bench",
        "snapshot": "v1.0",
        "source": "bug-fix",
        "as_of": str(today()),
        "data_version": version,
        "license": "Apache-2.0",
    }
    assert all(
        about.items() <= row.items() for row in csv_rows(client, "source=bug-fix")
    )


def test_the_data_version_changes_with_any_number(client, published):
    def version() -> str:
        return str(json_file(client, "source=bug-fix")["about"]["data_version"])

    before = version()
    totals = published.evaluations.first().totals.get(scope="new-feature")
    totals.total_tokens += 1
    totals.save()

    assert version() != before


def test_a_file_is_an_attachment_with_a_name_that_tells_what_it_is(client, published):
    response = client.get(f"{FILES}.csv?as_of=2026-08-20&source=bug-fix")

    assert response["Content-Disposition"] == (
        'attachment; filename="openharmony-bench-v1.0-bug-fix-2026-08-20.csv"'
    )
    assert response["Content-Type"] == "text/csv; charset=utf-8"


def test_a_file_is_the_same_in_every_language_and_for_every_accept(client, published):
    english = client.get(f"{FILES}.csv")
    chinese = client.get(
        f"{FILES}.csv", headers={"accept-language": "zh-hans", "accept": "text/csv"}
    )

    assert english.content == chinese.content
    assert b"zh-hans" not in english.content


def test_an_unchanged_file_is_not_sent_again(client, published):
    first = client.get(f"{FILES}.parquet")
    again = client.get(f"{FILES}.parquet", headers={"if-none-match": first["ETag"]})

    assert again.status_code == 304


def test_rows_that_are_not_ranked_follow_without_a_rank(client, db):
    snapshot = EvaluationSnapshotFactory(version="v3.0", task_count=2)
    evaluated(snapshot, configuration__model="ranked-model")
    evaluated(snapshot, configuration__model="own-numbers", provenance="self-reported")

    first, second = csv_rows(client, "snapshot=v3.0")

    assert (first["model"], first["table"], first["rank"]) == (
        "ranked-model",
        "ranked",
        "1",
    )
    assert (second["model"], second["table"], second["rank"]) == (
        "own-numbers",
        "apart",
        "",
    )


def test_what_was_not_reported_is_empty_and_never_zero(client, db):
    snapshot = EvaluationSnapshotFactory(version="v3.0", task_count=0)
    evaluation = EvaluationFactory(snapshot=snapshot, public=True)
    ScopeTotalsFactory(evaluation=evaluation, total_tokens=None, first_build_count=None)

    (row,) = parquet_rows(parquet_file(client, "snapshot=v3.0"))
    (line,) = csv_rows(client, "snapshot=v3.0")

    for name in ("tokens_per_task", "tokens_per_task_numerator", "first_build"):
        assert row[name] is None
        assert line[name] == ""
    assert row["first_build_denominator"] == row["task_completion_denominator"]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "＝"])
def test_no_cell_of_a_csv_file_is_a_formula(client, db, start):
    snapshot = EvaluationSnapshotFactory(version="v3.0", task_count=1)
    model = f'{start}HYPERLINK("http://example.org")'
    evaluated(snapshot, completed=((True,),), configuration__model=model)

    (row,) = csv_rows(client, "snapshot=v3.0")

    assert row["model"] == f"'{model}"
    assert json_file(client, "snapshot=v3.0")["rows"][0]["model"] == model


def test_a_file_of_an_unknown_kind_or_query_is_refused_with_all_reasons(
    client, published
):
    kind = client.get(f"{FILES}.xlsx")
    query = client.get(f"{FILES}.csv?sort=price&columns=price&as_of=soon&family=None")

    assert kind.status_code == 404
    assert "csv, json, parquet" in kind.json()["detail"]
    assert query.status_code == 400
    problem = json.loads(query.content)
    where = sorted(error["where"] for error in problem["errors"])
    assert where == ["?as_of", "?columns", "?family", "?sort"]


@pytest.mark.parametrize(
    ("query", "fix"),
    [
        ("as_of=2026-13-40", "YYYY-MM-DD"),
        ("columns=price", "tokens"),
        ("sort=price", "tokens"),
        ("source=games", "bug-fix"),
    ],
)
def test_a_wrong_query_of_a_file_is_told_with_what_would_be_right(
    client, published, query, fix
):
    answer = client.get(f"/api/v1/leaderboard/standings.csv?{query}")

    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert error["where"] == f"?{query.partition('=')[0]}"
    assert fix in error["fix"]


def test_a_wrong_day_is_told_with_how_to_write_one(client, published):
    assert "Write a day as YYYY-MM-DD." in text_of(client, "/?as_of=2026-13-40")


def test_a_file_of_a_day_without_standings_is_refused(client, published):
    response = client.get(f"{FILES}.csv?as_of=2026-08-16")

    assert response.status_code == 404
    assert response["Content-Type"] == "application/problem+json"


def test_a_file_costs_no_query_more_than_the_api(
    client, published, django_assert_max_num_queries
):
    with django_assert_max_num_queries(4):
        client.get(f"{FILES}.parquet")


def test_the_page_links_to_files_with_its_own_query(client, published):
    html = text_of(client, "/?source=bug-fix&sort=tokens&cost=time")

    address = (
        "/api/v1/leaderboard/standings.csv?source=bug-fix&amp;sort=tokens"
        "&amp;snapshot=openharmony-bench%2Fv1.0"
    )
    assert f'href="{address}"' in html
    linked = csv_rows(client, address.partition("?")[2].replace("&amp;", "&"))
    assert [row["model"] for row in linked] == models_of(html)
