"""Validation errors of pydantic, told as findings in the words of the format."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from submissions.findings import Code, Finding, shown
from submissions.strict_json import Path, dotted

_MOST = 100
_EXPECTED = {
    "string_type": "a string in double quotes",
    "int_type": "a whole number without quotes",
    "float_type": "a number without quotes",
    "int_from_float": "a whole number",
    "finite_number": "a finite number",
}
_BOUNDS = {
    "string_too_short": "at least {min_length} character",
    "string_too_long": "at most {max_length} characters",
    "greater_than_equal": "{ge} or more",
    "less_than_equal": "{le} or less",
    "literal_error": "{expected}",
}


def findings_of(
    error: ValidationError,
    model: type[BaseModel],
    *,
    where: str,
    told_already: Collection[Path] = (),
) -> Iterator[Finding]:
    """One finding per field at fault; the first hundred of them.

    Nothing is said of the paths in ``told_already``. The cut bounds the work on a
    manifest with a hundred thousand foreign fields.
    """
    for detail in error.errors(include_url=False)[:_MOST]:
        if detail["loc"] not in told_already:
            yield _finding(detail, model, where=where)


def _finding(detail: ErrorDetails, model: type[BaseModel], *, where: str) -> Finding:
    path = detail["loc"]
    place = f"{where}: {dotted(path)}" if path else where
    owner, field = _field_at(model, path)
    if detail["type"] == "missing":
        return Finding(
            Code.MANIFEST_FIELD_MISSING, place, "no such field", f"Add {_told(field)}."
        )
    if detail["type"] == "extra_forbidden":
        return Finding(
            Code.MANIFEST_FIELD_UNKNOWN,
            place,
            f"an unknown field with the value {shown(detail['input'])}",
            _advice_for_unknown(str(path[-1]), owner),
        )
    if detail["type"] == "model_type":
        fix = f"Give {_told(field)}." if field else "Give an object with the fields."
    else:
        fix = f"Give {_expected(detail)}: {_told(field)}."
    return Finding(Code.MANIFEST_FIELD_INVALID, place, shown(detail["input"]), fix)


def _expected(detail: ErrorDetails) -> str:
    kind = detail["type"]
    context: Mapping[str, Any] = detail.get("ctx", {})
    if kind == "value_error":
        return str(context["error"])
    if kind in _BOUNDS:
        return _BOUNDS[kind].format(**context)
    return _EXPECTED.get(kind, detail["msg"])


def _field_at(
    model: type[BaseModel], path: tuple[int | str, ...]
) -> tuple[type[BaseModel], FieldInfo | None]:
    """The object the path ends in, and its field when the path names a known one."""
    field = None
    for name in path:
        nested = field.annotation if field else model
        if not (isinstance(nested, type) and issubclass(nested, BaseModel)):
            return model, field
        model = nested
        field = model.model_fields.get(str(name))
    return model, field


def _told(field: FieldInfo | None) -> str:
    """The field in words: its description, with an example or its own fields."""
    if field is None:
        return "the field"
    nested = field.annotation
    if isinstance(nested, type) and issubclass(nested, BaseModel):
        fields = ", ".join(nested.model_fields)
        return f"{field.description}: an object with {fields}"
    if field.examples:
        return f"{field.description}, such as {shown(field.examples[0])}"
    return str(field.description)


def _advice_for_unknown(name: str, owner: type[BaseModel]) -> str:
    known = list(owner.model_fields)
    close = get_close_matches(name[:80], known, n=1)
    if close:
        return f"Rename it to {shown(close[0])}, or remove it."
    return f"Remove it. Known here: {', '.join(known)}."
