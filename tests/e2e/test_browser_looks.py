"""What pages weigh, and whether they hold on paper, in large text and forced colors."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.contrib.staticfiles.finders import find

from tests.e2e.test_browser import LANGUAGES, MAIN_PAGES
from tests.factories import EvaluationSnapshotFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Marks that stand on the page in the color of the page.
LOST_SHAPES = """() => [...document.querySelectorAll(
    'main svg:not([hidden]) :is(line, path, circle, rect)')].filter(shape => {
        if (shape.closest('[aria-hidden]') || !shape.getClientRects().length)
            return false;
        const {fill, stroke} = getComputedStyle(shape);
        const canvas = getComputedStyle(document.body).backgroundColor;
        const seen = [fill, stroke].filter(each => each !== 'none' && each !== canvas);
        return !seen.length && !shape.matches('.run-halo');
    }).map(shape => shape.outerHTML)"""


def test_home_stays_light_on_the_wire(browser, live_server, pages):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(live_server.url, wait_until="networkidle")
    transferred = page.evaluate(
        "performance.getEntriesByType('navigation')[0].encodedBodySize"
    )
    context.close()

    assert all(url.startswith(live_server.url) for url in asked)
    assert len(asked) <= 8
    assert transferred <= 25_000
    assert compressed(asked, ".css") <= 10_000
    assert compressed(asked, ".js") <= 20_000
    assert not [url for url in asked if re.search(r"\.(woff2?|ttf|otf)", url)]


def compressed(addresses: list[str], ending: str) -> int:
    """Bytes of the files with that ending, each compressed as the site sends it."""
    names = [urlsplit(url).path for url in addresses]
    paths = [find(name.removeprefix("/static/")) for name in names if ending in name]
    return sum(len(gzip.compress(Path(path).read_bytes())) for path in paths)


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_moves_while_a_page_loads(browser, live_server, pages, width):
    context = browser.new_context(viewport={"width": width, "height": 900})
    context.add_init_script(
        """window.shift = 0;
        new PerformanceObserver(list => {
            for (const entry of list.getEntries()) window.shift += entry.value;
        }).observe({type: 'layout-shift', buffered: true});"""
    )
    page = context.new_page()
    for name, path in pages.items():
        if width == 390 or name in MAIN_PAGES:
            page.goto(live_server.url + path)
            drawn = "new Promise(done => requestAnimationFrame(() => setTimeout(done)))"
            page.evaluate(drawn)
            assert page.evaluate("window.shift") <= 0.02, name
    context.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_text_of_twice_the_size_still_fits(browser, live_server, pages, language):
    context = browser.new_context()
    page = context.new_page()
    sizes = {"fontSizes": {"standard": 32, "fixed": 26}}
    context.new_cdp_session(page).send("Page.setFontSizes", sizes)
    too_wide = []
    for name, path in pages.items():
        page.goto(live_server.url + LANGUAGES[language] + path)
        assert page.evaluate("getComputedStyle(document.body).fontSize") == "30px"
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 900})
            seen = page.evaluate("document.documentElement.scrollWidth")
            too_wide += [(name, width, seen)] if seen > width else []
    context.close()

    assert too_wide == []


def test_forced_colors_leave_nothing_invisible(browser, live_server, pages):
    """Windows' contrast themes replace colors: what they leave out must not matter."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.emulate_media(forced_colors="active")
    for name in sorted(MAIN_PAGES):
        page.goto(live_server.url + pages[name])
        assert page.evaluate(LOST_SHAPES) == [], name
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280, name
    page.goto(live_server.url)
    borders = page.locator(".tabs a").evaluate_all(
        "tabs => tabs.map(tab => getComputedStyle(tab).borderBottomStyle)"
    )
    context.close()

    assert borders == ["solid", "none", "none", "none"]


def test_many_snapshots_to_choose_from_do_not_widen_a_page(
    browser, live_server, committed_db
):
    for number in range(6):
        EvaluationSnapshotFactory(version=f"synthetic-{number}.0")
    context = browser.new_context()
    page = context.new_page()
    for width in (390, 320):
        page.set_viewport_size({"width": width, "height": 900})
        for path in ("/benchmark/", "/tasks/"):
            page.goto(live_server.url + path)
            seen = page.evaluate("document.documentElement.scrollWidth")
            assert seen <= width, path
    context.close()


def test_less_motion_is_none(browser, live_server, pages):
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    page.goto(live_server.url)
    moving = page.evaluate(
        """() => [...document.querySelectorAll('*')].filter(each => {
            const style = getComputedStyle(each);
            return parseFloat(style.transitionDuration)
                || style.animationName !== 'none';
        }).length"""
    )
    context.close()

    assert moving == 0


def test_the_page_prints_with_its_table(browser, live_server, pages):
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto(live_server.url)

    page.emulate_media(media="print")
    assert page.locator(".standings tbody tr").count() == 8
    assert page.locator(".site-nav").is_hidden()
    # Nobody scrolls on paper: A4 across, less its margins, holds every column.
    page.set_viewport_size({"width": 1047, "height": 720})
    right = "document.querySelector('.standings').getBoundingClientRect().right"
    assert page.evaluate(right) <= 1047
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == (
        "rgb(255, 255, 255)"
    )
    ink = page.evaluate("getComputedStyle(document.querySelector('.model')).color")
    assert sum(map(int, re.findall(r"\d+", ink))) < 200
    context.close()


def test_a_comparison_prints_its_numbers_without_its_form(browser, live_server, pages):
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto(live_server.url + pages["compare"])

    page.emulate_media(media="print")
    assert page.locator(".picker").is_hidden()
    assert page.locator(".two-by-two a").count() == 4
    assert page.locator("#tasks tbody tr").count() == 3
    ink = page.evaluate("getComputedStyle(document.querySelector('h1')).color")
    assert sum(map(int, re.findall(r"\d+", ink))) < 200
    context.close()
