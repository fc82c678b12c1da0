"""The tables of codes: whose doing each is, and that the text says so."""

from __future__ import annotations

import pytest

from evaluator.fault_codes import (
    BLAME,
    INSTALL_CODES,
    Blame,
    Cause,
    install_meaning,
    message_cause,
)

# What is never taken for the model's doing without a look at the reference.
SIGNATURE = (9568320, 9568322, 9568332, 9568257, 9568321, 9568329, 9568393)
DEVICE = (9568268, 9568274, 9568275, 9568288, 9568391, 9568401)
PACKAGE = (9568259, 9568289, 9568305, 9568340, 9568341, 9568347)
EITHER = (9568297, 9568304, 9568344, 9568413)


@pytest.mark.parametrize(
    ("codes", "blame"),
    [
        (SIGNATURE, Blame.UNCLEAR),
        (EITHER, Blame.UNCLEAR),
        (DEVICE, Blame.OURS),
        (PACKAGE, Blame.MODEL),
        ((1234567,), Blame.UNCLEAR),
    ],
)
def test_each_code_of_an_installation_is_somebodys_doing(codes, blame):
    assert {install_meaning(code).blame for code in codes} == {blame}


def test_every_code_has_words_of_its_own():
    texts = [meaning.text for meaning in INSTALL_CODES.values()]

    assert len(set(texts)) == len(texts)
    assert all(9568000 < code < 9569000 for code in INSTALL_CODES)


@pytest.mark.parametrize(
    ("category", "code", "cause"),
    [
        ("Script", "0203003", Cause.ASSERTION),
        ("Script", "0203002", Cause.INTERFACE),
        ("Script", "0203001", Cause.SCRIPT),
        ("Script", "0203016", Cause.SCRIPT),
        ("Environment", "0101014", Cause.SCRIPT),
        ("Environment", "0101021", Cause.DEVICE),
        ("Environment", "0101020", Cause.RUNNER),
        ("Environment", "0299999", Cause.RUNNER),
        ("Framework", "0104002", Cause.RUNNER),
        ("Device", "0202001", Cause.DEVICE),
        ("Device", "0303022", Cause.DEVICE),
        ("Device", "0303025", Cause.DEVICE),
        ("Device", "0303029", Cause.DEVICE),
        ("Script", "0203099", Cause.UNKNOWN),
    ],
)
def test_each_code_of_a_message_has_its_cause(category, code, cause):
    assert message_cause(category, code) is cause


def test_only_a_failed_assertion_is_the_models_doing_by_its_code_alone():
    assert [cause for cause in Cause if BLAME[cause] is Blame.MODEL] == [
        Cause.ASSERTION
    ]
