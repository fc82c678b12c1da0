"""English that is left on a Chinese page, as a browser sees it."""

from __future__ import annotations

import re

from playwright.sync_api import Page

# Three English words in a row, outside of code and of what is marked as English.
_LEFT = """() => {
    const words = /[A-Za-z][a-z']+(?:[ ,]+[A-Za-z]?[a-z']+){2,}/;
    const kept = 'code, pre, samp, textarea, script, style, noscript, .mono, [lang=en]';
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode;
        if (words.test(node.data) && !node.parentElement.closest(kept))
            found.push(node.data.trim());
    }
    for (const name of ['title', 'alt', 'aria-label', 'placeholder'])
        for (const each of document.body.querySelectorAll(`[${name}]`))
            if (words.test(each.getAttribute(name)) && !each.closest(kept))
                found.push(each.getAttribute(name));
    return found;
}"""
_PROPORTIONAL = """() => [...document.querySelectorAll('code, pre')].filter(
    each => !getComputedStyle(each).fontFamily.includes('monospace')
).map(each => each.textContent.trim())"""
# On one line of the source: a space there is one on the page. A code that stands behind
# a sentence is no sentence.
_SPACED = re.compile(r'.{0,12}[。！？] +(?!</|<span class="mono")\S.{0,30}')
# Names, and what people of the scenes wrote themselves.
_NAMES = re.compile(
    r"OpenHarmony Bench \S+|Pura 90 Pro Max emulator|Sample Lab|[\w.-]*fill[- ]in\b"
    r"|Title of task-\d|Night shift|API token"
)
_WRITTEN = re.compile(
    r"One worker was ill|On our machines\.|The trajectory of run 2 looks short\."
    r"|Which seed did run 2 use\?|The file is part of the base project\."
    r"|Files of the reference were copied\."
    r"|The check depends on the size of the letters\."
)
_WORDS = re.compile(r"[A-Za-z][a-z']+(?:[ ,]+[A-Za-z]?[a-z']+){2,}")


def english_left(page: Page) -> list[str]:
    """Texts with words that should be Chinese on the page that is open."""
    return [
        text
        for text in page.evaluate(_LEFT)
        if _WORDS.search(_NAMES.sub("", _WRITTEN.sub("", text)))
    ]


def spaced_sentences(page: Page) -> list[str]:
    """Chinese sentences with a space behind them, which Chinese does not have."""
    return _SPACED.findall(page.content())


def code_in_another_font(page: Page) -> list[str]:
    """Code in the font of the language, whose columns would not line up."""
    return list(page.evaluate(_PROPORTIONAL))
