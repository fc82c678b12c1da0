"""Where the workspace of an agent lay, as far as its calls tell."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import Enum, auto

from submissions.integrity import tools
from submissions.integrity.steps import Step

_ENOUGH = 20
# Packages, compilers and scratch files lie outside of every workspace.
_TOOLS = re.compile(
    r"^/(?:tmp|var/tmp|var/folders|usr|bin|sbin|opt|lib|lib64|dev|nix|snap|Applications"
    r"|private/tmp|proc/(?:cpuinfo|meminfo|version))(?:/|$)"
    r"|(?:^|/)(?:sdk|command-line-tools|node_modules|oh_modules|\.?ohpm|\.?hvigor|\.npm"
    r"|\.cache|deveco[\w.-]*|hmscore|openharmony-sdk|\.gradle)(?:/|$)",
    re.IGNORECASE,
)
_SENSITIVE = re.compile(
    r"^/(?:proc|sys|etc|boot)(?:/|$)"
    r"|(?:^|/)\.(?:ssh|aws|kube|docker|netrc|git-credentials|bash_history)(?:/|$)"
)
# How projects look, for tasks whose files are not held here.
_PROJECT = re.compile(
    r"^(/.{1,300}?)/(?:entry|AppScope|products|features|commons?|oh-package\.json5"
    r"|build-profile\.json5)(?:/|$)"
)
_DRIVE = re.compile(r"^[A-Za-z]:/")


class Place(Enum):
    INSIDE = auto()
    TOOLS = auto()
    ELSEWHERE = auto()
    SENSITIVE = auto()
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class Root:
    """The folder of the workspace; "" where no call tells it.

    ``known`` are files and folders of the task's project and of the submitted patch.
    """

    folder: str = ""
    known: Collection[str] = frozenset()

    def relative(self, path: str) -> str:
        """A path as it stands inside the project, where it lies inside of it."""
        if self.folder and f"{path}/".startswith(f"{self.folder}/"):
            return path[len(self.folder) + 1 :]
        return path

    def is_known(self, path: str) -> bool:
        """Whether the project has such a file or folder."""
        return path.rstrip("/") in self.known

    def place_of(self, path: str) -> Place:
        """Where a path leads; what cannot be told is nobody's fault."""
        if path.startswith("~"):
            path = f"/home/{path[1:].lstrip('/')}"
        if not _is_absolute(path):
            return Place.ELSEWHERE if path.startswith("../") else Place.INSIDE
        if self.folder and f"{path}/".startswith(f"{self.folder}/"):
            return Place.INSIDE
        if self.folder and f"{self.folder}/".startswith(f"{path}/"):
            return Place.TOOLS
        if path.lstrip("/") in self.known:
            return Place.INSIDE
        if _TOOLS.search(path):
            return Place.TOOLS
        if _SENSITIVE.search(path) and path.count("/") > 1:
            return Place.SENSITIVE
        if not self.folder or path.count("/") < 2:
            return Place.UNKNOWN
        return Place.ELSEWHERE


def with_folders(paths: Iterable[str]) -> frozenset[str]:
    """The paths, and every folder above one of them."""
    found = set(paths)
    for path in tuple(found):
        while path := path.rpartition("/")[0]:
            found.add(path)
    return frozenset(found)


def find_root(steps: Iterable[Step], known: Collection[str]) -> Root:
    """The folder below which the calls find files of the project.

    Without such a call, the folder in which commands are run, if it is named.
    """
    votes: Counter[str] = Counter()
    run_in: Counter[str] = Counter()
    for step in steps:
        for call in step.calls:
            for name in ("cwd", "workdir", "working_directory"):
                folder = call.arguments.get(name)
                if isinstance(folder, str) and folder.startswith("/"):
                    run_in[tools.plain_path(folder)] += 1
            for path in tools.named_paths(call):
                if folder := _folder_above(path, known):
                    votes[folder] += 1
        if votes.total() >= _ENOUGH:
            break
    best = (votes or run_in).most_common(1)
    return Root(best[0][0] if best else "", known)


def _folder_above(path: str, known: Collection[str]) -> str:
    """What stands in front of a known file, or of what looks like one, in a path."""
    if not _is_absolute(path):
        return ""
    names = path.split("/")
    for place in range(1, len(names)):
        if "/".join(names[place:]) in known:
            return "/".join(names[:place])
    found = None if known else _PROJECT.match(path)
    return found[1] if found else ""


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or bool(_DRIVE.match(path))
