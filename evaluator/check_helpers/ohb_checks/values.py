"""The values that were drawn for this attempt."""

from __future__ import annotations

import json
from pathlib import Path

DRAWN = Path(__file__).with_name("drawn.json")


def drawn(case: str) -> dict[str, str | int]:
    """Values of ``case`` by the names in its settings; dates are ISO texts."""
    found: dict[str, str | int] = json.loads(DRAWN.read_text("utf-8"))["values"][case]
    return found
