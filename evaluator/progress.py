"""Progress of an evaluation on a terminal: a bar for people, lines for logs."""

from __future__ import annotations

import time
from types import TracebackType

from django.core.management.base import OutputWrapper
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.progress import TimeElapsedColumn as Elapsed

LINE_SECONDS = 10.0


class ProgressLines:
    """Shows job counts: a live bar on a terminal, else a line per change."""

    def __init__(self, out: OutputWrapper) -> None:
        self._out = out
        self._bar: Progress | None = None
        self._bars: dict[str, TaskID] = {}
        self._last = ""
        self._due = 0.0

    def __enter__(self) -> ProgressLines:
        if self._out.isatty():
            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[note]}"),
                Elapsed(),
            )
            self._bar = Progress(*columns, console=Console())
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, name: str, counts: dict[str, int]) -> None:
        """Show ``counts`` (jobs by state) under ``name``."""
        total, scored = sum(counts.values()), counts["scored"]
        others = ", ".join(
            f"{number} {state}"
            for state, number in counts.items()
            if number and state != "scored"
        )
        if self._bar is not None:
            if name not in self._bars:
                self._bars[name] = self._bar.add_task(name, total=total, note="")
            self._bar.update(self._bars[name], completed=scored, note=others)
            return
        line = f"{name}: {scored} of {total} scored" + (
            f" ({others})" if others else ""
        )
        if line != self._last and (time.monotonic() >= self._due or scored == total):
            self._out.write(line)
            self._out.flush()
            self._last, self._due = line, time.monotonic() + LINE_SECONDS
