"""Snippets that put a badge or a table of this site into other pages."""

from __future__ import annotations

from typing import NamedTuple

from django.conf import settings
from django.urls import reverse
from django.utils.html import escape
from django.utils.translation import gettext as _

from leaderboard.late import address
from leaderboard.metrics import Scope
from leaderboard.models import Evaluation
from leaderboard.presenters.selection import Selection


class BadgeSnippets(NamedTuple):
    """``image`` is its path; the snippets hold whole addresses."""

    image: str
    alternative: str
    markdown: str
    html: str


def badge_snippets(evaluation: Evaluation) -> BadgeSnippets:
    path = reverse("evaluation-badge", args=[evaluation.pk])
    image = settings.PUBLIC_URL + path
    page = settings.PUBLIC_URL + evaluation.get_absolute_url()
    text = _("Place on %(snapshot)s") % {"snapshot": str(evaluation.snapshot)}
    return BadgeSnippets(
        image=path,
        alternative=text,
        markdown=f"[![{_for_markdown(text)}]({image})]({page})",
        html=f'<a href="{escape(page)}"><img src="{escape(image)}" '
        f'alt="{escape(text)}" height="20"></a>',
    )


def embed_snippet(selection: Selection) -> str:
    """A frame with the table of the shown source and day."""
    snapshot = selection.snapshot
    path = address("embed", snapshot.benchmark.slug, snapshot.version)
    query = []
    if selection.scope != Scope.OVERALL:
        query.append(f"source={selection.scope.value}")
    if selection.as_of:
        query.append(f"as_of={selection.as_of.day}")
    link = settings.PUBLIC_URL + path + ("?" + "&".join(query) if query else "")
    title = _("Leaderboard %(version)s") % {"version": str(snapshot)}
    return (
        f'<iframe src="{escape(link)}" title="{escape(title)}" '
        'width="100%" height="560" loading="lazy"></iframe>'
    )


def _for_markdown(text: str) -> str:
    return "".join(f"\\{char}" if char in r"\[]!`*_" else char for char in text)
