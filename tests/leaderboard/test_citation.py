"""Citations of the benchmark, of standings and of one result."""

from __future__ import annotations

import re
from datetime import date
from html import unescape

import pytest
import yaml
from django.test import Client

from leaderboard.as_of import today
from leaderboard.citation import Work, apa, bibtex, cff
from leaderboard.models import Evaluation
from tests.factories import ConfigurationFactory, EvaluationSnapshotFactory
from tests.leaderboard.evaluations import evaluated

HOSTILE = r"a\b {c}} 50% #1 $x_y^z ~ <i> & \input{/etc/passwd} %"


def work(**fields: object) -> Work:
    facts: dict[str, object] = {
        "key": "some-key",
        "title": "A title",
        "authors": ("Some Lab",),
        "published": date(2026, 8, 17),
        "url": "https://example.org/s/x/v1.0/?as_of=2026-08-17",
    }
    return Work(**{**facts, **fields})  # type: ignore[arg-type]  # a test's shortcut


def texts_of(client: Client, path: str) -> dict[str, str]:
    html = client.get(path).content.decode()
    found = re.findall(
        r'<pre class="cite" id="(cite-[^"]+)"[^>]*>(.*?)</pre>', html, re.S
    )
    return {name: unescape(text) for name, text in found}


def fields_of(entry: str) -> dict[str, str]:
    """The fields of an entry, which must be one and closed."""
    head, *lines, end = entry.splitlines()
    assert re.fullmatch(r"@misc\{[a-z0-9-]+,", head)
    assert end == "}"
    fields = {}
    for line in lines:
        name, _, value = line.rstrip(",").partition("=")
        depth = 0
        for char in value:
            depth += {"{": 1, "}": -1}.get(char, 0)
            assert depth >= 0, line
        assert depth == 0, line
        fields[name.strip()] = value.strip()
    return fields


def test_the_leaderboard_is_cited_at_a_day_and_the_benchmark_by_its_report(
    client, published
):
    texts = texts_of(client, "/zh-hans/?as_of=2026-08-20&sort=tokens")

    standings = fields_of(texts["cite-snapshot-bibtex"])
    assert standings["howpublished"] == (
        r"{\url{http://localhost:8000/s/openharmony-bench/v1.0/?as_of=2026-08-20}}"
    )
    assert "standings of" in standings["title"]
    assert standings["note"] == (f"{{Task snapshot of 2026-07-31, accessed {today()}}}")
    benchmark = fields_of(texts["cite-benchmark-bibtex"])
    assert benchmark["eprint"] == "{2608.16022}"
    assert r"{AI-Assisted R\&D TMG, Huawei} and {SMAT Lab" in benchmark["author"]
    assert texts["cite-benchmark-apa"].startswith(
        "AI-Assisted R&D TMG, Huawei; SMAT Lab, Beihang University; & CodeWisdom Lab, "
        "Fudan University. (2026, August 17). OpenHarmony Bench: Evaluating LLMs"
    )


def test_without_a_day_the_citation_names_that_of_today(client, published):
    assert f"?as_of={today()}" in texts_of(client, "/")["cite-snapshot-apa"]


def test_the_cited_address_shows_the_standings_of_the_day(client, published):
    text = texts_of(client, "/?as_of=2026-08-20")["cite-snapshot-cff"]
    address = yaml.safe_load(text)["url"]

    html = client.get(address.removeprefix("http://localhost:8000")).content.decode()

    assert "Frozen at the end of <b>2026-08-20</b>" in html


def test_a_result_is_cited_with_its_exact_count_and_origin(client, published):
    evaluation = Evaluation.objects.get(configuration__model="Kimi-K2.7-Code")
    texts = texts_of(client, evaluation.get_absolute_url())

    entry = fields_of(texts["cite-entry-bibtex"])
    assert entry["note"].startswith(
        r"{Task Completion 52.07 \% [50.98-52.94], 239 of 459 task runs; published, acc"
    )
    assert f"/e/{evaluation.pk}/" in entry["howpublished"]
    assert "Kimi-K2.7-Code with DevEco Code" in texts["cite-entry-apa"]
    assert yaml.safe_load(texts["cite-entry-cff"])["license"] == "Apache-2.0"


def test_a_simulated_result_is_cited_as_one(client, db):
    evaluation = evaluated(EvaluationSnapshotFactory(version="d-1", task_count=2))
    texts = texts_of(client, evaluation.get_absolute_url())

    assert all("simulated" in texts[f"cite-entry-{kind}"] for kind in ("bibtex", "cff"))


def test_a_benchmark_without_a_report_is_cited_by_its_site(client, db):
    evaluated(EvaluationSnapshotFactory(version="d-1", task_count=2))
    texts = texts_of(client, "/")

    assert r"\url{http://localhost:8000/}" in texts["cite-benchmark-bibtex"]


@pytest.mark.parametrize("place", ["title", "note", "version"])
def test_no_text_breaks_out_of_a_bibtex_entry(place):
    fields = fields_of(bibtex(work(**{place: f"{HOSTILE}\n}},\n@misc{{evil,"})))

    # Every command is one that prints a character; only braces of ours are left.
    commands = set(re.findall(r"\\[a-zA-Z]+", fields[place]))
    assert commands == {
        *(r"\textbackslash", r"\textasciicircum", r"\textasciitilde", r"\textless"),
        *(r"\textgreater", r"\textbraceleft", r"\textbraceright"),
    }
    assert not re.search(r"(?<!\\)[%#&$_]", fields[place])


@pytest.mark.parametrize("kind", ["cff", "apa"])
def test_a_model_name_of_strangers_stays_one_line_of_text(client, db, kind):
    model = 'x": y\n- z\n\x1b[31m # comment'
    snapshot = EvaluationSnapshotFactory(version="d-1", task_count=2)
    evaluation = evaluated(snapshot, configuration=ConfigurationFactory(model=model))
    text = texts_of(client, evaluation.get_absolute_url())[f"cite-entry-{kind}"]

    assert "\x1b" not in text
    if kind == "apa":
        assert "\n" not in text
    else:
        title = yaml.safe_load(text)["title"]
        assert title.startswith('x": y - z [31m # comment with DevEco Code')


def test_a_citation_file_has_what_its_format_requires():
    full = work(arxiv="2608.16022", version="v1.0", license="Apache-2.0", note="n")
    for each in (work(), full):
        document = yaml.safe_load(cff(each))
        assert document["cff-version"] == "1.2.0"
        assert document["message"]
        assert document["title"] == "A title"
        assert document["authors"] == [{"name": "Some Lab"}]
        assert document["type"] in {"dataset", "software"}
        assert document["date-released"] == "2026-08-17"


def test_apa_names_one_author_plainly():
    assert apa(work(accessed=date(2026, 11, 30))) == (
        "Some Lab. (2026, August 17). A title [Data set]. Retrieved November 30, 2026, "
        "from https://example.org/s/x/v1.0/?as_of=2026-08-17"
    )
