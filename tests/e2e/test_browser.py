"""The public pages in a real browser: accessibility, widths, no scripts."""

from __future__ import annotations

from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import Page

from leaderboard.models import Configuration
from tests.e2e.languages import (
    code_in_another_font,
    english_left,
    spaced_sentences,
)

AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"
AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
LANGUAGES = {"en": "", "zh": "/zh-hans"}
# Looked at in every width, language and theme; the others only in opposite corners.
MAIN_PAGES = {"home", "task", "evaluation", "task-run", "compare", "benchmark"} | {
    "methodology"
}
CORNERS = {(1280, "en", "light"), (390, "zh", "dark")}
# These lay themselves out anew in the narrowest window, so axe looks at them there too.
NARROW_PAGES = {"home", "evaluation"}

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def violations(page: Page) -> list[str]:
    """What axe-core finds, as one line a finding."""
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate(
        "tags => axe.run(document, {runOnly: tags})"
        ".then(result => result.violations.map(each => each.id + ' '"
        " + each.nodes.map(node => node.target.join(' ')).slice(0, 3).join(', ')))",
        AXE_TAGS,
    )
    return list(found)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", [1280, 390])
def test_no_page_has_an_accessibility_violation(
    browser, live_server, pages, width, language, theme
):
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=theme
    )
    page = context.new_page()
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    everything = (width, language, theme) in CORNERS
    for name, path in pages.items():
        if everything or name in MAIN_PAGES:
            page.goto(live_server.url + LANGUAGES[language] + path)
            assert violations(page) == [], name
            if language == "zh":
                assert english_left(page) == [], name
                assert code_in_another_font(page) == [], name
                assert spaced_sentences(page) == [], name
    context.close()
    assert [text for text in errors if "404 (Not Found)" not in text] == []


def test_messages_of_the_compiler_are_on_the_page_that_is_looked_at(
    browser, live_server, pages
):
    context = browser.new_context()
    page = context.new_page()
    page.goto(live_server.url + pages["task-run"])

    assert page.locator("table.compiler").count() == 2
    assert page.locator("table.compiler .place a").count() > 0
    context.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_page_scrolls_sideways_and_narrow_ones_stay_accessible(
    browser, live_server, pages, language
):
    context = browser.new_context()
    page = context.new_page()
    for name, path in pages.items():
        page.goto(live_server.url + LANGUAGES[language] + path)
        for width in (1280, 1240, 1180, 768, 390, 320):
            page.set_viewport_size({"width": width, "height": 900})
            seen = page.evaluate("document.documentElement.scrollWidth")
            assert seen <= width, name
        if name in NARROW_PAGES:
            assert violations(page) == [], name
    context.close()


def models(page: Page) -> list[str]:
    return page.locator(".standings .model").all_inner_texts()


def test_tabs_filters_and_sorting_work_without_scripts(browser, live_server, pages):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(live_server.url)
    assert len(models(page)) == 8

    page.locator(".tabs").get_by_role("link", name="spec-driven").click()
    page.wait_for_url("**source=spec-driven**")
    assert models(page)[0] == "Kimi-K3"

    page.get_by_label("Model family").select_option("Kimi")
    page.get_by_role("button", name="Apply").click()
    page.wait_for_url("**family=Kimi**")
    assert models(page) == ["Kimi-K3", "Kimi-K2.7-Code"]

    for order in ("tokens", "-tokens"):
        page.get_by_role("link", name="Tokens / task").click()
        page.wait_for_url(f"**sort={order}")
    assert models(page) == ["Kimi-K2.7-Code", "Kimi-K3"]
    for part in ("source=spec-driven", "family=Kimi", "sort=-tokens"):
        assert part in page.url

    page.get_by_role("link", name="中文").click()
    page.wait_for_url("**/zh-hans/**")
    assert page.locator("html").get_attribute("lang") == "zh-Hans"
    assert models(page) == ["Kimi-K2.7-Code", "Kimi-K3"]
    context.close()


def headings(page: Page) -> list[str]:
    found = page.locator(".standings thead th").all_inner_texts()
    return [text.split("\n")[0].strip() for text in found]


def test_columns_and_files_are_had_without_scripts(browser, live_server, pages):
    context = browser.new_context(java_script_enabled=False, accept_downloads=True)
    page = context.new_page()
    page.goto(f"{live_server.url}/?family=Kimi")

    page.locator("#columns-menu summary").click()
    for name in ("Runs", "First build", "spec-driven"):
        page.locator("#columns-menu").get_by_label(name).uncheck()
    page.locator("#columns-menu").get_by_label("Public since").check()
    page.locator("#columns-menu").get_by_role("button", name="Apply").click()
    page.wait_for_url("**columns=published**")

    assert models(page) == ["Kimi-K3", "Kimi-K2.7-Code"]
    assert not {"Runs, %", "First build", "spec-driven"} & set(headings(page))
    assert "Public since" in headings(page)
    page.locator("#export-menu summary").click()
    with page.expect_download() as caught:
        page.locator("#export-menu").get_by_role("link", name="CSV").click()
    lines = Path(caught.value.path()).read_text("utf-8").splitlines()
    context.close()

    assert len(lines) == 3
    assert "published_on" in lines[0]
    assert "first_build" not in lines[0]


def test_choosing_columns_with_scripts_keeps_the_menu_open(browser, live_server, pages):
    context = browser.new_context(
        viewport={"width": 1280, "height": 900},
        permissions=["clipboard-read", "clipboard-write"],
    )
    page = context.new_page()
    page.goto(live_server.url)

    page.locator("#columns-menu summary").click()
    page.locator("#columns-menu").get_by_label("Time per task").uncheck()
    page.wait_for_url("**columns=**")
    page.locator("#columns-menu[open]").get_by_label("Agent").check()
    page.locator(".standings thead th", has_text="Agent").wait_for()
    assert "Time / task" not in headings(page)
    assert "%2C" not in page.url

    page.locator("#columns-menu summary").click()
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("button", name="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    shown = headings(page)
    page.goto(copied)
    assert copied.startswith(f"{live_server.url}/s/openharmony-bench/v1.0/?")
    assert headings(page) == shown
    context.close()


def test_sorting_with_scripts_keeps_the_page_and_the_focus(browser, live_server, pages):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(live_server.url)
    page.evaluate("window.same = true")

    heading = page.locator("thead a", has_text="Tokens / task")
    heading.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**sort=tokens")
    page.locator("th[aria-sort=ascending]", has_text="Tokens").wait_for()

    assert page.evaluate("window.same") is True
    assert page.evaluate("document.activeElement.dataset.focus") == "sort-tokens"
    assert page.locator("th[aria-sort]").count() == 1
    assert (
        "8 configurations shown" in page.locator("[data-standings-status]").inner_text()
    )

    page.get_by_label("Model family").select_option("GLM")
    page.wait_for_url("**family=GLM**")
    page.get_by_role("link", name="Clear filters").wait_for()
    assert models(page) == ["GLM-5.1", "GLM-5.2"]

    page.go_back()
    page.locator(".standings .model").nth(7).wait_for()
    context.close()


def test_figures_are_drawn_on_demand_and_names_stay_text(browser, live_server, pages):
    hostile = '<img src=x onerror="hacked=1">'
    Configuration.objects.filter(model="GLM-5.2").update(model=hostile)
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(live_server.url)
    assert not [url for url in asked if "plotly" in url]

    page.get_by_role("link", name="Explore: zoom and hover").click()
    page.locator(".plot .main-svg").nth(5).wait_for()
    labels = page.locator(".plot .ytick text").all_text_contents()

    assert labels.count(hostile) == 2
    assert page.locator(".plot img").count() == 0
    assert page.evaluate("window.hacked") is None
    assert problems == []
    assert all(url.startswith(live_server.url) for url in asked)
    context.close()


def test_figures_have_their_numbers_without_scripts(browser, live_server, pages):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{live_server.url}/zh-hans/explore/?snapshot=v1.0")

    for details in page.locator(".figure-table").all():
        details.locator("summary").click()
        assert details.locator("tbody tr").count() == 8
    context.close()


def test_the_first_tab_leads_past_the_header(browser, live_server, pages):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(live_server.url)

    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip-link"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"

    page.goto(live_server.url)
    for _ in range(25):
        page.keyboard.press("Tab")
        focused = page.evaluate(
            "[document.activeElement.dataset.focus ?? '',"
            " getComputedStyle(document.activeElement).outlineStyle]"
        )
        assert focused[1] != "none"
        if focused[0].startswith("sort-"):
            return
    pytest.fail("no column heading within 25 tabs")


def test_the_theme_switch_is_kept_from_page_to_page(browser, live_server, pages):
    context = browser.new_context(color_scheme="light")
    page = context.new_page()
    page.goto(live_server.url)
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)

    page.get_by_role("button", name="Theme").click()
    page.get_by_role("button", name="Theme").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.goto(live_server.url + "/methodology/")

    assert page.evaluate(background) != light
    assert page.get_by_role("button", name="Theme: dark").is_visible()
    context.close()


def test_headings_of_the_table_stay_in_sight_on_a_wide_screen(
    browser, live_server, pages
):
    context = browser.new_context(viewport={"width": 1280, "height": 600})
    page = context.new_page()
    page.goto(live_server.url)
    page.locator(".standings tbody tr").nth(6).scroll_into_view_if_needed()
    page.evaluate("window.scrollBy(0, 200)")

    assert (
        page.locator("thead th").first.evaluate("th => th.getBoundingClientRect().top")
        == 0
    )
    context.close()


def test_targets_are_large_enough_for_fingers(browser, live_server, pages):
    """24 px or more, unless the link stands inside a line of text (WCAG 2.5.8)."""
    context = browser.new_context(viewport={"width": 390, "height": 900})
    page = context.new_page()
    page.goto(live_server.url)
    small = page.evaluate(
        """() => [...document.querySelectorAll('a, button, select, summary, input')]
        .filter(each => {
            const target = each.closest('label.choice') ?? each;
            const box = target.getBoundingClientRect();
            const inline = getComputedStyle(each).display === 'inline';
            return box.width && !inline && !each.closest('.standings thead')
                && !each.closest('.skip-link')
                && (box.height < 24 || box.width < 24);
        }).map(each => each.outerHTML.slice(0, 80))"""
    )
    context.close()

    assert small == []


def test_ticked_rows_are_compared_without_scripts(browser, live_server, pages):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(live_server.url)

    page.get_by_label("Compare GLM-5.2").check()
    page.get_by_label("Compare Kimi-K3").check()
    page.get_by_role("button", name="Compare the ticked rows").click()
    assert "GLM-5.2 (A) is 1.09 percent points ahead" in page.content()

    page.locator("select[name=b]").select_option(label="MiniMax-M3 · Published")
    page.get_by_role("button", name="Compare", exact=True).click()
    assert "MiniMax-M3" in page.locator("h1").inner_text()
    assert "do not overlap" in page.content()
    context.close()


def test_ticks_survive_scripts_and_lead_to_the_comparison(browser, live_server, pages):
    context = browser.new_context(viewport={"width": 390, "height": 900})
    page = context.new_page()
    page.goto(live_server.url)

    page.get_by_label("Compare GLM-5.2").check()
    page.get_by_label("Compare MiniMax-M3").check()
    page.get_by_role("button", name="Compare the ticked rows").click()
    page.wait_for_url("**/compare/?id=*")

    assert page.locator("h1").inner_text().split() == ["GLM-5.2", "and", "MiniMax-M3"]
    context.close()
