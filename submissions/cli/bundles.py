"""A bundle on this machine: an archive, or a folder that is packed for the occasion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from submissions.archive import ArchiveError, pack_folder
from submissions.cli.errors import FindingsExit, Told, told
from submissions.comparability import SnapshotFacts
from submissions.validation import validate


@contextmanager
def as_archive(path: Path) -> Iterator[Path]:
    """The archive itself, or one made of the folder, which is gone afterwards."""
    if not path.is_dir():
        yield path
        return
    with TemporaryDirectory(prefix="ohbench-") as folder:
        try:
            packed = pack_folder(path, Path(folder, "bundle.zip"))
        except ArchiveError as error:
            raise FindingsExit(
                f"{path} cannot be packed.", told(error.findings)
            ) from None
        yield packed


def checked(
    archive: Path,
    *,
    snapshot_for: Callable[[str, str], SnapshotFacts | None],
    known_versions: Sequence[str],
) -> list[Told]:
    """Everything that is to be said of an archive, found on this machine."""
    with TemporaryDirectory(prefix="ohbench-") as folder:
        _, report = validate(
            archive,
            spool=Path(folder, "spool"),
            snapshot_for=snapshot_for,
            known_versions=known_versions,
        )
    return told(report.findings)
