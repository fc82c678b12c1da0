"""Files with which a benchmark is configured, beside its snapshots."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

_OWN = Path(__file__).parent / "facts" / "benchmarks"


def benchmark_file(slug: str, name: str) -> Path | None:
    """The operator's file ``name`` of a benchmark, else the project's; None without."""
    folders = [Path(settings.BENCHMARK_FACTS)] if settings.BENCHMARK_FACTS else []
    for folder in (*folders, _OWN):
        path = folder / slug / name
        if path.is_file():
            return path
    return None
