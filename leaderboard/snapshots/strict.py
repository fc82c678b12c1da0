"""Reads one JSON file of a package into its model, or notes every fault of it."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from leaderboard.snapshots.faults import Faults, shown
from leaderboard.snapshots.format import FormatModel

Model = TypeVar("Model", bound=FormatModel)


class Document(NamedTuple, Generic[Model]):
    """One JSON file; ``model`` is None if it has any fault.

    ``sound`` is what stands in it with None for every value that has one, so that
    checks between its parts go on; ``raw`` has them all. Both are None for no JSON.
    """

    model: Model | None
    sound: Any
    raw: Any


def read_model(
    folder: Path, name: str, model: type[Model], *, faults: Faults
) -> Model | None:
    """The model in the file ``name`` below ``folder``; None if it has faults."""
    return read_document(folder, name, model, faults=faults).model


def read_document(
    folder: Path, name: str, model: type[Model], *, faults: Faults
) -> Document[Model]:
    """The file ``name`` below ``folder``, with all that can be read of a faulty one."""
    before = len(faults.found)
    text = read_text(folder, name, faults=faults)
    if text is None or not is_json(text, name, faults=faults):
        return Document(None, None, None)
    found, wrong = None, []
    try:
        found = model.model_validate_json(text)
    except ValidationError as error:
        wrong = error.errors()
    for detail in wrong:
        if not _is_no_number(detail["input"]):
            _note(name, detail, faults=faults)
    return Document(
        model=found if len(faults.found) == before else None,
        sound=_without(json.loads(text), wrong),
        raw=json.loads(text),
    )


def _without(data: Any, wrong: Sequence[ErrorDetails]) -> Any:
    for detail in wrong:
        if detail["type"] != "missing":
            data = _emptied(data, detail["loc"])
    return data


def _emptied(data: Any, place: Sequence[int | str]) -> Any:
    """``data`` with None at ``place``, or as near to it as there is something."""
    owner, key, at = None, None, data
    for part in place:
        if not _leads_on(at, part):
            break
        owner, key, at = at, part, at[part]
    if owner is None:
        return None
    owner[key] = None
    return data


def _leads_on(at: Any, part: int | str) -> bool:
    if isinstance(at, list):
        return isinstance(part, int) and part < len(at)
    return isinstance(at, dict) and part in at


def read_text(folder: Path, name: str, *, faults: Faults) -> str | None:
    """The UTF-8 text of a file that must exist and hold more than white space."""
    try:
        text = (folder / name).read_bytes().decode("utf-8")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        faults.add(name, "", saw="no such file", fix="Add it.")
        return None
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        faults.add(
            name,
            f"byte {error.start}",
            saw=f"0x{byte:02x}, which is not UTF-8",
            fix="Save the file as UTF-8.",
        )
        return None
    if not text.strip():
        faults.add(name, "", saw="an empty file", fix="Fill it.")
        return None
    return text


def is_json(text: str, name: str, *, faults: Faults) -> bool:
    """Whether ``text`` can be read as JSON; doubled keys, NaN and Infinity are noted.

    Readers take those differently, but agree on all that stands beside them.
    """

    def pairs(found: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        for key, count in Counter(key for key, _ in found).items():
            if count > 1:
                saw = f"the key {shown(key)} {_times(count)}"
                faults.add(name, "", saw=saw, fix="Keep one of them.")
        return dict(found)

    def constant(word: str) -> None:
        faults.add(name, "", saw=f"the number {word}", fix="Write a finite number.")

    try:
        json.loads(text, object_pairs_hook=pairs, parse_constant=constant)
    except json.JSONDecodeError as error:
        faults.add(
            name,
            f"line {error.lineno}, column {error.colno}",
            saw=f"text that is not JSON ({error.msg})",
            fix="Correct the JSON at this place.",
        )
    except RecursionError:
        faults.add(name, "", saw="very deep nesting", fix="Nest less deeply.")
    else:
        return True
    return False


def _is_no_number(value: object) -> bool:
    """NaN or an infinity, which ``is_json`` has noted."""
    return isinstance(value, float) and not math.isfinite(value)


def _times(count: int) -> str:
    return "twice" if count == 2 else f"{count} times"


def _note(name: str, detail: ErrorDetails, *, faults: Faults) -> None:
    place = ""
    for part in detail["loc"]:
        place += f"[{part}]" if isinstance(part, int) else f".{part}"
    match detail["type"]:
        case "missing":
            saw, fix = "nothing", "Add the field."
        case "extra_forbidden":
            saw, fix = "an unknown field", "Remove it, or correct its name."
        case _:
            saw, fix = shown(detail["input"]), f"{detail['msg']}."
    faults.add(name, place.removeprefix("."), saw=saw, fix=fix)
