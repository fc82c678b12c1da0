"""Recall and false alarms on labelled cases."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from submissions.integrity.catalogue import KINDS, Code
from tests.submissions.integrity.cases import CASES, codes_of, read_case

# These look at more than one task run, or at what the evaluator found.
ELSEWHERE = {
    *(Code.TRAJECTORY_REPEATED, Code.PATCH_REPEATED, Code.EMPTY_COMPLETED),
    *(Code.PATCH_REFUSED, Code.PATCH_RESTORED, Code.PATCH_NOTE),
}


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_case_gives_exactly_the_signals_it_is_labelled_with(path: Path):
    case = read_case(path)

    assert codes_of(case) == set(case["labels"]), case["about"]


def test_the_set_holds_twenty_clean_cases_and_two_of_every_incident():
    labels = [label for path in CASES for label in read_case(path)["labels"]]
    clean = [path for path in CASES if not read_case(path)["labels"]]
    counts = Counter(labels)

    assert len(clean) >= 20
    assert {
        code: counts[code] for code in set(Code) - ELSEWHERE if counts[code] < 2
    } == {}


def test_every_code_is_explained():
    assert set(KINDS) == set(Code)
