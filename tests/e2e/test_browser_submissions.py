"""Pages of submitters and operators in a real browser: accessible, narrow, alive."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Browser, BrowserContext

from evaluator.models import Job
from leaderboard.models import EvaluationSnapshot
from submissions.models import Submission
from tests.e2e.languages import (
    code_in_another_font,
    english_left,
    spaced_sentences,
)
from tests.e2e.scenes import lease, pages_of_submissions
from tests.e2e.test_browser import (
    LANGUAGES,
    violations,
)
from tests.submissions.bundles import files_for, zipped

pytestmark = [pytest.mark.browser]
HTML = "text/html; charset=utf-8"


@pytest.fixture
def pages(live_server, users, tmp_path) -> dict[str, str]:
    return pages_of_submissions(users["owner"], users["operator"], tmp_path)


def signed_in(chromium: Browser, url: str, user: Any, **options: Any) -> BrowserContext:
    """A window of ``user``, who is signed in."""
    client = Client()
    client.force_login(user)
    session = client.cookies["sessionid"].value
    context = chromium.new_context(**options)
    context.add_cookies([{"name": "sessionid", "value": session, "url": url}])
    return context


# Each width, language, theme and reader in some combination, not all of each.
# Width, language, theme and who looks. One test looks through all of them, since making
# the pages takes longer than looking at them.
WINDOWS = (
    (1280, "en", "light", "operator"),
    (390, "zh", "dark", "operator"),
    (1280, "zh", "dark", "owner"),
    (390, "en", "light", "owner"),
)


def expect_fine_pages(
    context: BrowserContext, url: str, pages: dict[str, str], *, width: int
) -> None:
    """Each of ``pages`` is accessible, no wider than its window, and quiet."""
    page = context.new_page()
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    for name, path in pages.items():
        page.goto(url + path)
        assert violations(page) == [], name
        if LANGUAGES["zh"] in url:
            assert english_left(page) == [], name
            assert code_in_another_font(page) == [], name
            assert spaced_sentences(page) == [], name
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
    context.close()
    assert errors == []


def test_no_page_has_an_accessibility_violation(browser, live_server, pages, users):
    for width, language, theme, who in WINDOWS:
        context = signed_in(
            browser,
            live_server.url,
            users[who],
            viewport={"width": width, "height": 900},
            color_scheme=theme,
        )

        expect_fine_pages(
            context, live_server.url + LANGUAGES[language], pages, width=width
        )


def test_the_report_of_a_faulty_bundle_is_accessible(
    browser,
    live_server,
    pages,
    users,
    tmp_path,
):
    # With scripts the browser looks into the file itself before it sends anything.
    context = signed_in(
        browser, live_server.url, users["owner"], java_script_enabled=False
    )
    page = context.new_page()
    page.goto(live_server.url + pages["submit"])
    faulty = Path(tmp_path, "faulty.zip")
    faulty.write_bytes(b"PK\x05\x06 nothing")

    page.locator("input[type=file]").set_input_files(faulty)
    page.get_by_role("button", name="Check only").click()

    page.get_by_role("heading", name="not submitted").wait_for()
    answer = page.content()
    context.close()
    context = signed_in(browser, live_server.url, users["owner"])
    page = context.new_page()
    address = live_server.url + pages["submit"]
    page.route(address, lambda route: route.fulfill(body=answer, content_type=HTML))
    page.goto(address)
    assert page.get_by_role("heading", name="not submitted").is_visible()
    assert violations(page) == []
    context.close()


def test_warnings_are_ticked_without_scripts_and_the_page_is_accessible(
    browser,
    live_server,
    pages,
    users,
    tmp_path,
):
    files = files_for(EvaluationSnapshot.objects.get(version="demo-0.1"))
    warned = Path(tmp_path, "warned.zip")
    without = next(name for name in files if name.endswith("trajectory.jsonl"))
    warned.write_bytes(zipped({**files, without: b""}))
    context = signed_in(
        browser, live_server.url, users["operator"], java_script_enabled=False
    )
    page = context.new_page()
    page.goto(live_server.url + pages["submit"])

    page.locator("input[type=file]").set_input_files(warned)
    page.get_by_role("button", name="Check and submit").click()
    page.get_by_role("heading", name="not submitted yet").wait_for()
    answer = page.content()
    page.get_by_role("checkbox", name="I have read the warning").check()
    page.get_by_role("button", name="Accept the warnings and submit").click()
    page.wait_for_url("**/submissions/*/")
    assert page.get_by_text("accepted the warnings of the check").is_visible()
    context.close()

    for width in (390, 1280):
        context = signed_in(
            browser,
            live_server.url,
            users["operator"],
            viewport={"width": width, "height": 900},
        )
        page = context.new_page()
        address = live_server.url + pages["submit"]
        page.route(address, lambda route: route.fulfill(body=answer, content_type=HTML))
        page.goto(address)
        assert page.get_by_role("checkbox").is_visible()
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        context.close()


def test_progress_comes_by_itself_and_keeps_page_and_focus(
    browser,
    live_server,
    pages,
    users,
):
    context = signed_in(browser, live_server.url, users["owner"])
    page = context.new_page()
    page.goto(live_server.url + pages["queued"])
    page.evaluate("window.same = true")
    square = page.locator(".squares a").first
    square.focus()
    submission = Submission.objects.get(pk=pages["queued"].split("/")[-2])
    job = Job.objects.filter(evaluation=submission.evaluation).first()
    assert job is not None

    lease(job)

    page.get_by_text("1 running").wait_for()
    assert page.evaluate("window.same") is True
    assert page.evaluate(
        "document.activeElement.getAttribute('href')"
    ) == square.get_attribute("href")
    context.close()


def test_nothing_new_is_asked_ever_less_and_answered_without_a_body(
    browser,
    live_server,
    pages,
    users,
):
    context = signed_in(browser, live_server.url, users["owner"])
    page = context.new_page()
    answers: list[int] = []
    page.on(
        "response",
        lambda answer: (
            answers.append(answer.status) if "progress.json" in answer.url else None
        ),
    )
    page.clock.install()
    page.goto(live_server.url + pages["queued"])
    for _ in range(500):
        if answers.count(304) >= 2:
            break
        page.clock.fast_forward(16_000)
        page.wait_for_timeout(300)
    context.close()

    assert answers[0] == 200
    assert answers.count(304) >= 2


def test_a_hidden_page_asks_nothing(
    browser,
    live_server,
    pages,
    users,
):
    context = signed_in(browser, live_server.url, users["owner"])
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.add_init_script(
        "Object.defineProperty(document, 'hidden', {get: () => window.away ?? true})"
    )
    page.goto(live_server.url + pages["queued"])
    page.wait_for_timeout(4_000)
    assert not [url for url in asked if "progress.json" in url]

    with page.expect_request("**/progress.json"):
        page.evaluate(
            "window.away = false;document.dispatchEvent(new Event('visibilitychange'))"
        )
    context.close()


def test_an_operator_runs_a_stuck_task_run_again_without_scripts(
    browser,
    live_server,
    pages,
    users,
):
    context = signed_in(
        browser, live_server.url, users["operator"], java_script_enabled=False
    )
    page = context.new_page()
    page.goto(live_server.url + pages["attempts"])

    page.get_by_label("Reason").fill("the device was replaced")
    page.get_by_role("button", name="Queue it again").click()

    page.get_by_text("1 task run is queued again.").wait_for()
    assert page.get_by_text("Waiting for an operator").count() == 0
    assert page.get_by_text("Device lost").count() == 3
    context.close()
