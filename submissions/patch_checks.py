"""What the patches of an upload would meet at the gate, told before it is evaluated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from submissions.archive import Member
from submissions.comparability import BaseFile, SnapshotFacts
from submissions.findings import LISTED_PER_CODE, Code, Findings, shown
from submissions.formats.bundle import MAX_PATCH_BYTES, UnitFiles
from submissions.patch_text import (
    LINK_MODES,
    FilePatch,
    PatchTextError,
    missing_hunk,
    read_patch,
    unsafe_path,
)


def check_patches(
    units: Sequence[UnitFiles], snapshot: SnapshotFacts | None, *, findings: Findings
) -> None:
    """Note patches that are hostile, that git cannot read, or that do not apply.

    Whether one applies is known only where the base projects are held; elsewhere the
    server tells. What does not apply is a warning: it is the agent's doing, and scored.
    """
    check = _PatchCheck(snapshot, findings)
    for unit in units:
        for member in (unit.first_patch, unit.final_patch):
            if member is not None and member.size_bytes <= MAX_PATCH_BYTES:
                check.patch(unit, member)
    check.tell()


class _PatchCheck:
    """Reads every different patch of a task once."""

    def __init__(self, snapshot: SnapshotFacts | None, findings: Findings) -> None:
        self.base_file: BaseFile | None = snapshot.base_file if snapshot else None
        self.tasks = frozenset(snapshot.task_slugs if snapshot else ())
        self.findings = findings
        self.seen: dict[tuple[str, str], str] = {}
        self.failing: dict[int, list[str]] = defaultdict(list)

    def patch(self, unit: UnitFiles, member: Member) -> None:
        key = (unit.task, member.sha256)
        if key not in self.seen:
            self.seen[key] = self._why_not(unit.task, member)
        if why := self.seen[key]:
            name = member.name.rpartition("/")[2]
            self.failing[unit.run].append(f"{unit.task}/{name} ({why})")

    def tell(self) -> None:
        for run, patches in sorted(self.failing.items()):
            rest = len(patches) - LISTED_PER_CODE
            more = f"; and {rest} more" if rest > 0 else ""
            self.findings.warning(
                Code.PATCH_DOES_NOT_APPLY,
                f"runs/{run}",
                saw=f"{len(patches)} that cannot be applied: "
                + "; ".join(patches[:LISTED_PER_CODE])
                + more,
                fix="Make each with git diff --binary against the base commit of its "
                "task. As they stand, these task runs are scored as not completed.",
            )

    def _why_not(self, task: str, member: Member) -> str:
        """Why a patch does not apply, in a few words; empty if nothing speaks for it.

        What is hostile about it is noted on the way.
        """
        try:
            files = read_patch(member.path.read_bytes())
        except PatchTextError as error:
            return str(error)
        self._hostile(files, member)
        if self.base_file is None or task not in self.tasks:
            return ""
        touched: set[bytes] = set()
        for each in files:
            # A second change of the same file builds on the first one.
            if touched.isdisjoint(each.paths) and not any(map(unsafe_path, each.paths)):
                why = self._why_file(task, each)
                if why:
                    return why
            touched.update(each.paths)
        return ""

    def _why_file(self, task: str, patch: FilePatch) -> str:
        assert self.base_file is not None  # noqa: S101 - asked by the caller
        if patch.old is None:
            new = patch.new or b""
            there = self.base_file(task, new) is not None
            return f"{shown(new)} is there already" if there else ""
        base = self.base_file(task, patch.old)
        if base is None:
            return f"the base has no {shown(patch.old)}"
        missing = None if patch.is_binary else missing_hunk(patch, base)
        if missing is None:
            return ""
        return f"{shown(patch.old)}: the lines expected at {missing.line} are not there"

    def _hostile(self, files: Sequence[FilePatch], member: Member) -> None:
        paths = sorted({path for each in files for path in each.paths})
        for path in filter(unsafe_path, paths):
            self.findings.error(
                Code.PATCH_HOSTILE,
                member.name,
                saw=f"a change of {shown(path)}, which leads out of the project",
                fix="Make the patch with git diff inside the project; it holds no such "
                "paths.",
            )
        links = sorted({each.new or b"" for each in files if each.mode in LINK_MODES})
        if links:
            self.findings.warning(
                Code.PATCH_LINK,
                member.name,
                saw=f"a symbolic link or submodule: {', '.join(map(shown, links[:5]))}",
                fix="Leave it out of the patch: only regular files are allowed, and "
                "outside of installed packages the task run is scored as not applied.",
            )
