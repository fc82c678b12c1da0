"""What every page needs: its address in each language, and the product's version."""

from __future__ import annotations

from typing import NamedTuple

from django.conf import settings
from django.http import HttpRequest
from django.urls import translate_url
from django.utils.translation import get_language

from leaderboard import __version__
from leaderboard.late import Late
from leaderboard.memory import Memory

_NATIVE_NAMES = {"en": "English", "zh-hans": "中文"}
_HTML_CODES = {"zh-hans": "zh-Hans"}
_paths: Memory[str] = Memory(size=2_000)


class LanguageLink(NamedTuple):
    """The same page in another language; ``code`` as HTML and hreflang write it."""

    code: str
    name: str
    href: str
    current: bool


def site(request: HttpRequest) -> dict[str, object]:
    return {
        "product_version": __version__,
        "public_url": settings.PUBLIC_URL,
        "html_language": _html_code(get_language() or settings.LANGUAGE_CODE),
        "language_links": _language_links(request),
        "canonical_path": request.path,
    }


def _html_code(code: str) -> str:
    return _HTML_CODES.get(code, code)


def _language_links(request: HttpRequest) -> list[LanguageLink]:
    return [
        LanguageLink(
            code=_html_code(code),
            name=_NATIVE_NAMES[code],
            href=Late(_in_language(request, code)),
            current=code == get_language(),
        )
        for code, _name in settings.LANGUAGES
    ]


def _in_language(request: HttpRequest, code: str) -> str:
    """The address of the request in the language ``code``, with its query."""
    full = request.get_full_path()
    path, mark, query = full.partition("?")
    # Of the address a page is asked for by, many queries belong to one path.
    found = _paths.find((path, code), lambda: translate_url(path, code))
    return f"{found}{mark}{query}"
