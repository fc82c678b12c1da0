"""Validation errors of pydantic, told as findings in the words of the format."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from submissions.findings import Code, Finding, shown
from submissions.strict_json import Path, dotted

_MOST = 100


def _(text: str) -> str:
    """Marks a text for the translations; in findings it is English."""
    return text


_EXPECTED = {
    "string_type": "a string in double quotes",
    "int_type": "a whole number without quotes",
    "float_type": "a number without quotes",
    "int_from_float": _("a whole number"),
    "finite_number": _("a finite number"),
}
_BOUNDS = {
    "string_too_short": _("at least {min_length} character"),
    "string_too_long": _("at most {max_length} characters"),
    "greater_than_equal": _("{ge} or more"),
    "less_than_equal": _("{le} or less"),
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
        fix = f"Give {expected(detail)}: {_told(field)}."
    return Finding(Code.MANIFEST_FIELD_INVALID, place, shown(detail["input"]), fix)


def expected(detail: ErrorDetails, *, translated: Callable[[str], str] = str) -> str:
    """What would be accepted in the place of a wrong value."""
    kind = detail["type"]
    context: Mapping[str, Any] = detail.get("ctx", {})
    if kind == "value_error":
        return translated(str(context["error"]))
    if kind in _BOUNDS:
        return translated(_BOUNDS[kind]).format(**context)
    return translated(_EXPECTED.get(kind, detail["msg"]))


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
