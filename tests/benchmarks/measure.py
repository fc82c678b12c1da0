"""How long something takes, as processor time of this process."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from statistics import median
from typing import NamedTuple

from django.core.handlers.wsgi import WSGIHandler
from django.db import connection
from django.test import RequestFactory

HOST = "bench.example.org"
# How long one kind of request is measured.
SECONDS = 3
_FEWEST = 3
# Calls beside in each round.
_BESIDE = 30


class Speed(NamedTuple):
    """What one call costs the processor, how many follow each other in a second, and
    how many calls of what was measured beside it cost the same."""

    milliseconds: float
    per_second: float
    ratio: float = 1.0


def speed(
    act: Callable[[], object],
    *,
    rounds: int,
    each: int = 1,
    beside: Callable[[], object] | None = None,
) -> Speed:
    """Medians over ``rounds`` with ``each`` calls of ``act``; three rounds are enough
    where more would take longer than SECONDS.

    ``beside`` is called in each round as well: a processor that slows down for a while
    slows down both, and leaves their ratio.
    """
    act()
    costs, rates, ratios = [], [], []
    gc.collect()
    gc.disable()
    begun = time.perf_counter()
    try:
        for number in range(rounds):
            if number >= _FEWEST and time.perf_counter() - begun > SECONDS:
                break
            cost, clock = time.process_time(), time.perf_counter()
            for _ in range(each):
                act()
            costs.append((time.process_time() - cost) * 1000 / each)
            rates.append(each / (time.perf_counter() - clock))
            if beside is not None:
                cost = time.process_time()
                for _ in range(_BESIDE):
                    beside()
                other = (time.process_time() - cost) * 1000 / _BESIDE
                ratios.append(costs[-1] / other)
    finally:
        gc.enable()
    return Speed(median(costs), median(rates), median(ratios) if ratios else 1.0)


def query_count(act: Callable[[], object]) -> int:
    """How often ``act`` asks the database."""
    count = 0

    def counted(execute, sql, params, many, context):
        nonlocal count
        count += 1
        return execute(sql, params, many, context)

    with connection.execute_wrapper(counted):
        act()
    return count


def wall_milliseconds(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


class Site:
    """The WSGI application, called in this process without a server."""

    def __init__(self) -> None:
        self._application = WSGIHandler()
        self._requests = RequestFactory()

    def get(self, path: str, *, expect: int = 200, **headers: str) -> tuple[bytes, str]:
        """The body of an answer and its ETag."""
        environ = self._requests.get(path, headers=headers).environ | {
            "HTTP_HOST": HOST
        }
        said: dict[str, str] = {}
        status = ""

        def start(line: str, fields: list[tuple[str, str]], *_: object) -> None:
            nonlocal status
            status = line
            said.update(fields)

        response = self._application(environ, start)
        try:
            body = b"".join(response)
        finally:
            response.close()
        if not status.startswith(str(expect)):
            raise RuntimeError(f"{path} answered {status}, not {expect}.")
        return body, said.get("ETag", "")
