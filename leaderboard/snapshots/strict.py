"""Reads one JSON file of a package into its model, or notes every fault of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from leaderboard.snapshots.faults import Faults, shown
from leaderboard.snapshots.format import FormatModel

Model = TypeVar("Model", bound=FormatModel)


class _RefusedValueError(ValueError):
    """Something that the standard JSON reader lets pass."""

    def __init__(self, saw: str, fix: str) -> None:
        self.saw, self.fix = saw, fix
        super().__init__(saw)


def read_model(
    folder: Path, name: str, model: type[Model], *, faults: Faults
) -> Model | None:
    """The model in the file ``name`` below ``folder``; None if it has faults."""
    text = read_text(folder, name, faults=faults)
    if text is None or not is_json(text, name, faults=faults):
        return None
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        for detail in error.errors():
            _note(name, detail, faults=faults)
        return None


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
    """Whether ``text`` is JSON without a doubled key, NaN or Infinity."""
    try:
        json.loads(text, object_pairs_hook=_pairs, parse_constant=_constant)
    except json.JSONDecodeError as error:
        faults.add(
            name,
            f"line {error.lineno}, column {error.colno}",
            saw=f"text that is not JSON ({error.msg})",
            fix="Correct the JSON at this place.",
        )
    except _RefusedValueError as error:
        faults.add(name, "", saw=error.saw, fix=error.fix)
    except RecursionError:
        faults.add(name, "", saw="very deep nesting", fix="Nest less deeply.")
    else:
        return True
    return False


def _pairs(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _RefusedValueError(f"the key {shown(key)} twice", "Keep one of them.")
        found[key] = value
    return found


def _constant(word: str) -> NoReturn:
    raise _RefusedValueError(f"the number {word}", "Write a finite number.")


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
