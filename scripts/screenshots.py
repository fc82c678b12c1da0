"""Renew the pictures in docs/images from a running demo.

    OHB_PUBLIC_URL=http://localhost:8000 .venv/bin/python -m scripts.screenshots

Needs the test requirements and Chromium (OHB_TEST_BROWSER names it where it is not on
PATH). Only pages of published results and of the demo snapshot are shown.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import Literal, NamedTuple

from playwright.sync_api import Browser, sync_playwright

from scripts.environment import setting
from scripts.steps import ROOT, say

FOLDER = ROOT / "docs" / "images"
HEIGHT = 860
CHINESE = "/zh-hans"


class Picture(NamedTuple):
    """``path`` as an address of the demo; ``width`` of the window in pixels."""

    name: str
    path: str
    width: int = 1280
    theme: Literal["light", "dark"] = "light"


PICTURES = (
    Picture("leaderboard", "/s/openharmony-bench/v1.0/"),
    Picture("leaderboard-zh", f"{CHINESE}/s/openharmony-bench/v1.0/", theme="dark"),
    Picture("leaderboard-phone", "/s/openharmony-bench/v1.0/", width=390),
    Picture("evaluation", "/e/1/"),
    Picture("compare", "/compare/?a=1&b=2"),
    Picture("task", "/tasks/demo-0.2/penkit-crash/"),
)


def take(browser: Browser, base: str, picture: Picture) -> None:
    context = browser.new_context(
        viewport={"width": picture.width, "height": HEIGHT}, color_scheme=picture.theme
    )
    page = context.new_page()
    answer = page.goto(base + picture.path)
    if answer is None or not answer.ok:
        raise SystemExit(
            f"{base}{picture.path} was not answered with a page. "
            "Is the demo running there? OHB_PUBLIC_URL names its address."
        )
    page.screenshot(path=FOLDER / f"{picture.name}.png")
    context.close()


def main() -> int:
    base = setting("OHB_PUBLIC_URL", "http://localhost:8000")
    chromium = os.environ.get("OHB_TEST_BROWSER") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        for picture in PICTURES:
            take(browser, base.rstrip("/"), picture)
            say(f"docs/images/{picture.name}.png")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
