"""Turning an upload of another format into a native bundle."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from submissions.archive import MANIFEST, ArchiveLimits, Member
from submissions.archive.shapes import Shape
from submissions.archive.spool import Budget, Spool, UnreadableError
from submissions.findings import Findings
from submissions.formats.harbor import convert_harbor
from submissions.formats.native import Converted, NativeFiles, Sources
from submissions.formats.places import Places
from submissions.formats.predictions import convert_predictions
from submissions.manifest import Manifest, Origin

Converter = Callable[..., Converted]

_CONVERTERS: dict[Shape, Converter] = {
    Shape.PREDICTIONS: convert_predictions,
    Shape.HARBOR: convert_harbor,
}


def convert(
    shape: Shape,
    sources: Sources,
    *,
    spool: Path,
    findings: Findings,
    limits: ArchiveLimits | None = None,
) -> Converted:
    """Write the native bundle that ``sources`` amount to into ``spool``.

    Everything wrong with them is noted in ``findings``; what is sound is converted all
    the same. The bundle's manifest is the given one, with its origin; where that was
    refused, the file as it came.
    """
    limits = limits or ArchiveLimits()
    # The ratio was judged when the archive was read.
    size = sum(member.size_bytes for member in sources.members)
    budget = Budget(limits, archive_bytes=max(size, 1), findings=findings)
    try:
        with Spool(spool, budget=budget) as store:
            files = NativeFiles(store, findings=findings)
            found = _CONVERTERS[shape](sources, files, findings=findings)
            manifest = _manifest(sources, found.origin, store)
    except UnreadableError:
        kind: Literal["predictions", "harbor"] = (
            "harbor" if shape is Shape.HARBOR else "predictions"
        )
        return Converted([], Places(), Origin(format=kind, run_order="as given"))
    return Converted([*manifest, *found.members], found.places, found.origin)


def with_origin(manifest: Manifest, origin: Origin) -> Manifest:
    return manifest.model_copy(update={"origin": origin})


def manifest_bytes(manifest: Manifest) -> bytes:
    """The manifest as the file of a bundle, in the order of the format."""
    value = manifest.model_dump(mode="json", exclude_none=True)
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def _manifest(sources: Sources, origin: Origin, store: Spool) -> list[Member]:
    if sources.manifest is None:
        return [member for member in sources.members if member.name == MANIFEST]
    data = manifest_bytes(with_origin(sources.manifest, origin))
    return [store.store(MANIFEST, iter([data]))]
