"""What the gate answers, and within which limits it works."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from evaluator.verdicts import FailReason

MIB = 1024 * 1024


class GateError(Exception):
    """The gate could not decide: our own trouble, never the patch's doing."""


class ProblemCode(StrEnum):
    """What can be wrong with a patch. The last three mean that it does not apply."""

    PATCH_TOO_LARGE = "patch_too_large"
    TOO_MANY_FILES = "too_many_files"
    TOO_COSTLY = "too_costly"
    FILE_TOO_LARGE = "file_too_large"
    LINK = "link"
    SUBMODULE = "submodule"
    MODE = "mode"
    GIT_PATH = "git_path"
    UNSAFE_PATH = "unsafe_path"
    PATH_ENCODING = "path_encoding"
    PATH_NOT_NFC = "path_not_nfc"
    PATH_CHARACTERS = "path_characters"
    PATH_TOO_LONG = "path_too_long"
    NAME_COLLISION = "name_collision"
    PATH_CONFLICT = "path_conflict"
    BINARY = "binary"
    MALFORMED = "malformed"
    CRLF_MISMATCH = "crlf_mismatch"
    DOES_NOT_APPLY = "does_not_apply"

    @property
    def means_not_applied(self) -> bool:
        return self in (self.MALFORMED, self.CRLF_MISMATCH, self.DOES_NOT_APPLY)

    @property
    def is_about_the_mode(self) -> bool:
        return self in (self.LINK, self.SUBMODULE, self.MODE)


@dataclass(frozen=True, slots=True)
class PatchProblem:
    """One finding that keeps a patch out; ``path`` is empty when it is about them all.

    ``path`` and ``detail`` are safe to show: no control characters, no host paths.
    """

    code: ProblemCode
    path: str
    detail: str


@dataclass(frozen=True, slots=True)
class PatchLimits:
    """How much a patch may ask for.

    ``file_bytes`` and ``total_bytes`` bound the files that result, ``binary_bytes``
    what a patch declares in binary parts. ``seconds`` is wall time: running out of it
    is our own trouble, while running out of ``cpu_seconds`` is the patch's.
    """

    patch_bytes: int = 8 * MIB
    files: int = 2000
    binary_bytes: int = 8 * MIB
    file_bytes: int = 8 * MIB
    total_bytes: int = 64 * MIB
    image_bytes: int = 1 * MIB
    memory_bytes: int = 1024 * MIB
    cpu_seconds: int = 30
    seconds: int = 60


DEFAULT_LIMITS = PatchLimits()


@dataclass(frozen=True, slots=True)
class GateResult:
    """The gate's answer on one patch.

    ``applies`` is False only when git could not fit the patch on the base; one that is
    refused for what it is counts as applying. ``empty`` says that the workspace equals
    its base, also because everything that changed was put back. ``restored`` are the
    protected paths that were put back, ``flags`` are notes for an audit ("code path"),
    and ``changed_paths`` is what differs from the base in the workspace (for a refused
    patch: what it would have changed).
    """

    accepted: bool
    applies: bool
    empty: bool
    problems: tuple[PatchProblem, ...] = ()
    restored: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    changed_paths: tuple[str, ...] = ()

    @property
    def fail_reason(self) -> FailReason | None:
        """Why the task run ends here, or None when the workspace is there."""
        if self.accepted:
            return None
        if self.applies:
            return FailReason.PATCH_REJECTED
        return FailReason.PATCH_DOES_NOT_APPLY


def refused(*problems: PatchProblem, changed: tuple[str, ...] = ()) -> GateResult:
    """The answer on a patch that is kept out for ``problems``."""
    return GateResult(
        accepted=False,
        applies=not all(problem.code.means_not_applied for problem in problems),
        empty=False,
        problems=problems,
        changed_paths=changed,
    )


def shown(path: bytes) -> str:
    """A path for people: what is not plain printable text is escaped."""
    text = path.decode("utf-8", "backslashreplace")
    return "".join(
        character
        if character.isprintable()
        else character.encode("unicode_escape").decode()
        for character in text
    )
