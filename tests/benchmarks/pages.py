"""The leaderboard as page and as API, against a view that answers a constant."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import process_time
from typing import NamedTuple

from django.core.cache import caches

from leaderboard import memory, shelf
from leaderboard.models import KeptPage, StoredTable
from leaderboard.ranking.asked import PAGE_ROWS
from leaderboard.ranking.renewal import renew
from tests.benchmarks.goals import (
    API_FROM_STORED,
    FROM_SHELF,
    FROM_STORED,
    NOT_MODIFIED,
    WARM,
)
from tests.benchmarks.measure import Site, query_count, speed

CONSTANT = "/constant/"
UNPREPARED = {
    "in another order": "sort=tokens",
    "filtered": "provider=Provider+1",
    "with other columns": "columns=completed,tokens,agent",
    "in another order, of one source": "source=bug-fix&sort=name",
}


class Timing(NamedTuple):
    """Processor time of one kind of request, with its ratio to the constant view.

    ``per_second`` is None for the worker's part, which is done once.
    """

    what: str
    milliseconds: float
    ratio: float
    per_second: float | None
    queries: int
    kilobytes: float


def timings(version: str, *, row_count: int, rounds: int) -> Iterator[Timing]:
    """The kinds of request for the snapshot ``version`` with ``row_count`` rows."""
    site = Site()

    def nothing() -> bytes:
        # With a token, so that not even the version of the data is looked up.
        return site.get(CONSTANT, authorization="none")[0]

    constant = speed(nothing, rounds=rounds, each=50)
    base = constant.milliseconds
    page = f"/s/synthetic-bench/{version}/"
    api = f"/api/v1/leaderboard/?snapshot={version}"

    def timing(
        what: str,
        path: str,
        *,
        cold: bool = False,
        known: bool = False,
        first: bool = False,
    ):
        def forget() -> None:
            if cold:
                caches["pages"].clear()
            if first:
                memory.forget()

        gzip = {"accept-encoding": "gzip"}
        headers = gzip
        if known:
            headers = {**gzip, "if-none-match": site.get(path, **gzip)[1]}

        def act() -> bytes:
            forget()
            return site.get(path, expect=304 if known else 200, **headers)[0]

        kilobytes = len(act()) / 1000
        queries = query_count(act)
        found = speed(act, rounds=rounds, each=3 if cold else 50, beside=nothing)
        return Timing(
            what, found.milliseconds, found.ratio, found.per_second, queries, kilobytes
        )

    def once(what: str, act: Callable[[], object]) -> Timing:
        began = process_time()
        queries = query_count(act)
        found = (process_time() - began) * 1000
        return Timing(what, found, found / base, None, queries, 0)

    yield Timing("constant view", base, 1.0, constant.per_second, 0, 0.002)
    # What the worker does after a change, once for all processes.
    yield once("worker: standings stored", renew)
    yield once("worker: pages made beforehand", shelf.prepare)
    yield timing(WARM, page)
    yield timing(NOT_MODIFIED, page, known=True)
    yield timing(FROM_SHELF, page, cold=True)
    yield timing("API, kept in memory", api)
    yield timing("API, new process", api, cold=True)
    # What nobody has made beforehand.
    KeptPage.objects.all().delete()
    yield timing(FROM_STORED, page, cold=True)
    if row_count > PAGE_ROWS:
        yield timing("page, later rows", f"{page}?page=2", cold=True)
    for what, query in UNPREPARED.items():
        yield timing(f"page, {what}", f"{page}?{query}", cold=True)
    yield timing(API_FROM_STORED, api, cold=True)
    yield timing("API, later rows", f"{api}&offset=2", cold=True)
    yield timing("page, first of a process", f"{page}?sort=name", cold=True, first=True)
    StoredTable.objects.all().delete()
    yield timing("page, made from the totals", page, cold=True)
