"""Who runs the site, and how to cite it."""

from __future__ import annotations

import pytest


def html_of(client, path="/about/"):
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def test_the_page_names_license_source_rules_and_citations(client, published):
    html = html_of(client)

    for part in (
        "Apache License 2.0",
        "arXiv:2608.16022v1",
        "another one decides",
        "@misc{",
        "cff-version",
    ):
        assert part in html, part


def test_without_an_operator_or_a_snapshot_the_page_still_stands(client, db, settings):
    settings.OPERATOR = settings.CONTACT = ""

    html = html_of(client)

    assert "has not given a name yet" in html
    assert "@misc{" not in html


@pytest.mark.parametrize(
    ("contact", "shown"),
    [
        ("bench@example.org", '<a href="mailto:bench@example.org">'),
        ("https://example.org/report", '<a href="https://example.org/report"'),
        ("javascript:alert(1)", "Questions, mistakes, reports: javascript:alert(1)"),
    ],
)
def test_operator_and_contact_are_shown_and_only_safe_addresses_are_links(
    client, db, settings, contact, shown
):
    settings.OPERATOR, settings.CONTACT = "The <b>Lab</b>", contact

    html = html_of(client)

    assert "The &lt;b&gt;Lab&lt;/b&gt;" in html
    assert shown in html
    assert 'href="javascript' not in html


def test_the_methodology_explains_what_comparisons_add(client, db):
    html = html_of(client, "/methodology/")

    for part in ('id="comparing"', "McNemar", "bootstrap", "pass^k"):
        assert part in html
