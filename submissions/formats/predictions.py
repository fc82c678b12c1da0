"""Prediction files in the manner of SWE-bench: one file a run, one patch a task.

Three forms: lines of objects (.jsonl), a list of objects, and an object with one object
for each task (both .json). They carry patches and nothing else: first builds, usage
and trajectories of such a submission are not reported.
"""

from __future__ import annotations

import re

from submissions.archive import Member
from submissions.archive.shapes import PREDICTIONS_FILE
from submissions.findings import Code, Findings, plain, shown
from submissions.formats.native import (
    Converted,
    NativeFiles,
    Sources,
    is_unit,
    task_of,
    unknown_task,
)
from submissions.formats.prediction_files import Prediction, read_entries
from submissions.formats.words import counted
from submissions.manifest import Origin

_LISTED = 5


def convert_predictions(
    sources: Sources, files: NativeFiles, *, findings: Findings
) -> Converted:
    """Make a bundle of prediction files; everything wrong with them is noted."""
    read: dict[int, Member] = {}
    for member in sources.members:
        match = PREDICTIONS_FILE.fullmatch(member.name)
        if match is None:
            continue
        run = int(match["run"])
        if run in read:
            findings.error(
                Code.PREDICTION_DUPLICATE,
                sources.name(member.name),
                saw=f"a second file for run {run}, beside "
                f"{sources.name(read[run].name)}",
                fix="Keep one file for each run.",
            )
            continue
        read[run] = member
    reader = _Reader(sources, files, findings)
    for run, member in sorted(read.items()):
        reader.take(run, member)
    reader.check_models()
    for run in range(1, (sources.run_count or 0) + 1):
        if run not in read:
            files.places.note(f"runs/{run}", f"no file for run {run}")
    return Converted(files.members, files.places, _origin(reader.null_count))


def _origin(null_count: int) -> Origin:
    remarks = [f"null for a patch: {null_count}"] if null_count else []
    return Origin(format="predictions", run_order="as given", remarks=remarks)


class _Reader:
    """Reads run after run; keeps what is to be compared across files."""

    def __init__(
        self, sources: Sources, files: NativeFiles, findings: Findings
    ) -> None:
        self.sources = sources
        self.files = files
        self.findings = findings
        self.models: dict[str, str] = {}
        self.null_count = 0

    def take(self, run: int, member: Member) -> None:
        name = self.sources.name(member.name)
        self.files.places.note(f"runs/{run}", name)
        seen: dict[str, str] = {}
        without: list[str] = []
        for entry in read_entries(member, name, self.findings):
            if entry.task in seen:
                self.findings.error(
                    Code.PREDICTION_DUPLICATE,
                    entry.where,
                    saw=f"a second entry for {plain(entry.task)}, beside "
                    f"{seen[entry.task]}",
                    fix="Keep one entry for each task; the attempts of other runs "
                    "belong into files of their own.",
                )
                continue
            seen[entry.task] = entry.where
            self.models.setdefault(entry.model, entry.where)
            if entry.patch is None:
                without.append(entry.task)
            self.write(run, entry)
        if without:
            self.null_count += len(without)
            self.findings.warning(
                Code.PREDICTION_NULL,
                name,
                saw=f"null for the patch of {counted(len(without), 'task')}: "
                f"{_listed(without)}",
                fix="Run these tasks again if the agent did not get to them; as they "
                "stand they count as no change.",
            )

    def write(self, run: int, entry: Prediction) -> None:
        task = task_of(entry.task, benchmark=self.sources.benchmark)
        if task is None or not is_unit(run, task):
            unknown_task(
                self.findings,
                entry.where,
                entry.task,
                "Name the task as the snapshot does.",
            )
            return
        place = f"{entry.where}: model_patch"
        self.files.places.note(f"runs/{run}/{task}", entry.where)
        self.files.write(
            run, task, file="final.patch", data=_patch_bytes(entry.patch), place=place
        )

    def check_models(self) -> None:
        for model, where in list(self.models.items())[1:]:
            self.findings.error(
                Code.PREDICTION_MODEL,
                where,
                saw=f"model_name_or_path {shown(model)} beside "
                f"{shown(next(iter(self.models)))}",
                fix="Submit each configuration on its own: all entries of all runs "
                "name the same one.",
            )


def _patch_bytes(patch: str | None) -> bytes:
    """The patch as a file. Many tools strip the last newline, and git insists on it."""
    if patch is None or not re.search(r"\S", patch):
        return b""
    return patch.encode() if patch.endswith("\n") else f"{patch}\n".encode()


def _listed(tasks: list[str]) -> str:
    named = ", ".join(plain(task) for task in tasks[:_LISTED])
    rest = len(tasks) - _LISTED
    return named + (f" and {rest} more" if rest > 0 else "")
