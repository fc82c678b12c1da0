"""The artifacts of one run as a zip: streamed, and the same bytes every time.

The standard library writes it, because time stamps must be fixed for two downloads to
be equal, and streaming libraries stamp entries with the time of the request.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from leaderboard.blobs import blob_chunks, blob_exists
from leaderboard.models import Artifact, Run

CHECKSUMS_NAME = "SHA256SUMS"
LEFT_OUT_NAME = "LEFT-OUT.txt"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # The earliest date that the zip format knows.
_REGULAR_FILE = 0o100644 << 16
# What surrounds the bytes of an entry: local header, data descriptor, directory entry.
_ENTRY_OVERHEAD, _END_RECORD = 30 + 16 + 46, 22


class Entry(NamedTuple):
    """One file of an archive; its bytes are looked up by ``sha256`` when needed."""

    name: str
    sha256: str
    size_bytes: int


class RunArchive:
    """The stored files of one run, below one folder a task, with their checksums."""

    def __init__(self, run: Run) -> None:
        artifacts = Artifact.objects.filter(run=run).select_related("task")
        self.entries: Sequence[Entry] = sorted(
            Entry(f"{each.task.slug}/{each.name}", each.sha256, each.size_bytes)
            for each in artifacts
            if not each.absence
        )
        # What is listed and not kept; empty, and not in the archive, where all is kept.
        self.left_out = "".join(
            f"{each.sha256}  {each.task.slug}/{each.name}  {each.size_bytes} bytes  "
            f"{each.absence}\n"
            for each in artifacts
            if each.absence
        ).encode()

    @property
    def checksums(self) -> bytes:
        """What ``sha256sum -c SHA256SUMS`` reads inside the unpacked folder."""
        lines = [f"{entry.sha256}  {entry.name}\n" for entry in self.entries]
        if self.left_out:
            digest = hashlib.sha256(self.left_out).hexdigest()
            lines.append(f"{digest}  {LEFT_OUT_NAME}\n")
        return "".join(lines).encode()

    @property
    def digest(self) -> str:
        """Changes exactly when the content does."""
        return hashlib.sha256(self.checksums).hexdigest()

    @property
    def size_bytes(self) -> int | None:
        """Length of the archive, or None where it needs the 64-bit extensions."""
        sized = [(entry.name, entry.size_bytes) for entry in self.entries]
        sized += [(name, len(content)) for name, content in self._notes()]
        total = _END_RECORD + sum(
            size + 2 * len(name.encode()) + _ENTRY_OVERHEAD for name, size in sized
        )
        # Both limits lie below the format's own, so that no entry needs an extension.
        return total if total < 2**31 and len(sized) < 2**15 else None

    def missing(self) -> list[Entry]:
        """Entries whose bytes are gone: an archive without them would lie."""
        return [entry for entry in self.entries if not blob_exists(entry.sha256)]

    def chunks(self) -> Iterator[bytes]:
        """The bytes of the archive; only one chunk of one file is in memory."""
        sink = _Sink()
        with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED) as archive:
            contents: Iterable[tuple[str, int, Iterable[bytes]]] = (
                (entry.name, entry.size_bytes, blob_chunks(entry.sha256))
                for entry in self.entries
            )
            for name, size, chunks in contents:
                yield from _written(
                    archive, sink, info=_info(name, size), chunks=chunks
                )
            for name, content in self._notes():
                info = _info(name, len(content))
                yield from _written(archive, sink, info=info, chunks=[content])
        yield sink.take()

    def _notes(self) -> list[tuple[str, bytes]]:
        """The files that are about the others, at the end of the archive."""
        left_out = [(LEFT_OUT_NAME, self.left_out)] if self.left_out else []
        return [*left_out, (CHECKSUMS_NAME, self.checksums)]


def _info(name: str, size_bytes: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, date_time=_EPOCH)
    info.create_system = 3  # Unix, whatever the server runs on.
    info.external_attr = _REGULAR_FILE
    info.file_size = size_bytes
    return info


def _written(
    archive: zipfile.ZipFile,
    sink: _Sink,
    *,
    info: zipfile.ZipInfo,
    chunks: Iterable[bytes],
) -> Iterator[bytes]:
    with archive.open(info, "w") as target:
        for chunk in chunks:
            target.write(chunk)
            yield sink.take()
    yield sink.take()


class _Sink(io.RawIOBase):
    """A file that cannot seek and keeps what was written until it is taken."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: bytes, /) -> int:  # type: ignore[override]  # zipfile writes bytes
        self._parts.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        taken = b"".join(self._parts)
        self._parts.clear()
        return taken
