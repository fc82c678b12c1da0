"""Review pages in a real browser: accessible, narrow, in two languages, no scripts."""

from __future__ import annotations

import pytest

from submissions.models import Submission, SubmissionState
from tests.e2e.review_scenes import pages_of_reviews
from tests.e2e.test_browser import (
    LANGUAGES,
)
from tests.e2e.test_browser_submissions import (
    WINDOWS,
    expect_fine_pages,
    signed_in,
)

pytestmark = [pytest.mark.browser]


@pytest.fixture
def pages(live_server, users, tmp_path) -> dict[str, str]:
    return pages_of_reviews(users["owner"], users["operator"], tmp_path)


def of_the_owner(name: str) -> bool:
    return "submitter" in name or name == "struck out"


def test_no_review_page_has_an_accessibility_violation(
    browser, live_server, pages, users
):
    for width, language, theme, who in WINDOWS:
        context = signed_in(
            browser,
            live_server.url,
            users[who],
            viewport={"width": width, "height": 900},
            color_scheme=theme,
        )
        seen = {
            name: path
            for name, path in pages.items()
            if who == "operator" or of_the_owner(name)
        }

        expect_fine_pages(
            context, live_server.url + LANGUAGES[language], seen, width=width
        )


def test_a_maintainer_asks_and_the_submitter_answers_without_scripts(
    browser,
    live_server,
    pages,
    users,
):
    without = {"java_script_enabled": False}
    context = signed_in(browser, live_server.url, users["operator"], **without)
    page = context.new_page()
    page.goto(live_server.url + pages["waiting"])
    page.get_by_text("Ask the submitter", exact=True).first.click()
    page.get_by_label("Question").fill("Which temperature was it?")
    page.get_by_role("button", name="Ask the submitter").click()
    page.get_by_text("Done: Ask the submitter.").wait_for()
    context.close()

    context = signed_in(browser, live_server.url, users["owner"], **without)
    page = context.new_page()
    address = pages["waiting"].replace("/review/", "/submissions/")
    page.goto(live_server.url + address)
    assert page.get_by_text("Which temperature was it?").is_visible()
    page.get_by_label("Your answer").fill("0.2, as in the manifest.")
    page.get_by_role("button", name="Answer").click()
    page.get_by_text("Answered.").wait_for()
    context.close()

    found = Submission.objects.get(pk=address.split("/")[-2])
    assert found.shown_state == SubmissionState.EVALUATED


def test_a_proposal_of_the_own_team_cannot_be_confirmed_by_its_maker(
    browser,
    live_server,
    pages,
    users,
):
    context = signed_in(browser, live_server.url, users["operator"])
    page = context.new_page()
    page.goto(live_server.url + pages["own"])

    assert page.get_by_role("heading", name="Proposal: Publish").is_visible()
    assert page.get_by_role("button", name="Confirm").count() == 0
    context.close()
