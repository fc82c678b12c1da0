"""Write the corpus: ``python -m tests.submissions.corpus.make_archives``.

The archives are checked in, so that a change of the writers cannot quietly change
what the reader is tested against. ``index.json`` names the finding of each.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from submissions.findings import Code
from tests.submissions.corpus.honest_archives import honest_archives
from tests.submissions.corpus.hostile_contents import hostile_contents
from tests.submissions.corpus.hostile_tars import hostile_tars
from tests.submissions.corpus.hostile_zips import hostile_zips

FOLDER = Path(__file__).parent / "archives"
INDEX = FOLDER / "index.json"


def hostile_archives() -> Iterator[tuple[str, Code, bytes]]:
    """File name, expected finding, bytes."""
    for name, code, data in chain(hostile_zips(), hostile_contents()):
        yield f"{name}.zip", code, data
    for name, code, data in hostile_tars():
        yield f"{name}.tar.gz", code, data


def write(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    index: dict[str, dict[str, str] | list[str]] = {}
    hostile = {}
    for name, code, data in hostile_archives():
        folder.joinpath(name).write_bytes(data)
        hostile[name] = code.value
    honest = []
    for name, data in honest_archives():
        folder.joinpath(name).write_bytes(data)
        honest.append(name)
    index = {"honest": sorted(honest), "hostile": dict(sorted(hostile.items()))}
    folder.joinpath(INDEX.name).write_text(json.dumps(index, indent=1) + "\n")


if __name__ == "__main__":
    write(FOLDER)
