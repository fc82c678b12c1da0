"""Rules find reasons in evidence, and say nothing where it is missing."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from leaderboard.failures.agreement import Opinion, agreement, cohens_kappa
from leaderboard.failures.facts import (
    Build,
    BuildError,
    FailedPoint,
    OwnTrouble,
    Patch,
    Reference,
    Repeat,
    Said,
    TaskRunFacts,
    Trajectory,
)
from leaderboard.failures.rules import LOOPS_FROM, RULES, findings
from leaderboard.failures.taxonomy import (
    BENCHMARK_ERRORS,
    DEFINITIONS,
    FailureReason,
    ReasonGroup,
    group_of,
)
from leaderboard.failures.words import SENTENCES

INDEX = "entry/src/main/ets/pages/Index.ets"
FAILED = TaskRunFacts(
    reason="check_failed",
    built=True,
    passed=2,
    checked=4,
    stage="checks",
    failed_points=[
        FailedPoint("FP-3", "functional", "no such component"),
        FailedPoint("FP-4", "functional", "not shown"),
    ],
    build=Build([], "build_final.log"),
    patch=Patch("submitted/final.patch", [INDEX]),
    reference=Reference([INDEX], adds=False),
    trajectory=Trajectory("submitted/trajectory.jsonl", 30, Repeat(2, 9, "ls")),
)
NOT_BUILT = replace(
    FAILED,
    reason="build_failed",
    built=False,
    passed=0,
    stage="build_final",
    failed_points=[FailedPoint("FP-1", "functional", "")],
)


def with_error(text: str) -> TaskRunFacts:
    error = BuildError(text, f"{INDEX}:7", 12)
    return replace(NOT_BUILT, build=Build([error], "build_final.log"))


def found(facts: TaskRunFacts) -> dict[str, str]:
    return {
        rule.code: rule.reason.value
        for rule, evidence in findings(facts)
        if evidence is not None
    }


def with_paths(*paths: str, reference: Reference | None = None) -> TaskRunFacts:
    patch = Patch("submitted/final.patch", list(paths))
    return replace(FAILED, patch=patch, reference=reference or FAILED.reference)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (FAILED, {}),
        (replace(FAILED, overruled_because="copied"), {"overruled": "cheating"}),
        (replace(NOT_BUILT, reason="no_change"), {"no_change": "gives_up"}),
        (NOT_BUILT, {"build_failed": "build_error"}),
        (
            with_error("Property 'spring' does not exist on type 'Router'."),
            {"build_failed": "build_error", "unknown_name": "knowledge_gap"},
        ),
        (
            with_error("Use explicit types instead of any (arkts-no-any-unknown)"),
            {"build_failed": "build_error", "unknown_name": "knowledge_gap"},
        ),
        (
            with_error("Argument of type 'A' is not assignable to parameter of type B"),
            {"build_failed": "build_error", "mismatch": "integration_error"},
        ),
        (
            replace(NOT_BUILT, reason="timed_out", stage="build_first"),
            {"build_hung": "build_error"},
        ),
        # An agent that was stopped has built nothing that could hang.
        (replace(NOT_BUILT, reason="timed_out", stage="agent"), {}),
        (replace(FAILED, reason="timed_out"), {"app_hung": "wrong_logic"}),
        (with_paths("README.md"), None),
        (with_paths("entry/src/main/ets/Other.ets"), {"other_files": "wrong_file"}),
        (
            with_paths(
                "entry/src/main/ets/Other.ets",
                reference=Reference([INDEX, "entry/src/main/ets/New.ets"], adds=True),
            ),
            {},
        ),
        (
            replace(
                FAILED,
                trajectory=Trajectory("t.jsonl", 99, Repeat(LOOPS_FROM, 70, "ls")),
            ),
            {"loop": "model_looping"},
        ),
        (
            replace(
                FAILED,
                trajectory=Trajectory("t.jsonl", 9, None, Said(8, "I give up")),
            ),
            {"said_so": "gives_up"},
        ),
        (
            replace(FAILED, failed_points=[FailedPoint("FP-4", "regression", "gone")]),
            {"regression_check": "regression"},
        ),
        (
            replace(FAILED, passed=3, failed_points=FAILED.failed_points[1:]),
            {"near_miss": "missed_requirement"},
        ),
        # One of one is no near miss: nothing works at all.
        (
            replace(FAILED, passed=0, checked=1),
            {"nothing_works": "wrong_logic"},
        ),
        (
            replace(FAILED, trouble=OwnTrouble(2, "device_lost: away")),
            {"own_trouble": "infrastructure_error"},
        ),
    ],
)
def test_each_rule_names_its_reason(facts, expected):
    if expected is None:
        assert found(facts) == {
            "unrelated_files": "wrong_file",
            "other_files": "wrong_file",
        }
    else:
        assert found(facts) == expected


def test_a_rule_without_its_evidence_says_nothing_not_even_no():
    bare = TaskRunFacts(reason="check_failed", built=True, passed=0, checked=1)

    asked = {each.rule.code for each in findings(bare)}

    assert {rule.code for rule in RULES} - asked == {
        *("unrelated_files", "other_files", "loop", "said_so"),
        *("unknown_name", "mismatch"),
    }


def test_evidence_names_artifact_line_and_figures():
    facts = with_error("Cannot find name 'Sheet'.")

    told = next(
        evidence for rule, evidence in findings(facts) if rule.code == "unknown_name"
    ).as_dict()

    assert told == {
        "artifact": "build_final.log",
        "line": 12,
        "quote": f"{INDEX}:7 Cannot find name 'Sheet'.",
        "figures": {"errors": 1},
    }


def test_the_taxonomy_has_eleven_model_errors_cheating_and_three_of_the_benchmark():
    groups = [group_of(each) for each in FailureReason]

    assert groups.count(ReasonGroup.MODEL) == 11
    assert groups.count(ReasonGroup.CHEATING) == 1
    assert groups.count(ReasonGroup.BENCHMARK) == len(BENCHMARK_ERRORS) == 3
    assert set(DEFINITIONS) == set(FailureReason)
    assert set(SENTENCES) == {rule.code for rule in RULES}


def test_kappa_takes_chance_out_and_is_unknown_where_chance_always_agrees():
    # The example of many textbooks: 35 of 50 agree, kappa is 0.4.
    labels = [
        *[("yes", "yes")] * 20,
        *[("yes", "no")] * 5,
        *[("no", "yes")] * 10,
        *[("no", "no")] * 15,
    ]

    assert cohens_kappa(labels) == Fraction(2, 5)
    assert cohens_kappa([("a", "a"), ("a", "a")]) is None
    assert cohens_kappa([("a", "b"), ("b", "a")]) == -1
    assert cohens_kappa([]) is None


def test_agreement_counts_pairs_of_reviewers_on_items_of_both():
    opinions = [
        Opinion(1, "ann", "x"),
        Opinion(1, "ben", "x"),
        Opinion(1, "cem", "y"),
        Opinion(2, "ann", "x"),
        Opinion(2, "ben", "y"),
        Opinion(3, "ann", "y"),
    ]

    result = agreement(opinions)

    assert (result.items, result.agreed, result.compared) == (2, 1, 4)
    assert result.share == Fraction(1, 4)
    first = result.pairs[0]
    assert (first.first, first.second, first.agreed, first.items) == (
        "ann",
        "ben",
        1,
        2,
    )
    assert first.kappa == 0
    assert agreement([]).share is None
