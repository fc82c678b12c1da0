"""The JSON Schemas of the package say what the import does, as far as they can."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest
from django.conf import settings
from jsonschema import Draft202012Validator, FormatChecker

from leaderboard.snapshots.faults import Faults
from leaderboard.snapshots.schemas import FILES, field_rows, package_json_schema
from leaderboard.snapshots.strict import read_model
from scripts.package_format import DOCUMENT, documented
from tests.leaderboard.packages import SNAPSHOT, task_facts

DEMO = settings.BASE_DIR / "fixtures" / "snapshots" / "demo"
GONE = object()
DERIVED = {"version": "v1.0", "reason": "A mended check."}
EXAMPLES: dict[str, dict[str, Any]] = {
    "snapshot": {
        **SNAPSHOT,
        "derived_from": DERIVED,
        "contamination": {},
        "streams": [{"slug": "migrations", "names": {"en": "Migrations"}}],
    },
    "task": task_facts("alpha", visual={"screens": [{"name": "home"}]}),
    "base": {
        "url": "https://git.example.org/app.git",
        "commit": "0" * 40,
        "sha256": "0" * 64,
    },
    "curation": {
        "format": 1,
        "curators": [{"id": "ada", "name": "Ada"}],
        "approvals": [
            {"task": "a", "digest": "0" * 64, "curator": "ada", "on": "2026-11-01"}
        ],
    },
}
BAD: list[tuple[str, str, Any]] = [
    ("snapshot", "format", 2),
    ("snapshot", "format", "1"),
    ("snapshot", "benchmark", "openharmony-bench"),
    ("snapshot", "benchmark.slug", "Open Harmony"),
    ("snapshot", "benchmark.canary", GONE),
    ("snapshot", "benchmark.canary", "not a guid"),
    ("snapshot", "benchmark.canary", "B1F0C6DE-4B7E-4F0A-9A3C-5D2C8E0F7A46"),
    ("snapshot", "version", "v 1"),
    ("snapshot", "version", "-v1"),
    ("snapshot", "version", 1.1),
    ("snapshot", "title", ""),
    ("snapshot", "title", "a\tb"),
    ("snapshot", "title", "x" * 101),
    ("snapshot", "task_snapshot_date", "1.11.2026"),
    ("snapshot", "task_snapshot_date", "2026-02-30"),
    ("snapshot", "agent.version", None),
    ("snapshot", "prompt_template", "text"),
    ("snapshot", "prompt_template", [""]),
    ("snapshot", "run_parameters", {"stop": ["x"]}),
    ("snapshot", "run_parameters", {"stop": None}),
    ("snapshot", "device_profile.simulated", "yes"),
    ("snapshot", "device_profile.resolution_px", [1]),
    ("snapshot", "device_profile.screen_inches", 0),
    ("snapshot", "runs", 0),
    ("snapshot", "runs", 101),
    ("snapshot", "runs", "3"),
    ("snapshot", "runs", True),
    ("snapshot", "repair_limit", -1),
    ("snapshot", "publish_references", 1),
    ("snapshot", "contamination", {"bug fix": "x"}),
    ("snapshot", "contamination", {"bug-fix": ""}),
    ("snapshot", "policy", "pass-rate"),
    ("snapshot", "policy", None),
    ("snapshot", "streams", [{"slug": "migrations"}]),
    ("snapshot", "streams", [{"slug": "a b", "names": {"en": "x"}}]),
    ("snapshot", "streams", [{"slug": "a", "names": {}}]),
    ("snapshot", "streams", [{"slug": "a", "names": {"zh-hans": "迁移"}}]),
    ("snapshot", "streams", [{"slug": "a", "names": {"en": "x", "fr": "y"}}]),
    ("snapshot", "derived_from.reason", GONE),
    ("snapshot", "derived_from.retired", ["A b"]),
    ("snapshot", "colour", "blue"),
    ("task", "slug", "a_b"),
    ("task", "source", "bug fix"),
    ("task", "source", "x" * 41),
    ("task", "difficulty", "Easy"),
    ("task", "base_commit", "main"),
    ("task", "bundle_name", "example"),
    ("task", "kits", ["Ark/UI"]),
    ("task", "kits", "ArkUI"),
    ("task", "build_paths", [""]),
    ("task", "f_points", []),
    ("task", "f_points", [{}]),
    ("task", "statement", "x"),
    ("task", "visual.screens", []),
    ("task", "visual.screens", [{"name": "home", "ignored_px": [[1, 2, 3]]}]),
    ("task", "visual.weight", 0),
    ("base", "url", "git@example.org:app.git"),
    ("base", "url", "http://example.org/app.git"),
    ("base", "commit", "main"),
    ("base", "commit", "0" * 39),
    ("base", "sha256", GONE),
    ("base", "folder", "../x"),
    ("base", "folder", "/x"),
    ("curation", "curators", []),
    ("curation", "approvals", []),
    ("curation", "approvals", [{"task": "a"}]),
]


def changed(name: str, path: str, value: Any) -> dict[str, Any]:
    document = deepcopy(EXAMPLES[name])
    owner = document
    *above, last = path.split(".")
    for part in above:
        owner = owner[part]
    if value is GONE:
        del owner[last]
    else:
        owner[last] = value
    return document


def is_read(folder, name: str, document: Any) -> bool:
    (folder / f"{name}.json").write_text(json.dumps(document))
    faults = Faults()
    found = read_model(folder, f"{name}.json", FILES[name], faults=faults)
    assert (found is None) is bool(faults.found)
    return found is not None


def is_valid(name: str, document: Any) -> bool:
    schema = package_json_schema(name, "https://bench.example.org")
    Draft202012Validator.check_schema(schema)
    checker = FormatChecker()
    return Draft202012Validator(schema, format_checker=checker).is_valid(document)


@pytest.mark.parametrize("name", FILES)
def test_schema_and_import_accept_the_same_examples(tmp_path, name):
    assert is_valid(name, EXAMPLES[name])
    assert is_read(tmp_path, name, EXAMPLES[name])


@pytest.mark.parametrize(
    "path", sorted(DEMO.rglob("*.json")), ids=lambda path: path.name
)
def test_the_demo_package_is_valid(path):
    if path.stem in FILES and "base" not in path.parts:
        assert is_valid(path.stem, json.loads(path.read_text("utf-8")))


@pytest.mark.parametrize(("name", "path", "value"), BAD)
def test_schema_and_import_refuse_the_same_documents(tmp_path, name, path, value):
    document = changed(name, path, value)

    assert not is_valid(name, document)
    assert not is_read(tmp_path, name, document)


@pytest.mark.parametrize("name", FILES)
def test_schema_and_import_ask_for_the_same_fields(tmp_path, name):
    for row in field_rows(name):
        if "[]" in row.name or row.name.startswith(("derived_from.", "visual.")):
            continue
        present = EXAMPLES[name]
        for part in row.name.split("."):
            present = present.get(part, GONE) if isinstance(present, dict) else GONE
        if present is not GONE:
            document = changed(name, row.name, GONE)
            read = is_read(tmp_path, name, document)
            assert read is is_valid(name, document) is not row.required, row.name


@pytest.mark.parametrize("name", FILES)
def test_examples_of_the_fields_are_accepted(tmp_path, name):
    for row in field_rows(name):
        if row.example is not None and "[]" not in row.name:
            document = changed(name, row.name, row.example)
            assert is_valid(name, document), row.name
            assert is_read(tmp_path, name, document), row.name


@pytest.mark.parametrize("name", FILES)
def test_schemas_are_served(client, name):
    response = client.get(f"/schemas/{name}-1.json")

    assert response["Content-Type"] == "application/schema+json"
    assert response.json()["$id"].endswith(f"/schemas/{name}-1.json")


def test_the_document_has_the_fields_that_the_import_reads():
    text = DOCUMENT.read_text("utf-8")

    assert documented(text) == text, "run: python -m scripts.package_format"
