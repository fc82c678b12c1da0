"""The gate itself: base + patch = workspace, or the reasons why not."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Collection
from pathlib import Path

from evaluator.patches import content, failures
from evaluator.patches.protected import is_protected
from evaluator.patches.repository import Applied, Entry, PrivateRepository, Tree
from evaluator.patches.results import (
    DEFAULT_LIMITS,
    GateResult,
    PatchLimits,
    PatchProblem,
    ProblemCode,
    refused,
    shown,
)
from evaluator.patches.rules import entry_problems, tree_problems
from evaluator.sandbox import Sandbox, open_sandbox
from evaluator.workspaces import (
    WorkspaceError,
    copy_project,
    project_files,
    remove_tree,
    set_mode,
)

_BINARY_SIZE = re.compile(rb"^(?:literal|delta) (\d+)\r?$", re.MULTILINE)


def apply_patch(
    base: Path,
    patch: bytes,
    workspace: Path,
    *,
    allowed_build_paths: Collection[str] = (),
    limits: PatchLimits = DEFAULT_LIMITS,
    sandbox: Sandbox | None = None,
) -> GateResult:
    """Make ``workspace`` out of the project at ``base``, if the gate accepts ``patch``.

    ``workspace`` must not exist, and does not exist afterwards unless the patch was
    accepted. ``patch`` is taken byte for byte: no fuzz, no merge, no other line ends.
    ``allowed_build_paths`` are exceptions from the paths that are put back from the
    base. git reads the patch inside ``sandbox``, or under the same limits on the host.

    Raises ``GateError`` or ``WorkspaceError`` when that says nothing about the patch.
    """
    if workspace.exists() or workspace.is_symlink():
        raise WorkspaceError(f"{workspace} exists already.")
    if too_large := _size_problem(patch, limits):
        return refused(too_large)
    if not patch.strip():
        copy_project(base, workspace)
        return GateResult(accepted=True, applies=True, empty=True)
    with tempfile.TemporaryDirectory(prefix="ohb-gate-") as folder:
        repository = PrivateRepository(Path(folder))
        before = repository.store_project(base, project_files(base))
        repository.load_index(before)
        applied = repository.apply(
            patch, sandbox=sandbox or open_sandbox("none"), limits=limits
        )
        if not applied.ok:
            return _not_applied(applied, patch, repository, before)
        judgement = _Judgement(
            repository, before, limits, frozenset(allowed_build_paths)
        )
        result = judgement.result(repository.index())
        if result.accepted:
            copy_project(base, workspace)
            try:
                judgement.write(workspace)
            except BaseException:
                remove_tree(workspace)
                raise
        return result


def _size_problem(patch: bytes, limits: PatchLimits) -> PatchProblem | None:
    if len(patch) > limits.patch_bytes:
        detail = f"has {len(patch)} bytes; {limits.patch_bytes} are allowed"
        return PatchProblem(ProblemCode.PATCH_TOO_LARGE, "", detail)
    # Sizes of 16 digits and more are cut, so that no number is too long to read.
    sizes = _BINARY_SIZE.findall(patch) if b"GIT binary patch" in patch else []
    declared = sum(int(size[:16]) for size in sizes)
    if declared > limits.binary_bytes:
        detail = (
            f"binary parts hold {declared} bytes; {limits.binary_bytes} are allowed"
        )
        return PatchProblem(ProblemCode.PATCH_TOO_LARGE, "", detail)
    return None


def _not_applied(
    applied: Applied, patch: bytes, repository: PrivateRepository, before: Tree
) -> GateResult:
    if applied.died:
        detail = "git needs more memory or time for it than the gate gives"
        return refused(PatchProblem(ProblemCode.TOO_COSTLY, "", detail))

    def old_content(path: bytes) -> bytes | None:
        entry = before.get(path)
        return None if entry is None else repository.read(entry.blob, most=1 << 24)

    return refused(*failures.explain(applied.message, patch, old_content))


class _Judgement:
    """One patched tree, judged; then written."""

    def __init__(
        self,
        repository: PrivateRepository,
        before: Tree,
        limits: PatchLimits,
        allowed: frozenset[str],
    ) -> None:
        self._repository = repository
        self._before = before
        self._limits = limits
        self._allowed = {path.encode() for path in allowed}
        self._changes: dict[bytes, Entry | None] = {}
        self._contents: dict[bytes, bytes] = {}

    def result(self, patched: Tree) -> GateResult:
        before = self._before
        changed = sorted(
            path
            for path in {*before, *patched}
            if before.get(path) != patched.get(path)
        )
        listed = tuple(map(shown, changed[: self._limits.files]))
        if len(changed) > self._limits.files:
            detail = f"changes {len(changed)} files; {self._limits.files} are allowed"
            return refused(PatchProblem(ProblemCode.TOO_MANY_FILES, "", detail))
        problems = [
            problem
            for path in changed
            if (after := patched.get(path)) is not None
            for problem in entry_problems(path, before.get(path), after)
            # What is put back is never written: a hvigorw made executable, or the
            # links of an installed oh_modules, do no harm.
            if not (problem.code.is_about_the_mode and self._is_restored(path))
        ]
        if problems:
            return refused(*problems, changed=listed)
        restored = [path for path in changed if self._is_restored(path)]
        self._changes = {
            path: patched.get(path) for path in changed if path not in set(restored)
        }
        problems = self._content_problems()
        if problems:
            return refused(*problems, changed=listed)
        flags = []
        for path in list(self._changes):
            old, new = self._old(path), self._contents.get(path)
            if content.changes_signing(path, old, new) and path not in self._allowed:
                restored.append(path)
                del self._changes[path]
            else:
                flags += [
                    f"{code} {shown(path)}" for code in content.notes(path, old, new)
                ]
        problems = list(tree_problems(before, self._final()))
        if problems:
            return refused(*problems, changed=listed)
        return GateResult(
            accepted=True,
            applies=True,
            empty=not self._changes,
            restored=tuple(map(shown, sorted(restored))),
            flags=tuple(flags),
            changed_paths=tuple(map(shown, self._changes)),
        )

    def _is_restored(self, path: bytes) -> bool:
        return is_protected(path) and path not in self._allowed

    def _content_problems(self) -> list[PatchProblem]:
        known = {entry.blob for entry in self._before.values()}
        problems = []
        left = self._limits.total_bytes
        for path, entry in self._changes.items():
            if entry is None:
                continue
            room = min(self._limits.file_bytes, left)
            found = self._repository.read(entry.blob, most=room)
            if found is None:
                detail = f"has more than {room} bytes ({left} are left for all files)"
                problems.append(
                    PatchProblem(ProblemCode.FILE_TOO_LARGE, shown(path), detail)
                )
                continue
            left -= len(found)
            self._contents[path] = found
            # What the base holds already may be moved about, whatever it is.
            if entry.blob not in known and (
                detail := content.binary_problem(
                    path, found, image_bytes=self._limits.image_bytes
                )
            ):
                problems.append(PatchProblem(ProblemCode.BINARY, shown(path), detail))
        return problems

    def _old(self, path: bytes) -> bytes | None:
        entry = self._before.get(path)
        if entry is None:
            return None
        return self._repository.read(entry.blob, most=1 << 24)

    def _final(self) -> Tree:
        final = {**self._before, **self._changes}
        return {path: entry for path, entry in final.items() if entry is not None}

    def write(self, workspace: Path) -> None:
        """Bring the accepted changes into ``workspace``, a copy of the base."""
        for path, entry in self._changes.items():
            if entry is None:
                _remove(workspace, path)
        for path, entry in self._changes.items():
            if entry is not None:
                target = workspace / os.fsdecode(path)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.unlink(missing_ok=True)
                with target.open("xb") as stream:
                    stream.write(self._contents[path])
                set_mode(target, entry.mode)


def _remove(workspace: Path, path: bytes) -> None:
    """Remove a file, and the folders that are empty without it."""
    target = workspace / os.fsdecode(path)
    target.unlink()
    for folder in target.parents:
        if folder == workspace or any(folder.iterdir()):
            return
        folder.rmdir()
