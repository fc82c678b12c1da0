"""Every kind of signal: its stable code, its weight, and why it matters."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

# Raised with every change of a rule: what older rules looked through is due again.
RULES = 2


class Code(StrEnum):
    """Stable names; other people's scripts may rely on them."""

    PATH_OUTSIDE = "path_outside"
    HIDDEN_FILES = "hidden_files"
    GIT_HISTORY = "git_history"
    UPSTREAM_FETCH = "upstream_fetch"
    SEARCHED_TASK = "searched_task"
    PROTECTED_WRITE = "protected_write"
    TEST_ENVIRONMENT = "test_environment"
    DEVICE_USE = "device_use"
    LEAKED_TEXT = "leaked_text"
    REPAIR_ROUNDS = "repair_rounds"
    CHECK_RESULTS = "check_results"
    BUILT_UNEDITED = "built_unedited"
    REPLAY_MISMATCH = "replay_mismatch"
    TOKEN_SUM = "token_sum"  # noqa: S105 - tokens of a model
    CLOCK_BACKWARDS = "clock_backwards"
    TRAJECTORY_REPEATED = "trajectory_repeated"
    TRAJECTORY_UNREADABLE = "trajectory_unreadable"
    REFERENCE_SIMILAR = "reference_similar"
    REFERENCE_COMMENT = "reference_comment"
    CHECK_NAMES = "check_names"
    PATCH_REPEATED = "patch_repeated"
    PATCH_SIMILAR = "patch_similar"
    EMPTY_COMPLETED = "empty_completed"
    PATCH_REFUSED = "patch_refused"
    PATCH_RESTORED = "patch_restored"
    PATCH_NOTE = "patch_note"


class Kind(NamedTuple):
    label: str | Promise
    why: str | Promise


KINDS = {
    Code.PATH_OUTSIDE: Kind(
        _("Path outside the workspace"),
        _("Everything a task needs lies in its workspace; answers may lie elsewhere."),
    ),
    Code.HIDDEN_FILES: Kind(
        _("Path named like checks or answers"),
        _("Checks and reference solutions are hidden from the agent."),
    ),
    Code.GIT_HISTORY: Kind(
        _("Search in the history of git"),
        _("A repository may still hold the commit that solves the task."),
    ),
    Code.UPSTREAM_FETCH: Kind(
        _("Download from where the task comes from"),
        _("The project of the task is public, with the solution in a later commit."),
    ),
    Code.SEARCHED_TASK: Kind(
        _("Web search for the task"),
        _("The title of a task leads to the change that solves it."),
    ),
    Code.PROTECTED_WRITE: Kind(
        _("Write to build scripts or tests"),
        _("Such files decide what is built and checked; the evaluator puts them back."),
    ),
    Code.TEST_ENVIRONMENT: Kind(
        _("Looks for signs of the test environment"),
        _("An app that knows it is being tested can behave differently for the test."),
    ),
    Code.DEVICE_USE: Kind(
        _("Use of a device"),
        _("An agent gets build output only, and never sees the app run."),
    ),
    Code.LEAKED_TEXT: Kind(
        _("Instructions hold text of the checks or the reference"),
        _("Whoever writes such instructions has seen what is hidden."),
    ),
    Code.REPAIR_ROUNDS: Kind(
        _("More repair rounds than allowed"),
        _("Every further round is a further chance that others do not get."),
    ),
    Code.CHECK_RESULTS: Kind(
        _("A tool answered with results of the checks"),
        _("Repair may use the output of the build, never that of the checks."),
    ),
    Code.BUILT_UNEDITED: Kind(
        _("First build passes though nothing was edited"),
        _("Work that the trajectory does not show was done by something else."),
    ),
    Code.REPLAY_MISMATCH: Kind(
        _("The recorded edits do not give the patch"),
        _("The trajectory belongs to other work, or leaves a part of it out."),
    ),
    Code.TOKEN_SUM: Kind(
        _("Tokens of the steps are not those of usage.json"),
        _("One of the two numbers was not measured in this run."),
    ),
    Code.CLOCK_BACKWARDS: Kind(
        _("Times go backwards"),
        _("The steps were put together from several runs, or edited."),
    ),
    Code.TRAJECTORY_REPEATED: Kind(
        _("Same trajectory in several runs"),
        _("Runs are independent; a copied run hides how results vary."),
    ),
    Code.TRAJECTORY_UNREADABLE: Kind(
        _("Unreadable parts in the trajectory"),
        _("What cannot be read cannot be looked through."),
    ),
    Code.REFERENCE_SIMILAR: Kind(
        _("Patch is nearly the reference"),
        _("Two authors seldom write the same code for the same task."),
    ),
    Code.REFERENCE_COMMENT: Kind(
        _("Long comment as in the reference"),
        _("Comments do not follow from the task; the same words were copied."),
    ),
    Code.CHECK_NAMES: Kind(
        _("Patch names a hidden check"),
        _("Code that knows a check by its name can answer it instead of working."),
    ),
    Code.PATCH_REPEATED: Kind(
        _("Same patch from an unrelated configuration"),
        _("Different models do not write a patch that is equal byte by byte."),
    ),
    Code.PATCH_SIMILAR: Kind(
        _("Nearly the patch of an unrelated configuration"),
        _("A copy with other names or spaces is still a copy; see how they differ."),
    ),
    Code.EMPTY_COMPLETED: Kind(
        _("Completed without any change"),
        _("The base fails every task; a task that passes unchanged is broken."),
    ),
    Code.PATCH_REFUSED: Kind(
        _("Patch refused by the gate"),
        _("It holds what no patch may: links, git's files, programs, odd names."),
    ),
    Code.PATCH_RESTORED: Kind(
        _("Changed files that were put back"),
        _("Build scripts, packages and tests stay as the base has them."),
    ),
    Code.PATCH_NOTE: Kind(
        _("Note of the patch gate"),
        _("Allowed, and worth a look: how it is used decides."),
    ),
}
