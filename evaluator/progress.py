"""Progress of an evaluation on a terminal: a bar for people, lines for logs."""

from __future__ import annotations

import time

from django.core.management.base import OutputWrapper

from leaderboard.terminal import LINE_SECONDS, Bars


class ProgressLines(Bars):
    """Shows job counts: a live bar on a terminal, else a line per change."""

    def __init__(self, out: OutputWrapper) -> None:
        super().__init__(out)
        self._last = ""
        self._due = 0.0

    def show(self, name: str, counts: dict[str, int]) -> None:
        """Show ``counts`` (jobs by state) under ``name``."""
        total, scored = sum(counts.values()), counts["scored"]
        others = ", ".join(
            f"{number} {state}"
            for state, number in counts.items()
            if number and state != "scored"
        )
        if self._drawn(name, scored, total, note=others):
            return
        line = f"{name}: {scored} of {total} scored" + (
            f" ({others})" if others else ""
        )
        if line != self._last and (time.monotonic() >= self._due or scored == total):
            self._write_line(line)
            self._last, self._due = line, time.monotonic() + LINE_SECONDS
