"""Every archive of the corpus gives exactly the finding that stands beside it."""

from __future__ import annotations

import json

import pytest

from submissions.validation import validate
from tests.submissions.corpus.contents import FACTS, RUNS, TASKS
from tests.submissions.corpus.make_archives import FOLDER, INDEX, write

CORPUS = json.loads(INDEX.read_text())


def checked(path, spool):
    def snapshot_for(benchmark, version):
        wanted = (FACTS.benchmark, FACTS.benchmark_version)
        return FACTS if (benchmark, version) == wanted else None

    return validate(
        path, spool=spool, snapshot_for=snapshot_for, known_versions=["1.10"]
    )


@pytest.mark.parametrize("name", CORPUS["hostile"])
def test_a_hostile_archive_is_refused_for_its_one_reason(name, tmp_path):
    bundle, report = checked(FOLDER / name, tmp_path / "spool")

    assert bundle is None
    assert {each.code for each in report.errors} == {CORPUS["hostile"][name]}
    assert all(each.where and each.saw and each.fix for each in report.errors)


@pytest.mark.parametrize("name", CORPUS["honest"])
def test_an_archive_of_an_ordinary_tool_is_accepted(name, tmp_path):
    bundle, report = checked(FOLDER / name, tmp_path / "spool")

    assert report.ok, report.as_dict()
    assert bundle is not None
    assert len(bundle.units) == RUNS * len(TASKS)


def test_the_generator_still_writes_the_same_list_of_archives(tmp_path):
    folder = tmp_path / "corpus"

    write(folder)

    assert json.loads((folder / INDEX.name).read_text()) == CORPUS
    written = {path.name for path in folder.iterdir()}
    assert written == {path.name for path in FOLDER.iterdir()}


def test_the_corpus_is_as_large_as_promised():
    assert len(CORPUS["hostile"]) >= 45
    assert len(CORPUS["honest"]) >= 8
