from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

SAMPLE = """
import pytest
from tests import requirements

requirements.PARTS["browser"] = requirements.Part(lambda: False, "buy a browser")

@pytest.mark.browser
def test_marked(): pass

def test_called(): requirements.require("crystal ball", False, "polish it")

def test_bare(): pytest.skip("not today")

def test_plain(): pass
"""


def run_sample(folder: Path, *, demand: str) -> str:
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = browser: needs Chromium\n")
    (folder / "test_sample.py").write_text(SAMPLE)
    words = ["-p", "tests.requirements", "-p", "no:django", "-p", "no:randomly"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", folder, "-c", folder / "pytest.ini", *words],
        cwd=ROOT,
        env={**os.environ, "OHB_TEST_REQUIRE": demand},
        capture_output=True,
        text=True,
        check=False,
    ).stdout


def test_what_is_missing_is_skipped_and_named_with_the_way_to_get_it(tmp_path: Path):
    printed = run_sample(tmp_path, demand="")

    assert "1 passed, 3 skipped" in printed
    assert "1 test: needs browser: to run this, buy a browser" in printed
    assert "1 test: needs crystal ball: to run this, polish it" in printed


def test_demanding_all_turns_every_skip_into_a_failure(tmp_path: Path):
    printed = run_sample(tmp_path, demand="all")

    assert "2 failed, 1 passed, 1 error" in printed
    assert "OHB_TEST_REQUIRE=all allows no skip: not today" in printed


@pytest.mark.parametrize("demand", ["browser", "hypium, browser"])
def test_demanding_one_part_leaves_the_other_skips_alone(tmp_path: Path, demand: str):
    printed = run_sample(tmp_path, demand=demand)

    assert "1 passed, 2 skipped, 1 error" in printed
    assert "OHB_TEST_REQUIRE demands browser" in printed
