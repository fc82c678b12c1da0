"""How much an upload may hold."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024
CHUNK_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """Every limit holds for declared sizes and for the bytes that really come.

    ``ratio`` bounds unpacked size over file size once more than
    ``ratio_from_bytes`` are unpacked; small archives may pack as well as they can.
    """

    upload_bytes: int = 512 * MIB
    entries: int = 20_000
    member_bytes: int = 64 * MIB
    total_bytes: int = 2048 * MIB
    ratio: int = 200
    ratio_from_bytes: int = 64 * MIB
