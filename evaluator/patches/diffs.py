"""The canonical difference between a workspace and its base, as a git patch."""

from __future__ import annotations

import tempfile
from pathlib import Path

from evaluator.patches.protected import is_generated
from evaluator.patches.repository import PrivateRepository
from evaluator.workspaces import project_files

_FORM = [
    *("-r", "-p", "--binary", "--full-index", "--no-renames", "--no-color"),
    *("--no-ext-diff", "--no-textconv", "--unified=3", "--diff-algorithm=myers"),
    *("--indent-heuristic", "--src-prefix=a/", "--dst-prefix=b/"),
]


def diff(base: Path, workspace: Path) -> bytes:
    """Return the patch that makes ``workspace`` out of ``base``; empty if they agree.

    The same two trees give the same bytes on every machine with the same git. Files
    that tools leave behind (packages, build output, a .git folder) are left out unless
    the base has them; symbolic links are told as such, for the gate to refuse.
    """
    known = project_files(base)
    paths = {file.path for file in known}
    with tempfile.TemporaryDirectory(prefix="ohb-diff-") as folder:
        repository = PrivateRepository(Path(folder))
        files = [
            file
            for file in project_files(workspace, links=True)
            if file.path in paths or not is_generated(file.path)
        ]
        before = repository.store_project(base, known, contents=False)
        after = repository.store_project(workspace, files, contents=False)
        if before == after:
            return b""
        for top, listed in ((base, known), (workspace, files)):
            for file in listed:
                if before.get(file.path) != after.get(file.path):
                    repository.store_file(file.below(top))
        trees = [repository.write_tree(tree) for tree in (before, after)]
        return repository.run(["diff-tree", *_FORM, *trees])
