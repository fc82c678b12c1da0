"""Writing members to the spool folder, within the budgets."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from submissions.archive.limits import ArchiveLimits
from submissions.findings import Code, Finding, Findings


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a bundle; ``path`` lies in the spool and is named by ``sha256``."""

    name: str
    size_bytes: int
    sha256: str
    path: Path

    def read(self) -> bytes:
        return self.path.read_bytes()


class UnreadableError(Exception):
    """Reading the archive cannot go on; the reason is among the findings."""


class MemberError(Exception):
    """One member is refused; the others can still be read."""

    def __init__(self, code: Code, *, saw: str, fix: str) -> None:
        self.code = code
        self.saw = saw
        self.fix = fix
        super().__init__(saw)


def too_large(saw: str, limit: int) -> MemberError:
    return MemberError(
        Code.MEMBER_TOO_LARGE, saw=saw, fix=f"Keep each file within {limit} bytes."
    )


class Budget:
    """Counts unpacked bytes of one archive and stops at the first one too many.

    ``allowance`` is what the container itself may add to its files.
    """

    def __init__(
        self,
        limits: ArchiveLimits,
        *,
        archive_bytes: int,
        findings: Findings,
        allowance: int = 0,
    ) -> None:
        self.limits = limits
        self.allowance = allowance
        self.archive_bytes = archive_bytes
        self.findings = findings
        self.total = 0

    def spend(self, count: int) -> None:
        self.total += count
        finding = self.verdict(self.total)
        if finding is not None:
            self.findings.add(finding)
            raise UnreadableError

    def verdict(self, total: int) -> Finding | None:
        """What is wrong with ``total`` unpacked bytes, declared or real."""
        limits = self.limits
        if total > limits.total_bytes + self.allowance:
            return Finding(
                Code.ARCHIVE_TOO_LARGE,
                "the archive",
                f"more than {limits.total_bytes} bytes when unpacked",
                f"Keep the unpacked files within {limits.total_bytes} bytes together.",
            )
        packed = max(self.archive_bytes, 1)
        if total > limits.ratio_from_bytes and total > limits.ratio * packed:
            return Finding(
                Code.ARCHIVE_RATIO,
                "the archive",
                f"{self.archive_bytes} bytes that unpack to more than "
                f"{limits.ratio} times as much",
                "Shorten repetitive logs and trajectories.",
            )
        return None


class Spool:
    """A folder of files named by their content; undoes its own work on an error.

    Files are created exclusively and without following links, under names made here.
    """

    def __init__(self, folder: Path, *, budget: Budget) -> None:
        self.folder = folder
        self.budget = budget
        self.created: set[str] = set()

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.descriptor = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self.discard()
        os.close(self.descriptor)

    def discard(self) -> None:
        """Remove what this spool added to the folder."""
        for digest in self.created:
            os.unlink(digest, dir_fd=self.descriptor)
        self.created.clear()

    def store(self, name: str, chunks: Iterator[bytes]) -> Member:
        """Write one member; ``MemberError`` from ``chunks`` leaves nothing behind."""
        temporary = f"incoming-{secrets.token_hex(16)}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        handle = os.open(temporary, flags, 0o600, dir_fd=self.descriptor)
        try:
            with os.fdopen(handle, "wb") as target:
                digest, size = self._copy(chunks, target.write)
            self._keep(temporary, digest)
        except BaseException:
            os.unlink(temporary, dir_fd=self.descriptor)
            raise
        return Member(name, size, digest, self.folder / digest)

    def _copy(
        self, chunks: Iterator[bytes], write: Callable[[bytes], int]
    ) -> tuple[str, int]:
        hashing = hashlib.sha256()
        size = 0
        limit = self.budget.limits.member_bytes
        for chunk in chunks:
            size += len(chunk)
            if size > limit:
                raise too_large(f"more than {limit} bytes", limit)
            self.budget.spend(len(chunk))
            hashing.update(chunk)
            write(chunk)
        return hashing.hexdigest(), size

    def _keep(self, temporary: str, digest: str) -> None:
        """Give the file its name; whatever had that name before is replaced."""
        try:
            os.stat(digest, dir_fd=self.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            self.created.add(digest)
        os.rename(
            temporary,
            digest,
            src_dir_fd=self.descriptor,
            dst_dir_fd=self.descriptor,
        )
