"""The shapes that an upload may have, each with its closed grammar of names.

A name that no shape knows is refused wherever it turns up. The shape of an upload is
known from all its names together; from then on only that shape's names count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

MANIFEST = "manifest.json"
UNIT_FILES = (
    "first.patch",
    "final.patch",
    "build.log",
    "trajectory.jsonl",
    "trajectory.json",
    "usage.json",
)
MAX_SLUG = 80

_RUN = r"[1-9][0-9]?"
_SLUG = rf"[a-z0-9][a-z0-9_-]{{0,{MAX_SLUG - 1}}}"
_FILE = "|".join(re.escape(name) for name in UNIT_FILES)

# The folder of a Harbor job bears any name but those of the other shapes.
_JOB = r"(?!(?:jobs|runs|predictions)/)[A-Za-z0-9][A-Za-z0-9._+@=-]{0,127}"
_TRIAL = r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}__[A-Za-z0-9]{6,12}"
# Passed over and never written, so anything that is one printable ASCII segment.
_SEGMENT = r"(?!\.{1,2}(?:/|$))[ -.0-\[\]-~]{1,200}"
_ARTIFACT = r"artifacts/(?:logs/artifacts/)?(?:first|model)\.patch"
_RECORD = r"(?:result|config|lock)\.json"
_TRIAL_FILE = (
    rf"{_RECORD}|agent/trajectory\.json|{_ARTIFACT}"
    rf"|steps/{_SEGMENT}/(?:agent/trajectory\.json|{_ARTIFACT})"
)


class Shape(StrEnum):
    """What an upload looks like inside."""

    BUNDLE = "bundle"
    PREDICTIONS = "predictions"
    HARBOR = "harbor"


@dataclass(frozen=True, slots=True)
class Grammar:
    """The names of one shape.

    ``reads`` are the files whose content counts, ``passes`` those that may be there
    and are not read; ``holds`` says both in words.
    """

    reads: re.Pattern[str]
    passes: re.Pattern[str] | None
    folders: re.Pattern[str]
    holds: str


UNIT_FILE = re.compile(rf"runs/(?P<run>{_RUN})/(?P<task>{_SLUG})/(?P<file>{_FILE})")
PREDICTIONS_FILE = re.compile(
    rf"(?:predictions/)?(?:predictions|preds|run)[-_]?(?P<run>{_RUN})\.jsonl?"
)
HARBOR_FILE = re.compile(
    rf"(?P<job>(?:jobs/)?{_JOB})/"
    rf"(?:(?P<record>{_RECORD})|(?P<trial>{_TRIAL})/(?P<file>{_TRIAL_FILE}))"
)
_HARBOR_JOB = re.compile(rf"(?P<job>(?:jobs/)?{_JOB})/")

GRAMMARS = {
    Shape.BUNDLE: Grammar(
        reads=UNIT_FILE,
        passes=None,
        folders=re.compile(rf"runs/(?:{_RUN}/(?:{_SLUG}/)?)?"),
        holds="a bundle holds manifest.json and runs/<run>/<task>/ with "
        + ", ".join(UNIT_FILES),
    ),
    Shape.PREDICTIONS: Grammar(
        reads=PREDICTIONS_FILE,
        passes=None,
        folders=re.compile(r"predictions/"),
        holds="an upload of prediction files holds manifest.json and "
        "predictions/run-1.jsonl, run-2.jsonl and so on, .json as well",
    ),
    Shape.HARBOR: Grammar(
        reads=HARBOR_FILE,
        passes=re.compile(rf"(?:jobs/)?{_JOB}(?:/{_SEGMENT}){{1,12}}"),
        folders=re.compile(rf"jobs/|(?:jobs/)?{_JOB}/(?:{_SEGMENT}/){{0,12}}"),
        holds="an upload of Harbor jobs holds manifest.json and the folder of each "
        "job as Harbor wrote it, side by side or in a folder named jobs",
    ),
}


def shape_of(names: Iterable[str]) -> Shape:
    """The shape that the names speak for; a bundle when they speak for none."""
    return first_of({shape for name in names for shape in readers_of(name)})


def first_of(shapes: set[Shape]) -> Shape:
    """One shape out of several: a single file of a bundle makes it one.

    What does not belong there is refused then.
    """
    return next((shape for shape in Shape if shape in shapes), Shape.BUNDLE)


def readers_of(name: str) -> set[Shape]:
    """The shapes that read a file of this name; none for the manifest, which all do."""
    return {shape for shape, each in GRAMMARS.items() if each.reads.fullmatch(name)}


def is_known(name: str, *, folder: bool) -> bool:
    """Whether the name may be there in an upload of any shape."""
    if folder:
        return any(each.folders.fullmatch(name) for each in GRAMMARS.values())
    return name == MANIFEST or any(
        pattern is not None and pattern.fullmatch(name)
        for grammar in GRAMMARS.values()
        for pattern in (grammar.reads, grammar.passes)
    )


def harbor_jobs(names: Iterable[str]) -> set[str]:
    """The folders of jobs among the names: those that hold what Harbor records."""
    matches = (HARBOR_FILE.fullmatch(name) for name in names)
    return {match["job"] for match in matches if match}


def belongs(name: str, *, folder: bool, shape: Shape, jobs: set[str]) -> bool:
    """Whether a name belongs to an upload of ``shape``; ``jobs`` counts for Harbor."""
    grammar = GRAMMARS[shape]
    if folder:
        fits = grammar.folders.fullmatch(name) is not None
    else:
        fits = name == MANIFEST or any(
            pattern is not None and pattern.fullmatch(name)
            for pattern in (grammar.reads, grammar.passes)
        )
    if not fits or shape is not Shape.HARBOR or name in {MANIFEST, "jobs/"}:
        return fits
    job = _HARBOR_JOB.match(name)
    return job is not None and job["job"] in jobs
