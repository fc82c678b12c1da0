"""Bundles in sound archives whose contents must be refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from submissions.findings import Code
from tests.submissions.corpus.contents import files, manifest
from tests.submissions.corpus.zips import Entry, write_zip

Case = tuple[str, Code, bytes]
USAGE = "runs/1/alpha-task/usage.json"


def packed(contents: dict[str, bytes]) -> bytes:
    return write_zip([Entry(name, data) for name, data in contents.items()])


def with_file(name: str, data: bytes) -> bytes:
    return packed({**files(), name: data})


def without(*names: str) -> bytes:
    return packed({k: v for k, v in files().items() if k not in names})


def with_manifest(**fields: Any) -> bytes:
    text = json.dumps({**manifest(), **fields})
    return with_file("manifest.json", text.encode())


def with_temperature(number: str) -> str:
    return json.dumps(manifest()).replace('re": 0', f're": {number}')


def hostile_contents() -> Iterator[Case]:
    yield from _json()
    yield from _manifests()
    yield from _usages()
    yield from _units()


def _json() -> Iterator[Case]:
    text = json.dumps(manifest())
    start = text.replace("{", "", 1)
    texts = {
        "duplicate-key": (Code.JSON_DUPLICATE_KEY, f'{{"sdk": "API 2", {start}'),
        "nan": (Code.JSON_NUMBER, with_temperature("NaN")),
        "infinity": (Code.JSON_NUMBER, with_temperature("-Infinity")),
        "overflow": (Code.JSON_NUMBER, with_temperature("1e999")),
        "big-integer": (Code.JSON_NUMBER, text.replace("1000", "9007199254740993")),
        "many-digits": (Code.JSON_NUMBER, text.replace("1000", "9" * 5000)),
        "nul": (Code.JSON_STRING, text.replace("API 1", "API\\u00001")),
        "surrogate": (Code.JSON_STRING, text.replace("API 1", "API \\ud800")),
        "deep": (Code.JSON_DEPTH, "[" * 100_000),
        "trailing": (Code.JSON_SYNTAX, text + " {}"),
        "comment": (Code.JSON_SYNTAX, "// a comment\n" + text),
        "single-quotes": (Code.JSON_SYNTAX, text.replace('"', "'")),
        "yaml": (Code.JSON_SYNTAX, "schema_version: 1\nbenchmark: corpus-bench\n"),
        "empty": (Code.JSON_SYNTAX, ""),
        "byte-order-mark": (Code.JSON_ENCODING, "\ufeff" + text),
    }
    for name, (code, value) in texts.items():
        yield f"json-{name}", code, with_file("manifest.json", value.encode())
    encodings = {"latin-1": b'{"name": "\xe9"}', "utf-16": text.encode("utf-16")}
    for name, data in encodings.items():
        yield f"json-{name}", Code.JSON_ENCODING, with_file("manifest.json", data)
    large = text.encode() + b" " * 300_000
    yield "json-too-large", Code.JSON_TOO_LARGE, with_file("manifest.json", large)


def _manifests() -> Iterator[Case]:
    invalid = Code.MANIFEST_FIELD_INVALID
    missing = manifest()
    del missing["contact"]
    yield "manifest-missing", Code.MANIFEST_MISSING, without("manifest.json")
    yield (
        "manifest-field-missing",
        Code.MANIFEST_FIELD_MISSING,
        with_file("manifest.json", json.dumps(missing).encode()),
    )
    unknown = with_manifest(api_key="none of our business")
    yield "manifest-field-unknown", Code.MANIFEST_FIELD_UNKNOWN, unknown
    fields: dict[str, dict[str, Any]] = {
        "version-as-number": {"benchmark_version": 1.1},
        "schema-as-bool": {"schema_version": True},
        "impossible-date": {"task_snapshot_date": "2026-02-30"},
        "bidi": {"sdk": "API \u202e1"},
        "markup-in-address": {"contact": {"name": "A", "email": "<b>@example.org"}},
        "mode": {"mode": "shell"},
        "list": {"agent": ["Sample Agent", "1.0"]},
    }
    for name, change in fields.items():
        yield f"manifest-{name}", invalid, with_manifest(**change)
    other = with_manifest(benchmark_version="1.1")
    yield "manifest-unknown-snapshot", Code.SNAPSHOT_UNKNOWN, other
    runs = {"runs": 5, "repair_limit": 5}
    yield "manifest-run-count", Code.RUN_COUNT, with_manifest(run_configuration=runs)


def _usages() -> Iterator[Case]:
    texts = {
        "negative-tokens": '{"total_tokens": -1}',
        "fractional-tokens": '{"total_tokens": 1.0}',
        "too-many-tokens": '{"total_tokens": 1000000000001}',
        "tokens-as-text": '{"total_tokens": "12"}',
        "tokens-as-bool": '{"total_tokens": true}',
        "negative-seconds": '{"agent_seconds": -0.5}',
        "four-decimals": '{"agent_seconds": 1.0005}',
        "many-decimals": '{"agent_seconds": 1.00000000000000000000000000000001}',
        "endless-seconds": '{"agent_seconds": 1e300}',
        "six-repairs": '{"repair_rounds": 6}',
        "unknown-field": '{"score": 1}',
        "list": "[1, 2, 3]",
    }
    for name, text in texts.items():
        yield f"usage-{name}", Code.USAGE_INVALID, with_file(USAGE, text.encode())
    nan = with_file(USAGE, b'{"agent_seconds": NaN}')
    yield "usage-nan", Code.JSON_NUMBER, nan


def _units() -> Iterator[Case]:
    lost = without("runs/2/beta-task/final.patch")
    yield "unit-missing", Code.TASK_RUN_MISSING, lost
    third = with_file("runs/3/alpha-task/final.patch", b"")
    yield "unit-third-run", Code.RUN_NUMBER, third
    foreign = with_file("runs/1/gamma-task/final.patch", b"")
    yield "unit-unknown-task", Code.TASK_UNKNOWN, foreign
    twice = with_file("runs/1/alpha-task/trajectory.json", b"[]")
    yield "unit-two-trajectories", Code.TRAJECTORY_TWICE, twice
