"""Archives that would fill memory, disk or time, with ceilings on all three.

They are made here and not checked in. Each is read in a process of its own, so that
the peak of its memory is its own too.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from submissions.archive import ArchiveError, open_bundle
from submissions.findings import Code
from tests.submissions.corpus import tars, zips

MIB = 1024 * 1024
MEMORY_CEILING = 256 * MIB
# Of the processor in our own code. What the kernel takes to make a file depends on the
# disk and on its neighbours: twenty thousand took 2 s here and 5 s there.
USER_SECONDS_CEILING = 5
ROOT = Path(__file__).parents[2]

READ = """
import resource, sys
from pathlib import Path
from submissions.archive import ArchiveError, open_bundle
try:
    open_bundle(Path(sys.argv[1]), spool=Path(sys.argv[2]))
    codes = "accepted"
except ArchiveError as error:
    codes = ",".join(sorted({each.code.value for each in error.findings}))
seconds = resource.getrusage(resource.RUSAGE_SELF).ru_utime
if sys.platform == "linux":
    # The usage of a process counts its parent before the exec; its map does not.
    status = Path("/proc/self/status").read_text()
    peak = int(status.partition("VmHWM:")[2].split()[0]) * 1024
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(codes, seconds, peak)
"""


def deflated_zeros(size: int, *, window: int = -zlib.MAX_WBITS) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, window)
    block = bytes(MIB)
    pieces = [packer.compress(block) for _ in range(size // MIB)]
    return b"".join(pieces) + packer.flush()


def zip_of_zeros(sizes: list[int], declared: int | None = None) -> bytes:
    packed = {size: deflated_zeros(size) for size in set(sizes)}
    crc = {size: zlib.crc32(bytes(size)) for size in set(sizes)}
    entries = []
    for index, size in enumerate(sizes):
        fields = {"crc": crc[size]}
        entry = zips.Entry(
            f"runs/{index % 90 + 1}/task-{index // 90}/build.log",
            method=zips.DEFLATED,
            packed=packed[size],
            size=size if declared is None else declared,
            local=fields,
            central=fields,
        )
        entries.append(entry)
    return zips.write_zip(entries)


def quoted_overlap(count: int) -> bytes:
    """Every file's data contains the following files: a small zip of a huge size."""
    kernel = deflated_zeros(16 * MIB)
    crc = zlib.crc32(bytes(16 * MIB))
    fields = {"crc": crc, "size": 16 * MIB, "packed_size": len(kernel)}
    first = zips.Entry("manifest.json", method=zips.DEFLATED, packed=kernel)
    first.local = first.central = fields
    data = zips.local_header(first) + kernel
    directory = zips.central_header(first, 0)
    for index in range(count):
        name = f"runs/{index % 90 + 1}/task-{index // 90}/build.log"
        twin = zips.Entry(name, method=zips.DEFLATED, packed=kernel, central=fields)
        directory += zips.central_header(twin, 0)
    end = struct.pack(
        "<4s4H2LH",
        b"PK\x05\x06",
        0,
        0,
        count + 1,
        count + 1,
        len(directory),
        len(data),
        0,
    )
    return data + directory + end


def tar_of_zeros(size: int) -> bytes:
    header = tars.header(
        tars.Entry("runs/1/alpha-task/build.log", size=b"%011o" % size)
    )
    packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    block = bytes(MIB)
    pieces = [packer.compress(header)]
    pieces += [packer.compress(block) for _ in range(size // MIB)]
    return b"".join(pieces) + packer.compress(tars.END) + packer.flush()


def many_entries(count: int) -> bytes:
    entries = [
        tars.Entry(f"runs/{index % 90 + 1}/task-{index // 90}/build.log")
        for index in range(count)
    ]
    return tars.gzipped(tars.write_tar(entries))


BOMBS = {
    "ratio": (lambda: zip_of_zeros([60 * MIB] * 10), Code.ARCHIVE_RATIO),
    "total": (lambda: zip_of_zeros([60 * MIB] * 40), Code.ARCHIVE_TOO_LARGE),
    "large-member": (lambda: zip_of_zeros([200 * MIB]), Code.MEMBER_TOO_LARGE),
    "size-lie": (lambda: zip_of_zeros([200 * MIB], declared=10), Code.MEMBER_SIZE),
    "overlap": (lambda: quoted_overlap(2), Code.ARCHIVE_OVERLAP),
    "many-overlaps": (lambda: quoted_overlap(9000), Code.ARCHIVE_TOO_LARGE),
    "tar-ratio": (lambda: tar_of_zeros(512 * MIB), Code.ARCHIVE_RATIO),
    "tar-entries": (lambda: many_entries(20_001), Code.ARCHIVE_TOO_MANY_ENTRIES),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_within_memory_time_and_disk(name, tmp_path):
    make, code = BOMBS[name]
    archive = tmp_path / "bomb"
    archive.write_bytes(make())
    spool = tmp_path / "spool"
    command = [sys.executable, "-c", READ, str(archive), str(spool)]

    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=600
    )
    codes, seconds, peak = done.stdout.split()

    assert code.value in codes.split(",")
    assert float(seconds) < USER_SECONDS_CEILING
    assert int(peak) < MEMORY_CEILING
    assert sum(path.stat().st_size for path in spool.iterdir()) == 0


def test_a_nested_archive_is_never_opened(tmp_path):
    inner = zip_of_zeros([60 * MIB])
    log = zips.Entry("runs/1/alpha-task/build.log", inner)
    archive = tmp_path / "nested.zip"
    archive.write_bytes(zips.write_zip([log]))

    (member,) = open_bundle(archive, spool=tmp_path / "spool")

    assert member.size_bytes == len(inner)


def test_a_bomb_behind_a_good_start_leaves_no_files(tmp_path):
    good = tars.Entry("manifest.json", b"{}")
    zeros = tars.Entry("runs/1/alpha-task/build.log", bytes(16 * MIB))
    entries = [good] + [
        tars.Entry(f"runs/{run}/alpha-task/build.log", zeros.data)
        for run in range(1, 7)
    ]
    archive = tmp_path / "late.tar.gz"
    archive.write_bytes(tars.gzipped(tars.write_tar(entries)))

    with pytest.raises(ArchiveError, match="200 times"):
        open_bundle(archive, spool=tmp_path / "spool")

    assert list((tmp_path / "spool").iterdir()) == []


def test_twenty_thousand_honest_files_are_read_in_seconds(tmp_path):
    entries = [
        zips.Entry(f"runs/{run}/task-{task}/usage.json", b'{"total_tokens": %d}' % task)
        for run in range(1, 51)
        for task in range(400)
    ]
    archive = tmp_path / "many.zip"
    archive.write_bytes(zips.write_zip(entries))
    begin = os.times().user

    members = open_bundle(archive, spool=tmp_path / "spool")

    assert len(members) == 20_000
    assert os.times().user - begin < 20
