"""Badges, the table for other sites, and their snippets."""

from __future__ import annotations

import re
from html import unescape
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.charts import badge
from leaderboard.models import Evaluation, Visibility
from tests.factories import EvaluationSnapshotFactory
from tests.leaderboard.evaluations import evaluated

SVG = "{http://www.w3.org/2000/svg}"


def badge_of(client: Client, evaluation: Evaluation, language: str = "") -> str:
    """The name of the drawing, which is all that it says."""
    response = client.get(f"{language}/e/{evaluation.pk}/badge.svg")
    assert response.status_code == 200
    assert response["Content-Type"] == "image/svg+xml"
    drawing = ElementTree.fromstring(response.content)  # noqa: S314 - our own
    title = drawing.findtext(f"{SVG}title")
    assert title == drawing.get("aria-label")
    texts = [text.text for text in drawing.iter(f"{SVG}text")]
    assert title == ": ".join(str(text) for text in texts)
    return str(title)


def of_model(model: str) -> Evaluation:
    return Evaluation.objects.get(configuration__model=model)


def test_a_badge_tells_rank_and_completion_with_its_count(client, published):
    assert badge_of(client, of_model("Kimi-K2.7-Code")) == (
        "OpenHarmony Bench v1.0: rank 6= of 8 · 52.07 % (239/459)"
    )
    assert badge_of(client, of_model("GLM-5.2"), "/zh-hans") == (
        "OpenHarmony Bench v1.0: 第 1 名，共 8 项 · 58.39 % (268/459)"
    )


def test_a_badge_of_a_struck_out_result_has_no_number(client, published):
    evaluation = of_model("GLM-5.2")
    evaluation.visibility = Visibility.WITHDRAWN
    evaluation.withdrawn_reason = "Mistaken."
    evaluation.save()

    assert badge_of(client, evaluation) == "OpenHarmony Bench v1.0: Withdrawn"
    assert "rank 1 of 7" in badge_of(client, of_model("Kimi-K3"))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"provenance": "self-reported"}, "self-reported, not ranked"),
        ({"unverified": True}, "unverified, not ranked"),
        ({"differing_fields": ["sdk"]}, "not comparable, not ranked"),
    ],
)
def test_a_badge_without_a_rank_says_why(client, db, fields, words):
    snapshot = EvaluationSnapshotFactory(
        version="v3.0", task_count=2, device_profile_simulated=False
    )
    evaluation = evaluated(snapshot, **fields)

    assert badge_of(client, evaluation) == (
        f"OpenHarmony Bench v3.0: {words} · 75.00 % (3/4)"
    )


def test_a_badge_of_a_simulated_device_says_so(client, db):
    evaluation = evaluated(EvaluationSnapshotFactory(version="d-1", task_count=2))

    assert badge_of(client, evaluation).startswith(
        "OpenHarmony Bench d-1, simulated device: rank 1 of 1"
    )


@pytest.mark.parametrize("visibility", [Visibility.PRIVATE, Visibility.EMBARGOED])
def test_a_private_result_has_no_badge_for_anybody(
    client, admin_client, published, visibility
):
    evaluation = of_model("GLM-5.2")
    evaluation.visibility = visibility
    evaluation.public_from = "2999-01-01T00:00Z"
    evaluation.save()

    for asker in (client, admin_client):
        assert asker.get(f"/e/{evaluation.pk}/badge.svg").status_code == 404


def test_a_badge_is_kept_by_caches_and_compared_by_etag(client, published):
    path = reverse("evaluation-badge", args=[of_model("GLM-5.2").pk])
    first = client.get(path)
    again = client.get(path, headers={"if-none-match": first["ETag"]})

    assert "public" in first["Cache-Control"]
    assert "max-age=300" in first["Cache-Control"]
    assert "Cookie" not in first.get("Vary", "")
    assert not first.cookies
    assert again.status_code == 304


def test_a_badge_is_wide_enough_for_chinese_text():
    latin = badge("abcd", "efgh", tone="rank")
    chinese = badge("快照名称", "排名第一", tone="rank")

    assert chinese.width > latin.width
    assert latin.value.start == latin.name.width


def test_only_the_table_for_other_sites_may_be_framed(client, published):
    path = reverse("embed", args=["openharmony-bench", "v1.0"])
    embedded, home = client.get(path), client.get("/")

    policy = dict(
        part.strip().split(" ", 1)
        for part in embedded["Content-Security-Policy"].split(";")
    )
    usual = dict(
        part.strip().split(" ", 1)
        for part in home["Content-Security-Policy"].split(";")
    )
    assert policy.pop("frame-ancestors") == "*"
    assert usual.pop("frame-ancestors") == "'none'"
    assert policy == usual
    assert "X-Frame-Options" not in embedded
    assert home["X-Frame-Options"] == "DENY"


def test_every_other_page_refuses_to_be_framed(client, published):
    pages = ["/", "/tasks/", "/benchmark/", "/methodology/", "/e/1/", "/status/"]
    for path in [*pages, "/feed.atom", "/e/1/badge.svg", "/embed/x/v1/"]:
        policy = client.get(path)["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in policy, path


@pytest.mark.parametrize("query", ["", "?source=bug-fix", "?as_of=2026-08-17"])
def test_the_table_for_other_sites_has_the_ranked_rows(client, published, query):
    html = client.get(f"/embed/openharmony-bench/v1.0/{query}").content.decode()
    full = client.get(f"/s/openharmony-bench/v1.0/{query}").content.decode()

    models = re.findall(r'rel="noopener">([^<]+)</a> <span', html)
    assert models == re.findall(r'class="model" href="[^"]*">([^<]+)<', full)
    assert "<script" not in html
    assert " style=" not in html
    assert "csrf" not in html


def test_the_table_of_a_day_without_standings_says_so(client, published):
    response = client.get("/embed/openharmony-bench/v1.0/?as_of=2020-01-01")

    assert response.status_code == 404
    assert "No standings of that day" in response.content.decode()


def test_snippets_are_text_to_copy_and_lead_back_here(client, published):
    evaluation = of_model("GLM-5.2")
    html = client.get(evaluation.get_absolute_url()).content.decode()
    home = client.get("/?source=bug-fix&as_of=2026-08-20").content.decode()

    snippets = [unescape(text) for text in re.findall(r"<pre[^>]*>(.*?)</pre>", html)]
    badge_address = f"http://localhost:8000/e/{evaluation.pk}/badge.svg"
    assert any(text.startswith("[![") and badge_address in text for text in snippets)
    assert any(
        text.startswith("<a href=") and badge_address in text for text in snippets
    )
    frame = re.search(r'id="embed-snippet"[^>]*>(.*?)</pre>', home)
    assert frame
    assert (
        'src="http://localhost:8000/embed/openharmony-bench/v1.0/'
        '?source=bug-fix&amp;as_of=2026-08-20"' in unescape(frame[1])
    )


def test_a_private_result_offers_no_badge(admin_client, published):
    evaluation = of_model("GLM-5.2")
    evaluation.visibility = Visibility.PRIVATE
    evaluation.save()

    html = admin_client.get(evaluation.get_absolute_url()).content.decode()

    assert "badge.svg" not in html
