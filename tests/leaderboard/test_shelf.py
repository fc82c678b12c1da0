"""Ordinary pages are there before anybody asks, and only while they are right."""

from __future__ import annotations

import gzip
import html
import random
import re
from datetime import timedelta

import pytest
from django.core.cache import caches
from django.utils import timezone

from leaderboard import shelf
from leaderboard.models import Configuration, KeptPage, StoredTable
from leaderboard.ranking.orders import ORDERS
from leaderboard.ranking.renewal import renew
from leaderboard.tasks import renew_standings
from tests.benchmarks import data
from tests.factories import PASSWORD, UserFactory
from tests.leaderboard.test_ranking import add

GZIP = {"Accept-Encoding": "gzip"}
HOST = "bench.example.org"
PATHS = [
    "/",
    "/?source=bug-fix",
    "/zh-hans/",
    "/zh-hans/?sort=tokens",
    "/s/synthetic-bench/kept/",
    "/zh-hans/s/synthetic-bench/kept/?source=new-feature",
    "/api/v1/leaderboard/",
    "/api/v1/leaderboard/?snapshot=kept&source=spec-driven",
]


@pytest.fixture
def few_orders(monkeypatch):
    """One order of each table stands for all of them."""
    monkeypatch.setattr(shelf, "ORDERS", ["tokens"])


@pytest.fixture
def every_order(monkeypatch, few_orders):
    monkeypatch.setattr(shelf, "ORDERS", ORDERS)


@pytest.fixture
def snapshot(committed_db, settings, few_orders):
    settings.OHB_PAGE_CACHE = True
    settings.PUBLIC_URL = f"http://{HOST}"
    settings.ALLOWED_HOSTS = [HOST, "testserver"]
    found = data.snapshot("kept")
    data.evaluations(found, 3)
    caches["pages"].clear()
    yield found
    caches["pages"].clear()


def read(client, path: str, **headers: str):
    """An answer of a process that has just started."""
    caches["pages"].clear()
    return client.get(path, headers={"Host": HOST, **GZIP, **headers})


def is_made_anew(client, path: str, **headers: str) -> bool:
    """Whether a page on the shelf is left alone."""
    KeptPage.objects.update(content=gzip.compress(b"from the shelf"))
    return gzip.decompress(read(client, path, **headers).content) != b"from the shelf"


def test_a_page_from_the_shelf_is_the_page_itself(
    client, snapshot, django_assert_num_queries
):
    lengths = {"Content-Length": ""}
    made = {path: read(client, path) for path in PATHS}
    renew_standings()
    for path, expected in made.items():
        with django_assert_num_queries(2):
            found = read(client, path)

        assert gzip.decompress(found.content) == gzip.decompress(expected.content)
        assert dict(found.items()) | lengths == dict(expected.items()) | lengths
        again = read(client, path, **{"If-None-Match": found["ETag"]})
        assert again.status_code == 304


def test_every_heading_leads_to_a_page_that_is_there(client, snapshot, every_order):
    renew_standings()
    links = []
    for path in ("/", "/zh-hans/s/synthetic-bench/kept/?source=bug-fix"):
        page = gzip.decompress(read(client, path).content).decode()
        head = page.partition("<thead>")[2].partition("</thead>")[0]
        found = re.findall(r'href="(\?[^"]+)"', head)
        # The table is in this order already; that link turns it round.
        found = [link for link in found if not link.endswith("=task_completion")]
        assert len(found) > 3
        links += [path.partition("?")[0] + html.unescape(link) for link in found]

    KeptPage.objects.update(content=gzip.compress(b"from the shelf"))

    for link in links:
        assert gzip.decompress(read(client, link).content) == b"from the shelf", link


def test_the_worker_makes_each_page_once(snapshot):
    renew_standings()

    made = KeptPage.objects.count()
    assert made > len(PATHS)
    assert shelf.prepare() == 0
    KeptPage.objects.first().delete()
    assert shelf.prepare() == 1
    assert KeptPage.objects.count() == made


def test_nothing_is_made_from_old_tables(snapshot):
    assert shelf.prepare() == 0

    renew()
    add(snapshot, random.Random(1))

    assert shelf.prepare() == 0


def test_a_change_leaves_no_page_on_the_shelf_standing(client, snapshot):
    renew_standings()
    assert not is_made_anew(client, "/")

    Configuration.objects.update(model="Renamed")

    for path in PATHS:
        assert b"Renamed" in gzip.decompress(read(client, path).content)


def test_a_page_ends_with_its_time(client, snapshot):
    renew_standings()

    KeptPage.objects.update(until=timezone.now() - timedelta(seconds=1))

    assert is_made_anew(client, "/")
    assert shelf.prepare() == KeptPage.objects.count()


def test_other_software_makes_its_own_pages_and_tables(client, snapshot, monkeypatch):
    renew_standings()

    for module in ("leaderboard.shelf", "leaderboard.ranking.rankings"):
        monkeypatch.setattr(f"{module}.fingerprint", lambda: "later")

    assert is_made_anew(client, "/")
    assert shelf.prepare() == 0


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/?sort=-name", {}),
        ("/?q=synthetic", {}),
        ("/", {"Accept-Encoding": "identity"}),
        ("/api/v1/leaderboard/", {"Accept": "application/xml"}),
        ("/api/v1/leaderboard/", {"Host": "testserver"}),
    ],
)
def test_what_is_unusual_is_made_anew(client, snapshot, path, headers):
    renew_standings()
    KeptPage.objects.update(content=gzip.compress(b"from the shelf"))

    answer = read(client, path, **headers)

    assert b"from the shelf" not in answer.content
    if answer.headers.get("Content-Encoding") == "gzip":
        assert gzip.decompress(answer.content) != b"from the shelf"


def test_somebody_signed_in_gets_a_page_of_their_own(client, snapshot):
    renew_standings()
    UserFactory(username="reader")
    assert client.login(username="reader", password=PASSWORD)

    assert is_made_anew(client, "/")


def test_a_wrong_host_is_refused_although_the_page_is_there(client, snapshot):
    renew_standings()

    assert read(client, "/", Host="evil.example.org").status_code == 400


def test_nobody_outside_can_put_a_page_on_the_shelf(client, snapshot):
    renew()
    caches["pages"].clear()

    client.get("/", headers={**GZIP, "Ohb-Preparing": "1", "Ohb.preparing": "1"})

    assert not KeptPage.objects.exists()


def test_a_site_with_another_name_makes_nothing(snapshot, settings):
    settings.ALLOWED_HOSTS = ["elsewhere.example.org"]

    renew_standings()

    assert not KeptPage.objects.exists()


def test_without_a_page_cache_nothing_is_made(snapshot, settings):
    settings.OHB_PAGE_CACHE = False

    renew_standings()

    assert StoredTable.objects.exists()
    assert not KeptPage.objects.exists()
