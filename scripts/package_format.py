"""Writes the tables of docs/task-format.md from the models that the import reads with.

Run ``python -m scripts.package_format`` after a change of the format; a test tells when
that was forgotten.
"""

from __future__ import annotations

import json
import re

from leaderboard.snapshots.schemas import FILES, FieldRow, field_rows
from scripts.steps import ROOT

DOCUMENT = ROOT / "docs" / "task-format.md"


def table(name: str) -> str:
    """The fields of ``<name>.json`` as a Markdown table."""
    lines = ["| field | kind | needed | limits | meaning |", "|---|---|---|---|---|"]
    lines += [f"| {' | '.join(_cells(row))} |" for row in field_rows(name)]
    return "\n".join(lines)


def documented(text: str) -> str:
    """``text`` with its tables as the models have them now."""
    for name in FILES:
        text = re.sub(
            rf"(<!-- fields of {name} -->).*?(<!-- end -->)",
            lambda found, name=name: f"{found[1]}\n{table(name)}\n{found[2]}",  # type: ignore[misc]  # the default binds the loop's value
            text,
            flags=re.DOTALL,
        )
    return text


def _cells(row: FieldRow) -> list[str]:
    meaning = row.description
    if row.example is not None:
        meaning += f" Such as `{json.dumps(row.example, ensure_ascii=False)}`."
    needed = "yes" if row.required else "no"
    cells = [f"`{row.name}`", row.kind, needed, row.limits, meaning]
    return [cell.replace("|", "\\|") for cell in cells]


def main() -> None:
    text = DOCUMENT.read_text("utf-8")
    DOCUMENT.write_text(documented(text), "utf-8")


if __name__ == "__main__":
    main()
