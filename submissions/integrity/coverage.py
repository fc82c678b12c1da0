"""What the rules had to look at in a submission: a rule without it says nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from submissions.integrity.brief import TaskBrief
from submissions.integrity.catalogue import Code


class Subject(NamedTuple):
    """What a group of rules looks at: the name of its number on a scan, and of what."""

    name: str
    label: str | Promise


TRAJECTORIES = Subject("trajectories", _("trajectories"))
WITH_TEXTS = Subject("with_texts", _("trajectories of tasks whose package is held"))
WITH_USAGE = Subject("with_usage", _("trajectories with a usage.json"))
WITH_PATCH = Subject("with_patch", _("trajectories with a final patch"))
PATCHES = Subject("patches", _("final patches"))
WITH_REFERENCE = Subject("with_reference", _("final patches with a reference"))
LARGE = Subject("patches_large", _("final patches large enough to be compared"))
RESULTS = Subject("results", _("scored task runs"))

_SUBJECTS: dict[Code, Subject] = {
    Code.LEAKED_TEXT: WITH_TEXTS,
    Code.REPLAY_MISMATCH: WITH_TEXTS,
    Code.TOKEN_SUM: WITH_USAGE,
    Code.BUILT_UNEDITED: WITH_PATCH,
    Code.REFERENCE_SIMILAR: WITH_REFERENCE,
    Code.REFERENCE_COMMENT: WITH_REFERENCE,
    Code.CHECK_NAMES: PATCHES,
    Code.PATCH_REPEATED: PATCHES,
    Code.PATCH_SIMILAR: LARGE,
    Code.EMPTY_COMPLETED: RESULTS,
    Code.PATCH_REFUSED: RESULTS,
    Code.PATCH_RESTORED: RESULTS,
    Code.PATCH_NOTE: RESULTS,
}


def subject_of(code: Code) -> Subject:
    return _SUBJECTS.get(code, TRAJECTORIES)


def count_files(
    looked_at: Counter[str], names: Collection[str], *, brief: TaskBrief
) -> None:
    """Count one task run with files of these names, as they are called in a bundle."""
    has_patch = "final.patch" in names
    looked_at[PATCHES.name] += has_patch
    looked_at[WITH_REFERENCE.name] += has_patch and bool(brief.reference)
    if any(name.startswith("trajectory.") for name in names):
        looked_at[TRAJECTORIES.name] += 1
        looked_at[WITH_TEXTS.name] += bool(brief.base)
        looked_at[WITH_USAGE.name] += "usage.json" in names
        looked_at[WITH_PATCH.name] += has_patch
