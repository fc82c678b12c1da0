"""What every page needs: its address in each language, and the product's version."""

from __future__ import annotations

from typing import NamedTuple

from django.conf import settings
from django.http import HttpRequest
from django.urls import translate_url
from django.utils.translation import get_language

from leaderboard import __version__

_NATIVE_NAMES = {"en": "English", "zh-hans": "中文"}
_HTML_CODES = {"zh-hans": "zh-Hans"}


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
    here = request.get_full_path()
    return [
        LanguageLink(
            code=_html_code(code),
            name=_NATIVE_NAMES[code],
            href=translate_url(here, code),
            current=code == get_language(),
        )
        for code, _name in settings.LANGUAGES
    ]
