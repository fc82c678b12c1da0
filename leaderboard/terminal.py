"""Progress of a command: bars on a terminal, lines in a log."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from django.core.management.base import OutputWrapper
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

LINE_SECONDS = 10.0


class Bars:
    """Bars one below the other on a terminal; elsewhere its caller writes lines."""

    def __init__(self, out: OutputWrapper, *, quiet: bool = False) -> None:
        self._out = out
        self._quiet = quiet
        self._bars: Progress | None = None
        self._names: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        if self._out.isatty() and not self._quiet:
            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[note]}"),
                TimeElapsedColumn(),
            )
            self._bars = Progress(*columns, console=Console())
            self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def _drawn(self, name: str, done: int, total: int, *, note: str = "") -> bool:
        """Set the bar ``name``; False where there are no bars."""
        if self._bars is None:
            return False
        if name not in self._names:
            self._names[name] = self._bars.add_task(name, total=total, note=note)
        bar = self._names[name]
        self._bars.update(bar, completed=done, total=total, note=note)
        return True

    def _write_line(self, line: str) -> None:
        self._out.write(line)
        self._out.flush()


class StepBars(Bars):
    """Shows steps of a command; a quiet one shows nothing.

    Without a terminal a step has a line at its end, and one every LINE_SECONDS.
    """

    def __init__(self, out: OutputWrapper, *, quiet: bool = False) -> None:
        super().__init__(out, quiet=quiet)
        self._due = time.monotonic() + LINE_SECONDS

    def __call__(self, step: str, done: int, total: int) -> None:
        """Show that ``done`` of ``total`` parts of ``step`` are done."""
        if self._quiet or self._drawn(step, done, total):
            return
        if done == total or time.monotonic() >= self._due:
            self._write_line(f"{step}: {done:,} of {total:,}")
            self._due = time.monotonic() + LINE_SECONDS
