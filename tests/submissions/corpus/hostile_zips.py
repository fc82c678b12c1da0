"""Zips that must be refused: name of the attack, expected finding, bytes."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import replace

from submissions.findings import Code
from tests.submissions.corpus.contents import files
from tests.submissions.corpus.zips import (
    DEFLATED,
    DESCRIPTOR_FLAG,
    UTF8_FLAG,
    Entry,
    deflate,
    write_zip,
)

Case = tuple[str, Code, bytes]
LOG = "runs/1/alpha-task/build.log"
LINK = 0o120777
FOLDER = 0o040755


def honest() -> list[Entry]:
    return [Entry(name, data) for name, data in files().items()]


def extra(entry: Entry) -> bytes:
    """The honest bundle with one more entry."""
    return write_zip([*honest(), entry])


def changed(**fields: object) -> bytes:
    """The honest bundle with one log whose fields are overwritten."""
    return write_zip(
        [replace(e, **fields) if e.name == LOG else e for e in honest()]  # type: ignore[arg-type]  # any field of the dataclass
    )


def hostile_zips() -> Iterator[Case]:
    yield from _names()
    yield from _kinds()
    yield from _features()
    yield from _layouts()
    yield from _headers()
    yield from _contents()
    yield from _counts()


def _names() -> Iterator[Case]:
    names: dict[str, str | bytes] = {
        "zip-slip": "../../etc/cron.d/evil",
        "absolute": "/etc/passwd",
        "drive": "C:\\evil.txt",
        "backslash": "runs\\1\\alpha-task\\notes.txt",
        "nul": b"runs/1/alpha-task/usage.json\0.sh",
        "newline": "runs/1/alpha-task/build.log\nmanifest.json",
        "escape-sequence": "runs/1/alpha-task/\x1b[2J.log",
        "dot-segment": "runs/1/./alpha-task/usage.json",
        "double-slash": "runs//1/alpha-task/usage.json",
        "traversal-inside": "runs/1/alpha-task/../beta-task/usage.json",
        "run-zero": "runs/0/alpha-task/final.patch",
        "run-with-leading-zero": "runs/01/alpha-task/final.patch",
        "unknown-file": "runs/1/alpha-task/notes.txt",
        "nested-archive": "runs/1/alpha-task/more.zip",
        "git-folder": ".git/config",
        "macos-extras": "__MACOSX/._manifest.json",
        "empty-name": "",
        "long-slug": f"runs/1/{'a' * 81}/final.patch",
    }
    for name, value in names.items():
        yield f"name-{name}", Code.MEMBER_NAME, extra(Entry(value))
    fullwidth = Entry("runs／1／alpha-task／final.patch", flags=UTF8_FLAG)
    yield "name-fullwidth-slash", Code.MEMBER_NAME, extra(fullwidth)
    bidi = Entry("runs/1/alpha-task/\u202ehctap.lanif", flags=UTF8_FLAG)
    yield "name-bidi", Code.MEMBER_NAME, extra(bidi)
    yield "name-twice", Code.MEMBER_DUPLICATE, extra(Entry("manifest.json", b"{}"))
    upper = Entry("MANIFEST.JSON", b"{}")
    yield "name-twice-by-case", Code.MEMBER_DUPLICATE, extra(upper)
    folder = Entry("bin/", mode=FOLDER)
    yield "name-foreign-folder", Code.MEMBER_NAME, extra(folder)
    slash = Entry("manifest.json/", mode=FOLDER)
    yield "name-twice-as-folder", Code.MEMBER_DUPLICATE, extra(slash)


def _kinds() -> Iterator[Case]:
    link = changed(data=b"/etc/passwd", mode=LINK)
    yield "kind-symlink", Code.MEMBER_KIND, link
    yield "kind-device", Code.MEMBER_KIND, changed(mode=0o020666)
    yield "kind-fifo", Code.MEMBER_KIND, changed(mode=0o010644)
    yield "kind-setuid", Code.MEMBER_KIND, changed(mode=0o104755)
    yield "kind-dos-folder", Code.MEMBER_KIND, changed(mode=0, dos_attributes=0x10)
    folder = Entry("runs/1/", b"content", mode=FOLDER)
    yield "kind-folder-with-content", Code.MEMBER_KIND, extra(folder)


def _features() -> Iterator[Case]:
    feature = Code.ARCHIVE_FEATURE
    yield "feature-encrypted", Code.MEMBER_ENCRYPTED, changed(flags=1)
    yield "feature-bzip2", Code.MEMBER_COMPRESSION, changed(method=12)
    yield "feature-lzma", Code.MEMBER_COMPRESSION, changed(method=14)
    yield "feature-zstd", Code.MEMBER_COMPRESSION, changed(method=93)
    yield "feature-patch-data", feature, changed(flags=1 << 5)
    sizes = struct.pack("<2HQQ", 1, 16, 17, 17)
    yield "feature-zip64-extra", feature, changed(central={"extra": sizes})
    name = b"../../evil"
    second_name = struct.pack("<2HBL", 0x7075, 5 + len(name), 1, 0) + name
    yield "feature-second-name", feature, changed(central={"extra": second_name})
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, 0, 1)
    yield "feature-zip64-locator", feature, write_zip(honest(), before_end=locator)
    yield "feature-zip64-count", feature, write_zip(honest(), count=0xFFFF)
    yield "feature-several-parts", feature, write_zip(honest(), disk=1)
    yield "feature-entry-on-disk-2", feature, changed(central={"disk": 2})


def _layouts() -> Iterator[Case]:
    data = Code.ARCHIVE_EXTRA_DATA
    whole = write_zip(honest())
    script = b"#!/bin/sh\nexit 0\n" + whole
    yield "layout-script-before", Code.ARCHIVE_FORMAT, script
    yield "layout-prefix", data, b"PK prefix" + whole
    shifted = honest()
    shifted[0] = replace(shifted[0], gap_before=b"PK prefix")
    yield "layout-prefix-with-true-offsets", data, write_zip(shifted)
    yield "layout-suffix", data, whole + b"<script>alert(1)</script>"
    yield "layout-second-zip", data, whole + whole
    yield "layout-comment", data, write_zip(honest(), comment=b"a comment")
    yield "layout-gap", data, changed(gap_before=b"hidden between the files")
    yield "layout-gap-before-end", data, write_zip(honest(), before_end=b"hidden")
    hidden = honest()
    secret = replace(hidden[0], name="hidden.sh", data=b"a file without an entry")
    unlisted = write_zip([secret])[: -(46 + len("hidden.sh") + 22)]
    hidden[3] = replace(hidden[3], gap_before=unlisted)
    yield "layout-unlisted-file", data, write_zip(hidden)
    shared = [*honest(), Entry("runs/2/beta-task/trajectory.json")]
    shared[-1].central = {"offset": 0}
    yield "layout-overlap", Code.ARCHIVE_OVERLAP, write_zip(shared)
    into_directory = honest()
    into_directory[-1].packed = b"x" * 10
    into_directory[-1].local = {"packed_size": 200, "size": 200}
    into_directory[-1].central = {"packed_size": 200, "size": 200}
    yield "layout-into-directory", Code.ARCHIVE_OVERLAP, write_zip(into_directory)


def _headers() -> Iterator[Case]:
    lie = Code.ARCHIVE_HEADER_MISMATCH
    other = {"name": b"runs/1/alpha-task/other.log"}
    yield "header-other-name", lie, changed(local=other)
    yield "header-other-size", lie, changed(local={"size": 3})
    yield "header-other-checksum", lie, changed(local={"crc": 1})
    yield "header-other-method", lie, changed(local={"method": DEFLATED})
    yield "header-other-flags", lie, changed(local={"flags": UTF8_FLAG})
    sizes = struct.pack("<2HQQ", 1, 16, 17, 17)
    yield "header-zip64-only-here", lie, changed(local={"extra": sizes})
    yield (
        "header-no-signature",
        lie,
        changed(central={"offset": 0}).replace(b"PK\x03\x04", b"PK\x03\x05", 1),
    )
    lying = b"PK\x07\x08" + struct.pack("<3L", 0, 1, 1)
    descriptor = changed(flags=DESCRIPTOR_FLAG, descriptor=lying)
    yield "header-lying-descriptor", lie, descriptor


def _contents() -> Iterator[Case]:
    corrupt = Code.ARCHIVE_CORRUPT
    packed = deflate(b"BUILD SUCCESSFUL\n")
    size = len(b"BUILD SUCCESSFUL\n")
    yield (
        "content-more-than-declared",
        Code.MEMBER_SIZE,
        changed(method=DEFLATED, data=b"x" * 5000, size=10),
    )
    yield (
        "content-less-than-declared",
        Code.MEMBER_SIZE,
        changed(method=DEFLATED, size=5000),
    )
    yield "content-stored-size-lie", Code.MEMBER_SIZE, changed(size=5)
    yield (
        "content-wrong-checksum",
        corrupt,
        changed(local={"crc": 7}, central={"crc": 7}),
    )
    yield "content-garbage", corrupt, changed(method=DEFLATED, packed=b"\xff" * 30)
    yield (
        "content-after-stream",
        Code.ARCHIVE_EXTRA_DATA,
        changed(method=DEFLATED, packed=packed + b"hidden", size=size),
    )
    yield (
        "content-cut-stream",
        Code.ARCHIVE_TRUNCATED,
        changed(method=DEFLATED, packed=packed[:-3], size=size),
    )
    broken_extra = b"UT\xff\x00\x01"
    yield "content-broken-extra", corrupt, changed(central={"extra": broken_extra})
    big = 65 * 1024 * 1024
    yield (
        "content-65-mib-declared",
        Code.MEMBER_TOO_LARGE,
        changed(method=DEFLATED, size=big),
    )


def _counts() -> Iterator[Case]:
    many = Code.ARCHIVE_TOO_MANY_ENTRIES
    yield "count-65000-claimed", many, write_zip(honest(), count=65_000)
    few = write_zip(honest(), count=3)
    yield "count-fewer-than-listed", Code.ARCHIVE_CORRUPT, few
    more = write_zip(honest(), count=500)
    yield "count-more-than-listed", Code.ARCHIVE_CORRUPT, more
    whole = write_zip(honest())
    yield "file-cut", Code.ARCHIVE_TRUNCATED, whole[: len(whole) // 2]
    yield "file-empty", Code.ARCHIVE_FORMAT, b""
    yield "file-rar", Code.ARCHIVE_FORMAT, b"Rar!\x1a\x07\x01\x00" + bytes(64)
    yield "file-7z", Code.ARCHIVE_FORMAT, b"7z\xbc\xaf\x27\x1c" + bytes(64)
    yield "file-html", Code.ARCHIVE_FORMAT, b"<!doctype html><script>1</script>"
