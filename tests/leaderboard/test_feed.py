"""The Atom feed: what happened in public, in both languages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from xml.etree import ElementTree

import pytest
from django.test import Client

from evaluator.services import disqualify_evaluation, reinstate_evaluation
from leaderboard.models import Evaluation, Visibility, record
from tests.factories import EvaluationSnapshotFactory, UserFactory
from tests.leaderboard.evaluations import evaluated

ATOM = "{http://www.w3.org/2005/Atom}"


def feed_of(client: Client, language: str = "") -> ElementTree.Element:
    response = client.get(f"{language}/feed.atom")
    assert response.status_code == 200
    assert response["Content-Type"] == "application/atom+xml; charset=utf-8"
    return ElementTree.fromstring(response.content)  # noqa: S314 - our own


def entries(client: Client, language: str = "") -> list[dict[str, Any]]:
    return [
        {
            "id": entry.findtext(f"{ATOM}id"),
            "title": entry.findtext(f"{ATOM}title"),
            "summary": entry.findtext(f"{ATOM}summary"),
            "updated": entry.findtext(f"{ATOM}updated"),
            "link": entry.find(f"{ATOM}link").get("href"),  # type: ignore[union-attr]  # asserted by the test
        }
        for entry in feed_of(client, language).iter(f"{ATOM}entry")
    ]


def test_the_feed_has_what_atom_requires(client, published):
    feed = feed_of(client)

    links = {link.get("rel"): link.get("href") for link in feed.findall(f"{ATOM}link")}
    assert links == {
        "alternate": "http://localhost:8000/",
        "self": "http://localhost:8000/feed.atom",
    }
    assert feed.findtext(f"{ATOM}author/{ATOM}name")
    for element in [feed, *feed.iter(f"{ATOM}entry")]:
        for name in ("id", "title", "updated"):
            assert len(element.findall(f"{ATOM}{name}")) == 1
            assert element.findtext(f"{ATOM}{name}")
        datetime.fromisoformat(str(element.findtext(f"{ATOM}updated")))
    identifiers = [entry["id"] for entry in entries(client)]
    assert len(set(identifiers)) == len(identifiers) == 8
    assert all(str(each).startswith("tag:localhost,2026:") for each in identifiers)


def test_a_publication_is_told_with_its_figures(client, published):
    (entry,) = [each for each in entries(client) if "GLM-5.2" in each["title"]]

    assert entry["title"] == "GLM-5.2 published on OpenHarmony Bench v1.0"
    assert entry["summary"] == (
        "Task Completion 58.39 % [56.21–60.78], 268 of 459 task runs. Published."
    )
    assert entry["updated"] == "2026-08-17T00:00:00+00:00"


def test_identifiers_stay_the_same_in_every_language_and_at_every_reading(
    client, published
):
    english, chinese = entries(client), entries(client, "/zh-hans")

    assert [each["id"] for each in english] == [each["id"] for each in chinese]
    assert [each["id"] for each in entries(client)] == [each["id"] for each in english]
    assert "GLM-5.2 在 OpenHarmony Bench v1.0 上发布" in [
        each["title"] for each in chinese
    ]
    assert all("/zh-hans/e/" in each["link"] for each in chinese)


def test_strikes_openings_and_what_was_taken_back_are_told(client, db):
    snapshot = EvaluationSnapshotFactory(version="v3.0", task_count=2)
    record("open snapshot", snapshot)
    evaluation = evaluated(snapshot, configuration__model="some-model")
    maintainer = UserFactory(is_staff=True)
    disqualify_evaluation(evaluation, by=maintainer, reason="Copied checks.")
    reinstate_evaluation(evaluation, by=maintainer, reason="They were its own.")
    disqualify_evaluation(evaluation, by=maintainer, reason="They were not.")

    found = {each["title"]: each for each in entries(client)}

    name = "OpenHarmony Bench v3.0"
    assert f"{name} opened for submissions" in found
    assert f"some-model published on {name}" in found
    assert f"some-model ranked again on {name}" in found
    reasons = [
        each["summary"] for each in entries(client) if "disqualified" in each["title"]
    ]
    assert reasons == ["Reason: They were not.", "Reason: Copied checks."]
    assert found[f"some-model published on {name}"]["summary"] in {None, ""}


@pytest.mark.parametrize("visibility", [Visibility.PRIVATE, Visibility.EMBARGOED])
def test_nothing_private_is_told(client, published, visibility):
    Evaluation.objects.update(visibility=visibility, public_from="2999-01-01T00:00Z")

    assert entries(client) == []


def test_a_draft_is_not_told(client, db):
    record("open snapshot", EvaluationSnapshotFactory(version="v3.0", status="draft"))

    assert entries(client) == []


def test_an_unchanged_feed_is_not_sent_again(client, published):
    first = client.get("/feed.atom")

    by_tag = client.get("/feed.atom", headers={"if-none-match": first["ETag"]})
    by_time = client.get(
        "/feed.atom", headers={"if-modified-since": first["Last-Modified"]}
    )

    assert first["Last-Modified"] == "Mon, 17 Aug 2026 00:00:00 GMT"
    assert (by_tag.status_code, by_time.status_code) == (304, 304)


def test_a_feed_without_entries_stays_the_same_too(client, db):
    assert client.get("/feed.atom").content == client.get("/feed.atom").content


def test_text_of_strangers_is_neither_markup_nor_breaks_the_document(client, db):
    snapshot = EvaluationSnapshotFactory(version="v3.0", task_count=2)
    evaluated(
        snapshot,
        configuration__model="<img src=x onerror=alert(1)>\x1b[31m & co",
        visibility=Visibility.WITHDRAWN,
        struck_out_at=datetime(2024, 5, 1, tzinfo=UTC),
        withdrawn_reason="<script>alert(1)</script>\x00\x0b".replace("\x00", ""),
    )

    withdrawn = next(each for each in entries(client) if "withdrawn" in each["title"])

    assert withdrawn["title"].startswith("<img src=x onerror=alert(1)> [31m & co")
    assert "&lt;script&gt;" in withdrawn["summary"]


def test_the_feed_costs_a_constant_number_of_queries(
    client, django_assert_max_num_queries, db
):
    snapshot = EvaluationSnapshotFactory(version="v3.0", task_count=2)
    for place in range(5):
        evaluation = evaluated(snapshot)
        evaluation.published_at = evaluation.published_at + timedelta(days=place)
        evaluation.save()

    with django_assert_max_num_queries(6):
        assert len(entries(client)) == 5


def test_pages_tell_readers_where_the_feed_is(client, published):
    for prefix in ("", "/zh-hans"):
        html = client.get(f"{prefix}/").content.decode()
        assert f'type="application/atom+xml" href="{prefix}/feed.atom"' in html
