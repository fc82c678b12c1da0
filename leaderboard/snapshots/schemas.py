"""The package format for others: as JSON Schemas, and as rows of tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from leaderboard.snapshots.approvals import CurationFile
from leaderboard.snapshots.bases import BaseFile
from leaderboard.snapshots.format import FormatModel, SnapshotFile, TaskFile

SCHEMA_URL = "https://json-schema.org/draft/2020-12/schema"
FORMAT_VERSION = 1
FILES: Mapping[str, type[FormatModel]] = {
    "snapshot": SnapshotFile,
    "task": TaskFile,
    "base": BaseFile,
    "curation": CurationFile,
}


def schema_path(name: str) -> str:
    """Where the schema of ``<name>.json`` is served, below the address of the site."""
    return f"/schemas/{name}-{FORMAT_VERSION}.json"


def package_json_schema(name: str, site: str) -> dict[str, Any]:
    """JSON Schema 2020-12 of a file; ``site`` has no slash at the end.

    What it cannot say is checked by the import alone: doubled keys, ``3.0`` where a
    whole number belongs, names that nearly are others, and all that takes a second
    file.
    """
    schema = FILES[name].model_json_schema()
    return {
        "$schema": SCHEMA_URL,
        "$id": f"{site}{schema_path(name)}",
        **schema,
        "title": f"{name}.json of a task package",
    }


class FieldRow(NamedTuple):
    """One field: ``kind`` and ``limits`` in words, ``example`` as JSON or None."""

    name: str
    kind: str
    required: bool
    limits: str
    description: str
    example: object


def field_rows(name: str) -> list[FieldRow]:
    """Every field of a file that holds a value, in its order, nested ones by path."""
    schema = FILES[name].model_json_schema()
    return list(_rows(schema, schema.get("$defs", {}), "", required=True))


def _rows(
    part: Mapping[str, Any],
    definitions: Mapping[str, Any],
    path: str,
    *,
    required: bool,
) -> Iterator[FieldRow]:
    for name, field in part["properties"].items():
        needed = required and name in part.get("required", ())
        value = _resolved(field, definitions)
        place = f"{path}{name}"
        if "properties" in value:
            yield from _rows(value, definitions, f"{place}.", required=needed)
            continue
        yield FieldRow(
            place,
            _kind(value, definitions),
            needed,
            _limits(value, definitions),
            field["description"],
            field.get("examples", [None])[0],
        )
        items = _resolved(value.get("items", {}), definitions)
        if "properties" in items:
            yield from _rows(items, definitions, f"{place}[].", required=needed)


def _resolved(
    field: Mapping[str, Any], definitions: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The schema of the value itself; what may be null stands first of two."""
    value: Mapping[str, Any] = field.get("anyOf", [field])[0]
    if "type" in field or "$ref" not in value:
        return value if "type" in value else field
    found: Mapping[str, Any] = definitions[value["$ref"].rpartition("/")[2]]
    return found


def _kind(value: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    if "const" in value:
        return "number"
    if value.get("format") == "date":
        return "date"
    if value.get("type") == "array":
        items = _resolved(value["items"], definitions)
        of = "object" if "properties" in items else _kind(items, definitions)
        return f"list of {of}s"
    kind = str(value.get("type", ""))
    return "whole number" if kind == "integer" else kind


def _limits(value: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """The limits in a few words; patterns as they are."""
    found = []
    if "const" in value:
        found.append(f"{value['const']}")
    if "enum" in value:
        found.append(", ".join(str(each) for each in value["enum"]))
    for word, label in (
        ("minimum", "at least"),
        ("exclusiveMinimum", "more than"),
        ("maximum", "at most"),
        ("minItems", "entries at least"),
        ("maxItems", "entries at most"),
        ("maxLength", "characters at most"),
    ):
        if word in value:
            found.append(f"{label} {value[word]}")
    if value.get("uniqueItems"):
        found.append("no entry twice")
    if "pattern" in value:
        found.append(f"`{value['pattern']}`")
    if isinstance(value.get("items"), Mapping):
        inner = _resolved(value["items"], definitions)
        each = "" if "properties" in inner else _limits(inner, definitions)
        found += [f"each: {each}"] if each else []
    return "; ".join(found)
