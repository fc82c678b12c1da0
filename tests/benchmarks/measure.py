"""How long something takes, as processor time of this process."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from statistics import median

from django.core.handlers.wsgi import WSGIHandler
from django.db import connection
from django.test import RequestFactory

HOST = "bench.example.org"


def cpu_milliseconds(act: Callable[[], object], *, rounds: int, each: int = 1) -> float:
    """Median over ``rounds`` of what ``act`` costs, called ``each`` times in each."""
    act()
    found = []
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            began = time.process_time()
            for _ in range(each):
                act()
            found.append((time.process_time() - began) * 1000 / each)
    finally:
        gc.enable()
    return median(found)


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
