"""Reading a file of predictions, in any of its three forms, entry by entry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from submissions import strict_json
from submissions.archive import Member
from submissions.archive.limits import MIB
from submissions.findings import Code, Findings, plain, shown

FIELDS = ("instance_id", "model_name_or_path", "model_patch")
FILE_BYTES = 48 * MIB
LINE_BYTES = 24 * MIB
# Far more than a snapshot has tasks; they bound time and memory of a hostile file.
MAX_ENTRIES = 5_000
MAX_VALUES = 200_000

Values = Iterator[tuple[str, str | None, Any]]


class Prediction(NamedTuple):
    """One entry; ``where`` names it in its file."""

    where: str
    task: str
    model: str
    patch: str | None


def read_entries(member: Member, name: str, findings: Findings) -> Iterator[Prediction]:
    """The sound entries of a file; what is wrong with the others is noted.

    ``name`` is the file's name for people.
    """
    values = _lines if member.name.endswith("l") else _document
    for where, key, value in values(member, name, findings):
        entry = _entry(where, key, value, findings=findings)
        if entry is not None:
            yield entry


def _lines(member: Member, name: str, findings: Findings) -> Values:
    """Every line with a value: its place, no key, the value."""
    with member.path.open("rb") as stream:
        number = 0
        while line := stream.readline(LINE_BYTES + 1):
            number += 1
            if number > MAX_ENTRIES:
                _refuse_more(
                    f"{name}:{number}", f"more than {MAX_ENTRIES} lines", findings
                )
                return
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
                    max_values=MAX_VALUES,
                )
            except strict_json.StrictJsonError as error:
                findings.extend(error.findings)
                if not error.is_whole:
                    continue
                value = error.value
            yield f"{name}:{number}", None, value


def _document(member: Member, name: str, findings: Findings) -> Values:
    """Every entry of a list, or of an object by task: place, key, value."""
    with member.path.open("rb") as stream:
        data = stream.read(FILE_BYTES + 1)
    try:
        value = strict_json.loads(
            data, where=name, limit_bytes=FILE_BYTES, max_values=MAX_VALUES
        )
    except strict_json.StrictJsonError as error:
        findings.extend(error.findings)
        if not error.is_whole:
            return
        value = error.value
    if isinstance(value, dict | list) and len(value) > MAX_ENTRIES:
        _refuse_more(name, f"more than {MAX_ENTRIES} entries", findings)
    elif isinstance(value, dict) and not set(FIELDS) & value.keys():
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


def _refuse_more(where: str, saw: str, findings: Findings) -> None:
    findings.error(
        Code.PREDICTION_INVALID,
        where,
        saw=saw,
        fix="Give one entry for each task of the snapshot.",
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
