"""Tasks as a dataset: what is public, in files that say what they hold."""

from __future__ import annotations

import hashlib
import json
from io import StringIO

import pytest
from arro3.io import read_parquet
from django.core.management import CommandError, call_command
from django.utils import timezone

from leaderboard.models import SnapshotStatus
from leaderboard.snapshots import import_package
from tests.factories import EvaluationSnapshotFactory
from tests.leaderboard.packages import write_package

pytestmark = pytest.mark.django_db
SLUGS = ["alpha", "beta"]
SECRETS = ("class it_works", "+three")


@pytest.fixture
def snapshot(tmp_path):
    found = import_package(write_package(tmp_path / "package", *SLUGS)).snapshot
    found.status = SnapshotStatus.OPEN
    found.save()
    return found


def export(snapshot, folder) -> str:
    said = StringIO()
    call_command("export_dataset", snapshot.version, str(folder), stdout=said)
    return said.getvalue()


def rows_of(folder):
    lines = (folder / "tasks.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_both_files_hold_every_task_with_its_statement(snapshot, tmp_path):
    export(snapshot, tmp_path / "set")

    rows = rows_of(tmp_path / "set")
    assert [row["slug"] for row in rows] == SLUGS
    assert {row["statement"] for row in rows} == {"The button does nothing.\n"}
    assert rows[0]["f_point_ids"] == ["FP-1"]
    table = read_parquet(tmp_path / "set" / "tasks.parquet").read_all()
    assert table.schema.names == list(rows[0])
    for name in table.schema.names:
        assert table[name].to_pylist() == [row[name] for row in rows]


def test_croissant_describes_the_files_as_they_are(snapshot, tmp_path):
    export(snapshot, tmp_path / "set")

    told = json.loads((tmp_path / "set" / "croissant.json").read_text())
    assert told["@type"] == "sc:Dataset"
    assert told["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    for name in ("name", "description", "url", "license", "version", "datePublished"):
        assert told[name], name
    assert snapshot.benchmark.name in told["citeAs"]
    # What is no word of the context is one of schema.org, which has no such keys.
    for word in ("citeAs", "key", "field", "source", "extract", "column"):
        assert told["@context"][word] == f"cr:{word}"
    for file in told["distribution"]:
        content = (tmp_path / "set" / file["contentUrl"]).read_bytes()
        assert file["sha256"] == hashlib.sha256(content).hexdigest()
        assert file["contentSize"] == f"{len(content)} B"
    (records,) = told["recordSet"]
    assert [each["source"]["extract"]["column"] for each in records["field"]] == list(
        rows_of(tmp_path / "set")[0]
    )
    files = {file["@id"] for file in told["distribution"]}
    assert {each["source"]["fileObject"]["@id"] for each in records["field"]} <= files


def test_hidden_parts_are_left_out_and_that_is_said(snapshot, tmp_path):
    said = export(snapshot, tmp_path / "set")

    assert "Left out, since they are not released: reference patches and checks" in said
    for path in (tmp_path / "set").iterdir():
        content = path.read_bytes()
        assert not [each for each in SECRETS if each.encode() in content], path
    told = json.loads((tmp_path / "set" / "croissant.json").read_text())
    assert "Not in it" in told["description"]


def test_public_references_are_in_it_and_checks_still_are_not(snapshot, tmp_path):
    snapshot.references_public = True
    snapshot.save()

    said = export(snapshot, tmp_path / "set")

    assert "not released: checks." in said
    assert "+three" in rows_of(tmp_path / "set")[0]["reference_patch"]
    assert "class it_works" not in (tmp_path / "set" / "tasks.jsonl").read_text()


def test_what_was_released_is_in_it(snapshot, tmp_path):
    snapshot.artifacts_released_at = timezone.now()
    snapshot.save()

    assert "Left out" not in export(snapshot, tmp_path / "set")

    (row, _) = rows_of(tmp_path / "set")
    checks = dict(zip(row["check_names"], row["check_texts"], strict=True))
    assert "class it_works" in checks["it_works.py"]
    assert "+three" in row["reference_patch"]


def test_equal_snapshots_are_equal_bytes(snapshot, tmp_path):
    for name in ("one", "two"):
        export(snapshot, tmp_path / name)

    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_what_cannot_be_exported_says_why(snapshot, tmp_path):
    (tmp_path / "full" / "x").mkdir(parents=True)
    with pytest.raises(CommandError, match="not empty"):
        export(snapshot, tmp_path / "full")
    bare = EvaluationSnapshotFactory(task_count=0)
    with pytest.raises(CommandError, match="not held"):
        export(bare, tmp_path / "bare")
    for status in (SnapshotStatus.DRAFT, SnapshotStatus.ADMISSION):
        snapshot.status = status
        snapshot.save()
        with pytest.raises(CommandError, match=str(status.label)):
            export(snapshot, tmp_path / "draft")
