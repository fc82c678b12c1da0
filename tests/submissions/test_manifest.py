"""The manifest: required, strict, and every fault told at once."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace

import pytest

from submissions.comparability import compare_with_snapshot
from submissions.findings import Code
from submissions.manifest import ManifestError, parse_manifest, stated_by
from tests.submissions.corpus.contents import FACTS, manifest


def parsed(**changes):
    return parse_manifest(json.dumps({**manifest(), **changes}).encode())


def refusal(value):
    with pytest.raises(ManifestError) as caught:
        parse_manifest(json.dumps(value).encode())
    return caught.value.findings


def leaves(value, path=()):
    for name, inner in value.items():
        yield (*path, name)
        if isinstance(inner, dict):
            yield from leaves(inner, (*path, name))


@pytest.mark.parametrize("path", list(leaves(manifest())), ids=".".join)
def test_every_field_is_required(path):
    value = deepcopy(manifest())
    owner = value
    for name in path[:-1]:
        owner = owner[name]
    del owner[path[-1]]

    (finding,) = refusal(value)

    assert finding.code == Code.MANIFEST_FIELD_MISSING
    assert finding.where == f"manifest.json: {'.'.join(path)}"
    assert finding.fix.startswith("Add ")


def test_optional_fields_may_be_missing():
    found = parsed()

    assert found.model.family is None
    assert found.execution_environment.notes == ""


def test_a_version_stays_the_text_it_was():
    assert parsed(benchmark_version="1.10").benchmark_version == "1.10"


def test_missing_unknown_and_wrong_fields_come_back_together():
    value = manifest()
    del value["sdk"]
    value["api_key"] = "secret"
    value["agent"]["verson"] = value["agent"].pop("version")
    value["run_configuration"]["runs"] = "3"
    value["contact"]["email"] = "nobody"

    findings = {
        each.where.removeprefix("manifest.json: "): each for each in refusal(value)
    }

    assert {where: each.code for where, each in findings.items()} == {
        "sdk": Code.MANIFEST_FIELD_MISSING,
        "api_key": Code.MANIFEST_FIELD_UNKNOWN,
        "agent.version": Code.MANIFEST_FIELD_MISSING,
        "agent.verson": Code.MANIFEST_FIELD_UNKNOWN,
        "run_configuration.runs": Code.MANIFEST_FIELD_INVALID,
        "contact.email": Code.MANIFEST_FIELD_INVALID,
    }
    assert findings["agent.verson"].fix == 'Rename it to "version", or remove it.'
    assert findings["run_configuration.runs"].saw == '"3"'
    assert "whole number" in findings["run_configuration.runs"].fix
    assert "person@example.org" in findings["contact.email"].fix


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("schema_version", 2),
        ("schema_version", True),
        ("schema_version", 1.0),
        ("mode", "results"),
        ("benchmark", ""),
        ("benchmark", "x" * 51),
        ("sdk", "x" * 41),
        ("benchmark", None),
        ("benchmark_version", 1.1),
        ("sdk", " API 23"),
        ("sdk", "API\n23"),
        ("sdk", "API \u202e23"),
        ("sdk", "e\u0301"),
        ("task_snapshot_date", "2026-02-30"),
        ("task_snapshot_date", "20260201"),
        ("task_snapshot_date", 20260201),
        ("agent", "DevEco Code"),
        ("contact", {"name": "A", "email": "a@b"}),
        ("contact", {"name": "A", "email": "<a>@example.org"}),
        ("contact", {"name": "A", "email": "a@example.org\n"}),
        ("run_configuration", {"runs": 0, "repair_limit": 5}),
        ("run_configuration", {"runs": True, "repair_limit": 5}),
        ("run_configuration", {"runs": 3.0, "repair_limit": 5}),
        ("run_configuration", {"runs": 3, "repair_limit": -1}),
    ],
)
def test_a_wrong_value_is_one_finding_in_plain_words(field, value):
    (finding,) = refusal({**manifest(), field: value})

    assert finding.code == Code.MANIFEST_FIELD_INVALID
    assert finding.where.startswith(f"manifest.json: {field}")
    assert finding.fix.startswith("Give ")
    assert "validation" not in finding.fix


@pytest.mark.parametrize("value", [[], "text", 3, None, True])
def test_a_manifest_that_is_no_object_is_refused(value):
    (finding,) = refusal(value)

    assert finding.where == "manifest.json"


def test_a_manifest_of_foreign_fields_is_answered_shortly():
    findings = refusal({f"field_{index}": 0 for index in range(10_000)})

    assert len(findings) < 60


def test_an_agreeing_manifest_has_no_differences():
    assert compare_with_snapshot(parsed(), FACTS) == []


def test_every_differing_field_is_named():
    other = replace(
        FACTS,
        sdk="API 2",
        agent_version="2.0",
        runs=5,
        repair_limit=0,
        evaluation_scripts="1.11",
    )

    assert compare_with_snapshot(parsed(), other) == [
        "evaluation_scripts",
        "agent.version",
        "sdk",
        "run_configuration.runs",
        "run_configuration.repair_limit",
    ]


def test_what_the_benchmark_leaves_open_is_not_compared():
    free = replace(FACTS, agent_name=None, agent_version=None)
    other = parsed(agent={"name": "Another", "version": "9"})

    assert compare_with_snapshot(other, free) == []


def test_run_parameters_are_compared_where_the_snapshot_names_them():
    parameters = {
        "temperature": 0.7,
        "context_window_tokens": 1,
        "reasoning_budget_tokens": 2,
    }
    other = parsed(run_parameters=parameters)
    two = {"temperature": 0, "reasoning_budget_tokens": 500}

    assert compare_with_snapshot(other, replace(FACTS, run_parameters=two)) == [
        "run_parameters.temperature",
        "run_parameters.reasoning_budget_tokens",
    ]
    assert compare_with_snapshot(other, replace(FACTS, run_parameters={})) == []


def test_values_that_are_no_json_hide_no_fault_of_other_fields():
    text = json.dumps({**manifest(), "surprise": 1}).replace('"API 1"', "1.10")
    text = text.replace('"temperature": 0', '"temperature": NaN')
    with pytest.raises(ManifestError) as caught:
        parse_manifest(text.encode())

    found = caught.value.findings
    assert [(each.code, each.where.rpartition(": ")[2]) for each in found] == [
        (Code.JSON_NUMBER, "run_parameters.temperature"),
        (Code.MANIFEST_FIELD_INVALID, "sdk"),
        (Code.MANIFEST_FIELD_UNKNOWN, "surprise"),
    ]
    readable = caught.value.readable
    assert readable["benchmark_version"] == "1.10"
    assert readable["agent.version"] == "1.0"
    assert not {"sdk", "run_parameters.temperature"} & readable.keys()


def test_what_can_be_read_of_a_refused_manifest_is_as_in_a_sound_one():
    broken = {**manifest(), "contact": {}}
    with pytest.raises(ManifestError) as caught:
        parse_manifest(json.dumps(broken).encode())

    sound = stated_by(parsed())
    missing = {"contact.name", "contact.email"}
    optional = {"model.family", "execution_environment.notes", "origin"}
    assert caught.value.readable == {
        name: value for name, value in sound.items() if name not in missing | optional
    }


def test_an_unknown_mode_is_told_both_known_ones():
    with pytest.raises(ManifestError) as caught:
        parsed(mode="results")

    (finding,) = caught.value.findings
    assert finding.where == "manifest.json: mode"
    assert "'workspaces' or 'configuration'" in finding.fix
    assert parsed(mode="configuration").mode == "configuration"
