"""What a snapshot names, held field by field against SDK and device."""

from __future__ import annotations

import pytest

from evaluator.toolchains.command_line_tools import SdkFacts
from evaluator.toolchains.needs import (
    DeviceFacts,
    Needs,
    compare_device,
    compare_sdk,
    differences,
)

NEEDS = Needs.of(
    sdk="API 23",
    toolchain="DevEco 6.1",
    device={"resolution_px": [1308, 2880], "model": "PUR-AL90", "api_level": 23},
)
DEVICE = DeviceFacts("PUR-AL90", 23, (1308, 2880), "6.1.0.31")


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        (SdkFacts(23, "6.1.0.31"), [True, True]),
        (SdkFacts(22, "6.1.0.31"), [False, True]),
        (SdkFacts(23, "6.10.0.1"), [True, False]),
        (SdkFacts(23, "6.0.2.1"), [True, False]),
        (SdkFacts(None, None), [None, None]),
    ],
)
def test_an_sdk_is_compared_by_its_level_and_its_version(facts, told):
    assert [each.ok for each in compare_sdk(NEEDS, facts)] == told


def test_a_snapshot_that_names_no_number_leaves_the_question_open():
    vague = Needs(sdk="the newest", toolchain="DevEco Studio")

    assert [each.ok for each in compare_sdk(vague, SdkFacts(23, "6.1"))] == [None, None]


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        (DEVICE, [True, True, True]),
        (DeviceFacts("XYZ", 24, (1260, 2720)), [False, False, False]),
        (DeviceFacts(), [None, None, None]),
    ],
)
def test_a_device_is_compared_in_what_the_snapshot_names(facts, told):
    assert [each.ok for each in compare_device(NEEDS, facts)] == told
    assert compare_device(Needs(), facts) == []


def test_only_what_differs_is_put_in_words():
    found = compare_device(NEEDS, DeviceFacts("PUR-AL90", None, (1260, 2720)))

    assert differences(found) == "resolution: 1308x2880 wanted, 1260x2720 found"
