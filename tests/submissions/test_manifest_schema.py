"""The JSON Schema of the manifest says what the reader does, as far as it can."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from submissions.manifest import ManifestError, parse_manifest
from submissions.manifest_schema import field_rows, manifest_json_schema
from tests.submissions.corpus.contents import manifest

SCHEMA = manifest_json_schema("https://bench.example.org")
VALIDATOR = Draft202012Validator(SCHEMA, format_checker=FormatChecker())
FIXTURES = Path(__file__).parents[2] / "fixtures"
SAMPLES = sorted(FIXTURES.rglob("manifest.json"))
GONE = object()

BAD: list[tuple[str, Any]] = [
    ("schema_version", 2),
    ("schema_version", True),
    ("schema_version", "1"),
    ("mode", "results"),
    ("benchmark", ""),
    ("benchmark", "x" * 51),
    ("benchmark", 5),
    ("benchmark_version", 1.1),
    ("benchmark_version", None),
    ("benchmark_version", GONE),
    ("task_snapshot_date", "01.11.2026"),
    ("task_snapshot_date", "2026-02-30"),
    ("task_snapshot_date", 20261101),
    ("evaluation_scripts", ["x"]),
    ("agent", "DevEco Code"),
    ("agent", GONE),
    ("agent.version", GONE),
    ("agent.colour", "blue"),
    ("model.family", 7),
    ("model.identifier", " padded "),
    ("model.identifier", "two\nlines"),
    ("sdk", "tab\there"),
    ("run_parameters.temperature", -0.5),
    ("run_parameters.temperature", "0"),
    ("run_parameters.context_window_tokens", 1.5),
    ("run_parameters.context_window_tokens", 10**10),
    ("run_configuration.runs", 0),
    ("run_configuration.runs", "3"),
    ("run_configuration.repair_limit", 101),
    ("execution_environment.notes", "x" * 4001),
    ("contact.email", "nobody"),
    ("contact.email", "a@b"),
    ("contact.email", "a b@example.org"),
    ("origin", {"format": "zip", "run_order": "as given"}),
    ("origin", {"format": "harbor"}),
    ("foreign", 1),
]
# Refused by the reader alone: JSON Schema has no words for them.
UNSAYABLE: list[tuple[str, Any]] = [
    ("model.identifier", "A\u030angstrom"),
    ("model.identifier", "in\u200bvisible"),
    ("run_configuration.runs", 3.0),
    ("execution_environment.notes", "bell\u0007"),
]


def changed(path: str, value: Any) -> dict[str, Any]:
    document = deepcopy(manifest())
    owner = document
    *above, last = path.split(".")
    for name in above:
        owner = owner[name]
    if value is GONE:
        del owner[last]
    else:
        owner[last] = value
    return document


def is_read(document: Any) -> bool:
    try:
        parse_manifest(json.dumps(document).encode())
    except ManifestError:
        return False
    return True


def test_the_schema_is_one():
    Draft202012Validator.check_schema(SCHEMA)

    assert SCHEMA["$id"] == "https://bench.example.org/schemas/manifest-1.json"


def test_the_schema_names_every_field_and_refuses_others():
    assert set(SCHEMA["required"]) == set(manifest()) <= set(SCHEMA["properties"])
    assert SCHEMA["additionalProperties"] is False
    assert SCHEMA["properties"]["task_snapshot_date"]["format"] == "date"


def test_every_field_has_a_description_and_what_is_required_an_example():
    rows = field_rows()

    assert {row.name for row in rows if "." not in row.name} < set(SCHEMA["properties"])
    assert all(row.description for row in rows)
    assert all(row.example is not None for row in rows if row.required)


def test_the_examples_are_a_manifest():
    document: dict[str, Any] = {}
    for row in field_rows():
        if row.required:
            owner = document
            *above, last = row.name.split(".")
            for name in above:
                owner = owner.setdefault(name, {})
            owner[last] = row.example

    VALIDATOR.validate(document)
    assert is_read(document)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.parent.name)
def test_the_samples_are_valid_for_both(path):
    document = json.loads(path.read_text("utf-8"))

    VALIDATOR.validate(document)
    assert is_read(document)


def test_there_are_samples():
    assert len(SAMPLES) >= 2


@pytest.mark.parametrize(("path", "value"), BAD)
def test_schema_and_reader_refuse_the_same(path, value):
    document = changed(path, value)

    assert not is_read(document)
    assert not VALIDATOR.is_valid(document)


@pytest.mark.parametrize(("path", "value"), UNSAYABLE)
def test_some_faults_are_seen_by_the_reader_alone(path, value):
    document = changed(path, value)

    assert not is_read(document)
    assert VALIDATOR.is_valid(document)
