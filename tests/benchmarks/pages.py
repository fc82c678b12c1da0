"""The leaderboard as page and as API, against a view that answers a constant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from django.core.cache import caches

from tests.benchmarks.measure import Site, cpu_milliseconds, query_count

CONSTANT = "/constant/"


class Timing(NamedTuple):
    """Processor time of one kind of request, with its ratio to the constant view."""

    what: str
    milliseconds: float
    ratio: float
    queries: int
    kilobytes: float


def timings(version: str, *, rounds: int) -> Iterator[Timing]:
    """The kinds of request for the snapshot ``version``."""
    site = Site()
    # With a token, so that not even the version of the data is looked up.
    base = cpu_milliseconds(
        lambda: site.get(CONSTANT, authorization="none"), rounds=rounds, each=50
    )
    page = f"/s/synthetic-bench/{version}/"
    api = f"/api/v1/leaderboard/?snapshot={version}"

    def timing(what: str, path: str, *, cold: bool = False, known: bool = False):
        def forget() -> None:
            if cold:
                caches["pages"].clear()

        gzip = {"accept-encoding": "gzip"}
        headers = gzip
        if known:
            headers = {**gzip, "if-none-match": site.get(path, **gzip)[1]}

        def act() -> bytes:
            forget()
            return site.get(path, expect=304 if known else 200, **headers)[0]

        kilobytes = len(act()) / 1000
        queries = query_count(act)
        found = cpu_milliseconds(act, rounds=rounds, each=1 if cold else 50)
        return Timing(what, found, found / base, queries, kilobytes)

    yield Timing("constant view", base, 1.0, 0, 0.002)
    yield timing("page, kept", page)
    yield timing("page, made from the database", page, cold=True)
    yield timing("page, 304", page, known=True)
    yield timing("API, kept", api)
    yield timing("API, made from the database", api, cold=True)
