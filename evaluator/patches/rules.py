"""Rules on the shape of a tree: what no patch may bring about. Severity R."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from itertools import accumulate

from evaluator.patches.repository import Entry, Tree
from evaluator.patches.results import PatchProblem, ProblemCode, shown
from evaluator.workspaces import EXECUTABLE, LINK, REGULAR

_SUBMODULE = "160000"
_LONGEST_PATH, _LONGEST_NAME = 1024, 255
# Control, formatting (bidirectional marks among them), surrogate, private use, breaks.
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
_SHORT_GIT_NAME = re.compile(r"git~\d", re.IGNORECASE)
# Names that begin like git's own and mean nothing to git's plumbing; other rules apply.
HARMLESS_GIT_NAMES = {
    *(".gitignore", ".gitkeep", ".github", ".gitlab", ".gitlab-ci.yml"),
    *(".gitee", ".gitea", ".gitcode"),
}


def entry_problems(
    path: bytes, before: Entry | None, after: Entry
) -> Iterator[PatchProblem]:
    """What is wrong with one file that a patch adds or changes."""
    for code, detail in (*_mode_problems(before, after), *_path_problems(path)):
        yield PatchProblem(code, shown(path), detail)


def _mode_problems(
    before: Entry | None, after: Entry
) -> Iterator[tuple[ProblemCode, str]]:
    if after.mode == LINK:
        yield ProblemCode.LINK, "is a symbolic link; only regular files are allowed"
    elif after.mode == _SUBMODULE:
        yield ProblemCode.SUBMODULE, "is a submodule; only regular files are allowed"
    elif before is None and after.mode != REGULAR:
        yield (
            ProblemCode.MODE,
            f"is new with mode {after.mode}; new files have {REGULAR}",
        )
    elif before is not None and after.mode != before.mode:
        yield (
            ProblemCode.MODE,
            f"changes its mode from {before.mode} to {after.mode}; leave modes alone",
        )
    elif after.mode not in (REGULAR, EXECUTABLE):
        yield ProblemCode.MODE, f"has mode {after.mode}; only regular files are allowed"


def _path_problems(path: bytes) -> Iterator[tuple[ProblemCode, str]]:
    if len(path) > _LONGEST_PATH:
        yield ProblemCode.PATH_TOO_LONG, f"is longer than {_LONGEST_PATH} bytes"
    if any(len(name) > _LONGEST_NAME for name in path.split(b"/")):
        yield ProblemCode.PATH_TOO_LONG, f"has a name of over {_LONGEST_NAME} bytes"
    try:
        text = path.decode("utf-8")
    except UnicodeDecodeError:
        yield ProblemCode.PATH_ENCODING, "is not UTF-8"
        return
    if not unicodedata.is_normalized("NFC", text):
        yield ProblemCode.PATH_NOT_NFC, "is not in Unicode normal form C"
    if "\\" in text or any(unicodedata.category(char) in _HIDDEN for char in text):
        yield (
            ProblemCode.PATH_CHARACTERS,
            "holds a backslash, a control character or an invisible character",
        )
    names = text.split("/")
    if any(name in ("", ".", "..") for name in names):
        yield ProblemCode.UNSAFE_PATH, "leads out of the project"
    if any(map(_is_git_name, names)):
        yield ProblemCode.GIT_PATH, "belongs to git itself"


def _is_git_name(name: str) -> bool:
    folded = name.casefold()
    if _SHORT_GIT_NAME.match(folded):
        return True
    return folded.startswith(".git") and folded not in HARMLESS_GIT_NAMES


def tree_problems(base: Tree, final: Tree) -> Iterator[PatchProblem]:
    """Names in ``final`` that cannot stand side by side on every file system.

    What the base itself has is its own affair.
    """
    known = {prefix for path in base for prefix in _prefixes(path)}
    spellings: defaultdict[str, set[bytes]] = defaultdict(set)
    for path in final:
        for prefix in _prefixes(path):
            spellings[_folded(prefix)].add(prefix)
            if prefix != path and prefix in final:
                detail = f"is a file, and {shown(path)} needs a folder of that name"
                yield PatchProblem(ProblemCode.PATH_CONFLICT, shown(prefix), detail)
    for same in spellings.values():
        if len(same) > 1 and not same <= known:
            first, *others = sorted(same)
            detail = f"differs only in case from {', '.join(map(shown, others))}"
            yield PatchProblem(ProblemCode.NAME_COLLISION, shown(first), detail)


def _prefixes(path: bytes) -> Iterator[bytes]:
    return accumulate(path.split(b"/"), lambda folder, name: folder + b"/" + name)


def _folded(path: bytes) -> str:
    text = unicodedata.normalize("NFC", path.decode("utf-8", "surrogateescape"))
    return unicodedata.normalize("NFC", text.casefold())
