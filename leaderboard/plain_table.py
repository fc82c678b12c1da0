"""A table in plain text, for commands."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence


def aligned(
    headings: Sequence[str], rows: Sequence[Sequence[str]], *, left: Collection[str]
) -> Iterator[str]:
    """Lines with equal columns; those under a heading in ``left`` begin at the left."""
    widths = [
        max(len(cells[place]) for cells in [headings, *rows])
        for place in range(len(headings))
    ]
    for cells in [headings, *rows]:
        yield "  ".join(
            cell.ljust(width) if heading in left else cell.rjust(width)
            for heading, cell, width in zip(headings, cells, widths, strict=True)
        ).rstrip()


def printable(text: str) -> str:
    """Names come from submissions: no control character may reach a terminal."""
    return "".join(char if char.isprintable() else "?" for char in text)
