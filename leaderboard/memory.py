"""What one process keeps in memory because it follows from its key alone."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Kept = TypeVar("Kept")
_all: list[Memory[object]] = []


class Memory(Generic[Kept]):
    """At most ``size`` values; the one that was not asked for longest goes first."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[Hashable, Kept] = OrderedDict()
        self._lock = Lock()
        _all.append(self)  # type: ignore[arg-type]  # it is only emptied there

    def find(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """The value of ``key``, made where it is not known; do not change it."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = make()
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return made

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()


def forget() -> None:
    """Empty every memory of the process, as if it had just started."""
    for each in _all:
        each.clear()
