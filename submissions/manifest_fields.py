"""The values of a manifest by dotted name, also of one that has faults elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

# "agent.version" and its like, with the value as the model has it.
Stated = Mapping[str, Any]


def stated_in(model: BaseModel, *, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every field of a sound manifest with its value."""
    for name in type(model).model_fields:
        value = getattr(model, name)
        if _part(type(model), name) is None:
            yield prefix + name, value
        else:
            yield from stated_in(value, prefix=f"{prefix}{name}.")


def readable_in(
    value: object, model: type[BaseModel], *, prefix: str = ""
) -> Iterator[tuple[str, Any]]:
    """The fields that are sound by themselves, of what ``model`` refused."""
    if not isinstance(value, dict):
        return
    for name in model.model_fields.keys() & value.keys():
        part = _part(model, name)
        if part is not None:
            yield from readable_in(value[name], part, prefix=f"{prefix}{name}.")
            continue
        try:
            yield prefix + name, _reader(model, name).validate_python(value[name])
        except ValidationError:
            continue


def _part(model: type[BaseModel], name: str) -> type[BaseModel] | None:
    """The model of a field that is an object of its own and always there."""
    found = model.model_fields[name].annotation
    return found if isinstance(found, type) and issubclass(found, BaseModel) else None


@cache
def _reader(model: type[BaseModel], name: str) -> TypeAdapter[Any]:
    field = model.model_fields[name]
    kind: Any = Annotated[field.annotation, field]
    return TypeAdapter(kind, config=ConfigDict(strict=True, allow_inf_nan=False))
