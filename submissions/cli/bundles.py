"""A bundle on this machine: an archive, or a folder that is packed for the occasion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from submissions.archive import pack_folder
from submissions.cli.errors import Told, told
from submissions.comparability import SnapshotFacts
from submissions.findings import Finding, Findings
from submissions.validation import validate


class LocalBundle(NamedTuple):
    """An archive, and what speaks against the folder it was made of."""

    archive: Path
    findings: tuple[Finding, ...] = ()


@contextmanager
def as_archive(path: Path) -> Iterator[LocalBundle]:
    """The archive itself, or one made of the folder, which is gone afterwards."""
    if not path.is_dir():
        yield LocalBundle(path)
        return
    with TemporaryDirectory(prefix="ohbench-") as folder:
        findings = Findings()
        packed = pack_folder(path, Path(folder, "bundle.zip"), findings=findings)
        yield LocalBundle(packed, findings.all())


def checked(
    bundle: LocalBundle,
    *,
    snapshot_for: Callable[[str, str], SnapshotFacts | None],
    known_versions: Sequence[str],
) -> list[Told]:
    """Everything that is to be said of a bundle, found on this machine."""
    with TemporaryDirectory(prefix="ohbench-") as folder:
        _, report = validate(
            bundle.archive,
            spool=Path(folder, "spool"),
            snapshot_for=snapshot_for,
            known_versions=known_versions,
        )
    return told((*bundle.findings, *report.findings))
