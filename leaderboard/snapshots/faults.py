"""What is wrong with a task package: every fault, with its place and the way out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple


class Fault(NamedTuple):
    """One thing to correct: a file of the package, the place in it, and the fix."""

    file: str
    place: str
    saw: str
    fix: str

    def __str__(self) -> str:
        where = f"{self.file}, {self.place}" if self.place else self.file
        return f"{where}: saw {self.saw}. {self.fix}"


class PackageError(ValueError):
    """A folder is not a task package; ``faults`` holds everything that was found."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        count = len(self.faults)
        title = "1 fault" if count == 1 else f"{count} faults"
        lines = "".join(f"\n  {fault}" for fault in self.faults)
        super().__init__(f"The task package has {title}:{lines}")


@dataclass(slots=True)
class Faults:
    """Collects the faults of one package, so that one reading finds all of them."""

    found: list[Fault] = field(default_factory=list)

    def add(self, file: str, place: str, *, saw: str, fix: str) -> None:
        self.found.append(Fault(file, place, saw, fix))

    def add_doubles(self, file: str, place: str, values: Iterable[str | None]) -> None:
        """Note every value that stands there more than once; None is not one."""
        for value, count in Counter(values).items():
            if value is not None and count > 1:
                saw = f"{shown(value)} {count} times"
                self.add(file, place, saw=saw, fix="Keep one of them.")


def shown(value: object, *, limit: int = 60) -> str:
    """A value for a message: on one line, cut.

    >>> shown("a\\nb")
    "'a\\\\nb'"
    """
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= limit else f"{text[:limit]}..."
