"""The format of the manifest for others: as JSON Schema, and as rows of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from submissions.manifest import SCHEMA_VERSION, Manifest

SCHEMA_URL = "https://json-schema.org/draft/2020-12/schema"
# Below the address of the site; scripts and editors rely on it.
SCHEMA_PATH = f"/schemas/manifest-{SCHEMA_VERSION}.json"


def manifest_json_schema(site: str) -> dict[str, Any]:
    """JSON Schema 2020-12; ``site`` is where it is served, without a slash at the end.

    What it cannot say is checked by an upload alone: composed Unicode, invisible
    characters, duplicate keys, ``3.0`` where a whole number belongs.
    """
    return {
        "$schema": SCHEMA_URL,
        "$id": f"{site}{SCHEMA_PATH}",
        **Manifest.model_json_schema(),
        "title": "Submission manifest",
    }


class FieldRow(NamedTuple):
    """One field of the manifest; ``limits`` are the schema's own words for them."""

    name: str
    description: str
    required: bool
    limits: Mapping[str, Any]
    example: object


def field_rows() -> list[FieldRow]:
    """Every field that holds a value, in the order of the manifest."""
    schema = Manifest.model_json_schema()
    return list(_rows(schema, schema["$defs"], "", required=True))


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """The document whose fields have ``values``, given by path.

    >>> nested({"sdk": "API 23", "agent.name": "DevEco Code"})
    {'sdk': 'API 23', 'agent': {'name': 'DevEco Code'}}
    """
    document: dict[str, Any] = {}
    for path, value in values.items():
        *above, last = path.split(".")
        owner = document
        for name in above:
            owner = owner.setdefault(name, {})
        owner[last] = value
    return document


def flat(document: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """The values of a document by path; the opposite of ``nested``."""
    found: dict[str, Any] = {}
    for name, value in document.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{above}{name}.")
        else:
            found[f"{above}{name}"] = value
    return found


def _rows(
    part: Mapping[str, Any],
    definitions: Mapping[str, Any],
    path: str,
    *,
    required: bool,
) -> Iterator[FieldRow]:
    for name, field in part["properties"].items():
        needed = required and name in part["required"]
        # What may be null stands first of two.
        limits = field.get("anyOf", [field])[0]
        if "$ref" in limits:
            inner = definitions[limits["$ref"].rpartition("/")[2]]
            yield from _rows(inner, definitions, f"{path}{name}.", required=needed)
            continue
        example = field.get("examples", [None])[0]
        yield FieldRow(f"{path}{name}", field["description"], needed, limits, example)
