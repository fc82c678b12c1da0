"""Prediction files in the manner of SWE-bench: one file a run, one patch a task.

Three forms: lines of objects (.jsonl), a list of objects, and an object with one object
for each task (both .json). They carry patches and nothing else: first builds, usage
and trajectories of such a submission are not reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from submissions import strict_json
from submissions.archive import Member
from submissions.archive.limits import MIB
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
from submissions.formats.words import counted
from submissions.manifest import Origin

FIELDS = ("instance_id", "model_name_or_path", "model_patch")
FILE_BYTES = 48 * MIB
LINE_BYTES = 24 * MIB
_LISTED = 5


class Prediction(NamedTuple):
    """One entry; ``where`` names it in its file."""

    where: str
    task: str
    model: str
    patch: str | None


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
        for entry in self.entries(member, name):
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
        task = task_of(entry.task, benchmark=self.benchmark)
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

    @property
    def benchmark(self) -> str | None:
        manifest = self.sources.manifest
        return manifest.benchmark if manifest else None

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

    def entries(self, member: Member, name: str) -> Iterator[Prediction]:
        values = _lines if member.name.endswith("l") else _document
        for where, key, value in values(member, name, self.findings):
            entry = _entry(where, key, value, findings=self.findings)
            if entry is not None:
                yield entry


Values = Iterator[tuple[str, str | None, Any]]


def _lines(member: Member, name: str, findings: Findings) -> Values:
    """Every line with a value: its place, no key, the value."""
    with member.path.open("rb") as stream:
        number = 0
        while line := stream.readline(LINE_BYTES + 1):
            number += 1
            if len(line) > LINE_BYTES:
                findings.error(
                    Code.JSON_TOO_LARGE,
                    f"{name}:{number}",
                    saw=f"a line of more than {LINE_BYTES} bytes",
                    fix="Put one entry on each line.",
                )
                return
            if not line.strip():
                continue
            try:
                value = strict_json.loads(
                    line.rstrip(b"\r\n"),
                    where=name,
                    limit_bytes=LINE_BYTES,
                    first_line=number,
                )
            except strict_json.StrictJsonError as error:
                findings.extend(error.findings)
                continue
            yield f"{name}:{number}", None, value


def _document(member: Member, name: str, findings: Findings) -> Values:
    """Every entry of a list, or of an object by task: place, key, value."""
    with member.path.open("rb") as stream:
        data = stream.read(FILE_BYTES + 1)
    try:
        value = strict_json.loads(data, where=name, limit_bytes=FILE_BYTES)
    except strict_json.StrictJsonError as error:
        findings.extend(error.findings)
        return
    if isinstance(value, dict) and not set(FIELDS) & value.keys():
        for key, each in value.items():
            yield f"{name}: {plain(key, limit=100)}", key, each
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield f"{name}: [{index}]", None, each
    elif isinstance(value, dict):
        yield name, None, value
    else:
        findings.error(
            Code.PREDICTION_INVALID,
            name,
            saw=shown(value),
            fix="Give a list of entries, or an object with an entry for each task.",
        )


def _entry(
    where: str, key: str | None, value: Any, *, findings: Findings
) -> Prediction | None:
    """The entry, or None when something in it had to be noted; foreign fields pass."""
    if not isinstance(value, dict):
        findings.error(
            Code.PREDICTION_INVALID,
            where,
            saw=shown(value),
            fix=f"Give an object with {', '.join(FIELDS)}.",
        )
        return None
    if key is not None:
        value = {"instance_id": key, **value}
    faults = list(_faults(value, key))
    for field, saw, fix in faults:
        findings.error(Code.PREDICTION_INVALID, f"{where}: {field}", saw=saw, fix=fix)
    if faults:
        return None
    return Prediction(
        where, value["instance_id"], value["model_name_or_path"], value["model_patch"]
    )


def _faults(value: dict[str, Any], key: str | None) -> Iterator[tuple[str, str, str]]:
    texts = {
        "instance_id": "the task's slug",
        "model_name_or_path": "a name for the configuration, in every entry the same",
    }
    for field, wanted in texts.items():
        given = value.get(field)
        if not isinstance(given, str) or not given.strip():
            saw = shown(given) if field in value else "no such field"
            yield field, saw, f"Give {wanted}."
    if "model_patch" not in value:
        yield (
            "model_patch",
            "no such field",
            'Give the patch as git diff prints it; "" says that nothing was changed.',
        )
    elif not isinstance(value["model_patch"], str | None):
        yield "model_patch", shown(value["model_patch"]), "Give the patch as a string."
    if key is not None and value.get("instance_id") != key:
        yield (
            "instance_id",
            f"{shown(value.get('instance_id'))} under the key {shown(key)}",
            "Make the two equal.",
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
