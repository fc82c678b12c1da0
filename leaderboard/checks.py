"""System checks: files of the operator that cannot be used are told at the start."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import Error

from leaderboard.completion_rate import MultiplierError, read_multipliers
from leaderboard.kit_names import KitListError, kit_list
from leaderboard.penalties import ForeignFilesError, read_foreign_suffixes

_READERS = {
    "kits.json": kit_list,
    "multipliers.json": read_multipliers,
    "foreign_files.json": read_foreign_suffixes,
}
_FAULTS = (KitListError, MultiplierError, ForeignFilesError, OSError)


def check_benchmark_facts(**_: Any) -> list[Error]:
    """Every file in OHB_BENCHMARK_FACTS that would be passed over in silence."""
    if not settings.BENCHMARK_FACTS:
        return []
    root = Path(settings.BENCHMARK_FACTS)
    if not root.is_dir():
        return [
            Error(
                f"OHB_BENCHMARK_FACTS names {root}, which is no folder.",
                hint="Make it, or leave the variable empty.",
                id="leaderboard.E001",
            )
        ]
    found = []
    for name, read in _READERS.items():
        for path in sorted(root.glob(f"*/{name}")):
            try:
                read(path)
            except _FAULTS as error:
                found.append(Error(str(error), id="leaderboard.E002"))
    return found
