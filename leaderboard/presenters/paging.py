"""Links to the pages of a long table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from leaderboard.presenters.ordering import href
from leaderboard.presenters.selection import Selection
from leaderboard.ranking.asked import PAGE_ROWS

_AROUND = 2


class PageLink(NamedTuple):
    """A page by its number; without an address it is the gap between two pages."""

    number: int
    href: str
    current: bool


class Paging(NamedTuple):
    """Which rows of ``count`` are shown, counted from 1, and where the others are."""

    first: int
    last: int
    row_count: int
    links: Sequence[PageLink]
    previous: str
    next: str


def paging(selection: Selection) -> Paging | None:
    """None where one page holds everything."""
    page, last = selection.page, selection.page_count
    if last == 1:
        return None
    begin = (page - 1) * PAGE_ROWS
    return Paging(
        first=begin + 1,
        last=begin + selection.found.shown_count,
        row_count=selection.found.match_count,
        links=_links(selection),
        previous=_address(selection, page - 1) if page > 1 else "",
        next=_address(selection, page + 1) if page < last else "",
    )


def _links(selection: Selection) -> list[PageLink]:
    page, last = selection.page, selection.page_count
    near = range(max(1, page - _AROUND), min(last, page + _AROUND) + 1)
    links: list[PageLink] = []
    for number in sorted({1, last, *near}):
        if links and number > links[-1].number + 1:
            links.append(PageLink(number - 1, "", current=False))
        links.append(PageLink(number, _address(selection, number), number == page))
    return links


def _address(selection: Selection, page: int) -> str:
    return href(selection.query, page=str(page) if page > 1 else None)
