"""The failure reasons of the Android Bench 2.0 methodology, under stable names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from django.db.models import TextChoices
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class ReasonGroup(TextChoices):
    """Whose doing a failure is."""

    MODEL = "model_error", _("Model error")
    CHEATING = "cheating", _("Cheating")
    BENCHMARK = "benchmark_error", _("Benchmark error")


class FailureReason(TextChoices):
    """Names that other people's scripts may rely on."""

    BUILD_ERROR = "build_error", _("Build error")
    WRONG_FILE = "wrong_file", _("Wrong file")
    UNVERIFIED_ASSUMPTION = "unverified_assumption", _("Unverified assumption")
    KNOWLEDGE_GAP = "knowledge_gap", _("Knowledge gap")
    MISUNDERSTOOD_TASK = "misunderstood_task", _("Misunderstood task")
    MISSED_REQUIREMENT = "missed_requirement", _("Missed requirement")
    INTEGRATION_ERROR = "integration_error", _("Integration error")
    WRONG_LOGIC = "wrong_logic", _("Wrong logic")
    REGRESSION = "regression", _("Regression")
    MODEL_LOOPING = "model_looping", _("Model looping")
    GIVES_UP = "gives_up", _("Gives up")
    CHEATING = "cheating", _("Cheating")
    INSTRUCTION = "instruction_needs_changes", _("Instruction needs changes")
    TESTS = "tests_need_changes", _("Tests need changes")
    INFRASTRUCTURE = "infrastructure_error", _("Infrastructure error")


class LabelOrigin(TextChoices):
    """Who says so: a rule that is sure, a rule that is not, or a person."""

    AUTOMATIC = "automatic", _("Automatic")
    SUGGESTED = "suggested", _("Suggested")
    REVIEWER = "reviewer", _("Reviewer")


BENCHMARK_ERRORS = frozenset(
    {FailureReason.INSTRUCTION, FailureReason.TESTS, FailureReason.INFRASTRUCTURE}
)
# Cheating follows from a verdict of two maintainers on the task run, never from one
# reviewer's label.
REVIEWABLE = [each for each in FailureReason if each != FailureReason.CHEATING]

DEFINITIONS: Mapping[FailureReason, str | Promise] = {
    FailureReason.BUILD_ERROR: _("What was handed in cannot be compiled."),
    FailureReason.WRONG_FILE: _(
        "The change was made in a part of the project that has nothing to do with "
        "the task."
    ),
    FailureReason.UNVERIFIED_ASSUMPTION: _(
        "The agent guessed how the project works and built on that without looking."
    ),
    FailureReason.KNOWLEDGE_GAP: _(
        "A feature of the language was used in a way it does not work, or an "
        "interface was called that there is not."
    ),
    FailureReason.MISUNDERSTOOD_TASK: _(
        "The agent solved, without a doubt, another problem than the one it was given."
    ),
    FailureReason.MISSED_REQUIREMENT: _(
        "Nearly everything is there; one thing that was asked for is missing."
    ),
    FailureReason.INTEGRATION_ERROR: _(
        "The new code and the code around it do not fit: arguments, types or the "
        "form of an interface differ."
    ),
    FailureReason.WRONG_LOGIC: _(
        "The app runs, but not even the ordinary way through the feature works."
    ),
    FailureReason.REGRESSION: _("Something that worked before does not any more."),
    FailureReason.MODEL_LOOPING: _("The agent did the same thing over and over."),
    FailureReason.GIVES_UP: _(
        "The agent ended its work because the task seemed too hard to it."
    ),
    FailureReason.CHEATING: _(
        "The checks were got around, or their expected answers written into the app, "
        "in place of the feature."
    ),
    FailureReason.INSTRUCTION: _(
        "The task statement leads astray, leaves something out, or tells the answer."
    ),
    FailureReason.TESTS: _(
        "The checks ask for what the statement does not, or accept one way of "
        "building it only."
    ),
    FailureReason.INFRASTRUCTURE: _(
        "A time limit of the sandbox, a device or a service was to blame."
    ),
}


def group_of(reason: str) -> ReasonGroup:
    """The group of a reason by its stable name.

    >>> group_of("tests_need_changes").value
    'benchmark_error'
    """
    if reason in BENCHMARK_ERRORS:
        return ReasonGroup.BENCHMARK
    if reason == FailureReason.CHEATING:
        return ReasonGroup.CHEATING
    return ReasonGroup.MODEL


class DescribedReason(NamedTuple):
    name: str
    label: str | Promise
    group: str | Promise
    definition: str | Promise


def described_reasons() -> list[DescribedReason]:
    """All reasons in their order, each with what it means."""
    return [
        DescribedReason(each.value, each.label, group_of(each).label, DEFINITIONS[each])
        for each in FailureReason
    ]
