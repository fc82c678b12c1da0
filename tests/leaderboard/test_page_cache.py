"""Public pages are kept until the data changes, and never a moment longer."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from leaderboard.models import Evaluation, Visibility
from tests.factories import PASSWORD, EvaluationFactory, ScopeTotalsFactory, UserFactory

HOME = "/"
API = "/api/v1/leaderboard/"
GZIP = {"Accept-Encoding": "gzip"}


@pytest.fixture
def evaluation(committed_db, settings):
    settings.OHB_PAGE_CACHE = True
    caches["pages"].clear()
    found = EvaluationFactory(public=True, configuration__model="Kept-1")
    ScopeTotalsFactory(evaluation=found)
    yield found
    caches["pages"].clear()


def shows(client: Client, path: str, text: str = "Kept-1") -> bool:
    response = client.get(path)
    assert response.status_code == 200
    return text in response.content.decode()


@pytest.mark.parametrize("path", [HOME, "/zh-hans/", "/snapshots/", API])
def test_the_second_reader_costs_the_look_at_the_version_and_nothing_else(
    client, evaluation, django_assert_num_queries: DjangoAssertNumQueries, path
):
    first = client.get(path)

    with django_assert_num_queries(1) as queries:
        second = client.get(path)

    assert "dataversion" in queries.captured_queries[0]["sql"]
    assert second.content == first.content
    assert dict(second.items()) == dict(first.items())
    assert second["Content-Security-Policy"] or path == API
    assert "no-cache" in second["Cache-Control"]


@pytest.mark.parametrize("path", [HOME, API])
@pytest.mark.parametrize(
    "change",
    [
        lambda found: Evaluation.objects.update(visibility=Visibility.PRIVATE),
        lambda found: found.configuration.__class__.objects.update(model="Renamed"),
        lambda found: found.delete(),
    ],
)
def test_a_change_shows_at_once(client, evaluation, path, change):
    assert shows(client, path)
    assert shows(client, path)

    change(evaluation)

    assert not shows(client, path)


def test_a_publication_shows_at_once(client, evaluation):
    assert not shows(client, HOME, "New-2")

    newer = EvaluationFactory(
        public=True, configuration__model="New-2", snapshot=evaluation.snapshot
    )
    ScopeTotalsFactory(evaluation=newer)

    assert shows(client, HOME, "New-2")


def test_a_page_ends_with_the_embargo_that_it_does_not_show(
    client, evaluation, monkeypatch
):
    kept_for: list[float] = []
    keep = caches["pages"].set
    monkeypatch.setattr(
        type(caches["pages"]),
        "set",
        lambda self, key, value, timeout: (
            kept_for.append(timeout) or keep(key, value, timeout)
        ),
    )
    Evaluation.objects.update(
        visibility=Visibility.EMBARGOED,
        public_from=timezone.now() + timedelta(seconds=90),
    )

    assert not shows(client, HOME)

    assert len(kept_for) == 1
    assert 0 < kept_for[0] <= 90


def test_a_page_without_embargo_ends_at_midnight(client, evaluation, monkeypatch):
    kept_for: list[float] = []
    monkeypatch.setattr(
        type(caches["pages"]),
        "set",
        lambda self, key, value, timeout: kept_for.append(timeout),
    )

    client.get(HOME)

    assert len(kept_for) == 1
    assert 0 < kept_for[0] <= 24 * 60 * 60


def test_who_has_the_page_is_told_so_without_a_look_at_the_rows(
    client, evaluation, django_assert_num_queries: DjangoAssertNumQueries
):
    etag = client.get(HOME, headers=GZIP)["ETag"]

    with django_assert_num_queries(1):
        again = client.get(HOME, headers={**GZIP, "If-None-Match": etag})

    assert again.status_code == 304
    assert not again.content
    Evaluation.objects.update(visibility=Visibility.PRIVATE)
    changed = client.get(HOME, headers={**GZIP, "If-None-Match": etag})
    assert changed.status_code == 200
    assert changed["ETag"] != etag


def test_a_question_whether_it_changed_fills_the_cache_as_well(
    client, evaluation, django_assert_num_queries: DjangoAssertNumQueries
):
    etag = client.get(HOME)["ETag"]
    caches["pages"].clear()

    assert client.get(HOME, headers={"If-None-Match": etag}).status_code == 304

    with django_assert_num_queries(1):
        assert client.get(HOME).status_code == 200


def test_each_address_language_and_encoding_has_its_own_page(client, evaluation):
    plain = client.get(HOME)
    packed = client.get(HOME, headers=GZIP)

    assert packed["Content-Encoding"] == "gzip"
    assert not plain.has_header("Content-Encoding")
    assert plain.content != client.get("/zh-hans/").content
    assert not shows(client, "/?q=other")
    assert shows(client, "/?q=kept")


def test_somebody_signed_in_gets_a_page_of_their_own(client, evaluation):
    client.get(HOME)
    UserFactory(username="reader")
    assert client.login(username="reader", password=PASSWORD)

    assert shows(client, HOME, "Sign out")
    assert not shows(Client(), HOME, "Sign out")


def test_an_answer_to_a_token_is_not_kept(client, evaluation):
    refused = client.get(API, headers={"Authorization": "Token wrong"})

    assert refused.status_code == 401
    assert client.get(API).status_code == 200
    assert client.get(API, headers={"Authorization": "Token wrong"}).status_code == 401


def test_a_wrong_host_is_refused_although_the_page_is_kept(
    client, evaluation, settings
):
    settings.ALLOWED_HOSTS = ["bench.example.org"]
    assert client.get(HOME, headers={"Host": "bench.example.org"}).status_code == 200

    assert client.get(HOME, headers={"Host": "evil.example.org"}).status_code == 400


def test_what_is_not_found_is_looked_for_again(client, evaluation):
    address = f"/s/{evaluation.snapshot.benchmark.slug}/later/"
    assert client.get(address).status_code == 404

    later = EvaluationFactory(public=True, snapshot__version="later")
    ScopeTotalsFactory(evaluation=later)

    assert client.get(address).status_code == 200


def test_a_head_request_is_answered_by_the_page_itself(client, evaluation):
    client.get(HOME)

    answer = client.head(HOME)

    assert answer.status_code == 200
    assert not answer.content


def test_without_a_version_pages_are_made_every_time(client, evaluation):
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM leaderboard_dataversion")

    client.get(HOME)

    assert not caches["pages"]._cache
