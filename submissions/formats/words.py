"""How findings call the parts of an upload, format by format."""

from __future__ import annotations

from dataclasses import dataclass

from submissions.archive.shapes import Shape


@dataclass(frozen=True, slots=True)
class Words:
    """``entry`` is what stands for one task run; the rest are pieces of advice."""

    entry: str
    missing: str
    no_trajectory: str


WORDS = {
    Shape.BUNDLE: Words(
        entry="final.patch",
        missing="Add the file for each; an empty one says that nothing was changed.",
        no_trajectory="Add trajectory.jsonl where you have it: reviewers look at it "
        "before a result is published.",
    ),
    Shape.PREDICTIONS: Words(
        entry="an entry",
        missing="Add an entry for each to the file of the run; an empty model_patch "
        "says that nothing was changed.",
        no_trajectory="Prediction files cannot carry them. Convert the files with "
        "ohbench convert predictions and add trajectory.jsonl to the bundle: reviewers "
        "look at it before a result is published.",
    ),
    Shape.HARBOR: Words(
        entry="a finished trial with artifacts/logs/artifacts/model.patch",
        missing="Run them, with a collect hook that writes git diff --cached --binary "
        "against the base commit to /logs/artifacts/model.patch; an empty file says "
        "that nothing was changed.",
        no_trajectory="Let the agent write agent/trajectory.json (ATIF): reviewers "
        "look at it before a result is published.",
    ),
}


def counted(count: int, noun: str) -> str:
    """The number with its noun, which gets an s unless the number is 1."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
