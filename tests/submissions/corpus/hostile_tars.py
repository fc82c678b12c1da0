"""Tar.gz files that must be refused: name, expected finding, bytes."""

from __future__ import annotations

from collections.abc import Iterator

from submissions.findings import Code
from tests.submissions.corpus.contents import files
from tests.submissions.corpus.tars import (
    BLOCK,
    END,
    GNU,
    Entry,
    gzipped,
    pax,
    write_tar,
)

Case = tuple[str, Code, bytes]
NEW = "runs/2/beta-task/trajectory.json"


def honest() -> list[Entry]:
    return [Entry(name, data) for name, data in files().items()]


def extra(*entries: Entry) -> bytes:
    """The honest bundle with more entries behind it."""
    return gzipped(write_tar([*honest(), *entries]))


def hostile_tars() -> Iterator[Case]:
    yield from _names()
    yield from _kinds()
    yield from _pax()
    yield from _headers()
    yield from _streams()
    yield "tar-link-chain", Code.MEMBER_KIND, link_chain()


def _names() -> Iterator[Case]:
    names = {
        "traversal": "../evil",
        "absolute": "/etc/passwd",
        "dot": "./manifest.json",
        "behind-nul": b"runs/1/beta-task/final.patch\0../evil",
    }
    for name, value in names.items():
        yield f"tar-name-{name}", Code.MEMBER_NAME, extra(Entry(value))
    prefixed = Entry("final.patch", prefix=b"../..")
    yield "tar-name-prefix", Code.MEMBER_NAME, extra(prefixed)
    slash = Entry("runs/1/", kind=b"0")
    yield "tar-name-file-with-slash", Code.MEMBER_NAME, extra(slash)
    again = Entry("manifest.json", b"{}")
    yield "tar-name-twice", Code.MEMBER_DUPLICATE, extra(again)


def _kinds() -> Iterator[Case]:
    kind = Code.MEMBER_KIND
    yield "tar-symlink", kind, extra(Entry(NEW, kind=b"2", link=b"/etc/passwd"))
    hard = Entry(NEW, kind=b"1", link=b"manifest.json")
    yield "tar-hard-link", kind, extra(hard)
    yield "tar-character-device", kind, extra(Entry(NEW, kind=b"3"))
    yield "tar-block-device", kind, extra(Entry(NEW, kind=b"4"))
    yield "tar-pipe", kind, extra(Entry(NEW, kind=b"6"))
    yield "tar-contiguous", kind, extra(Entry(NEW, b"x", kind=b"7"))
    sparse = Entry(NEW, b"x", kind=b"S", magic=GNU)
    yield "tar-sparse", kind, extra(sparse)
    # Its usual name is foreign as well; a legal one keeps the finding single.
    long_name = Entry(NEW, b"../evil\0", kind=b"L", magic=GNU)
    yield "tar-long-name", kind, extra(long_name, Entry(NEW, magic=GNU))
    yield "tar-unknown-kind", kind, extra(Entry(NEW, kind=b"Z"))
    yield "tar-setuid", kind, extra(Entry(NEW, mode=b"0004755"))
    linked = Entry(NEW, b"x", link=b"/etc/passwd")
    yield "tar-file-with-link", kind, extra(linked)
    folder = Entry("runs/3/", b"x", kind=b"5")
    yield "tar-folder-with-content", kind, extra(folder)


def _pax() -> Iterator[Case]:
    feature = Code.ARCHIVE_FEATURE
    records = {
        "path": {"path": "../../evil"},
        "size": {"size": "1"},
        "link-path": {"linkpath": "/etc/passwd"},
        "sparse": {"GNU__sparse__major": "1", "GNU__sparse__name": "../evil"},
        "charset": {"hdrcharset": "BINARY"},
        "real-size": {"SCHILY__realsize": "9999999"},
    }
    for name, record in records.items():
        header = Entry("PaxHeaders/x", pax(**record), kind=b"x")
        yield f"tar-pax-{name}", feature, extra(header, Entry(NEW))
    everywhere = Entry("pax_global_header", pax(path="../evil"), kind=b"g")
    yield "tar-pax-global-path", feature, extra(everywhere, Entry(NEW))
    broken = Entry("PaxHeaders/x", b"999 mtime=1\n", kind=b"x")
    yield "tar-pax-broken", Code.ARCHIVE_CORRUPT, extra(broken, Entry(NEW))
    long = Entry("PaxHeaders/x", pax(comment="x" * 99_000), kind=b"x")
    yield "tar-pax-long", feature, extra(long, Entry(NEW))


def _headers() -> Iterator[Case]:
    corrupt = Code.ARCHIVE_CORRUPT
    checksum = Entry(NEW, checksum=b"000001\0 ")
    yield "tar-wrong-checksum", corrupt, extra(checksum)
    binary_size = Entry(NEW, size=b"\x80" + bytes(10) + b"\x01")
    yield "tar-binary-size", corrupt, extra(binary_size)
    negative = Entry(NEW, size=b"-0000000001")
    yield "tar-negative-size", corrupt, extra(negative)
    old = Entry(NEW, magic=bytes(8))
    yield "tar-without-magic", Code.ARCHIVE_FORMAT, extra(old)
    gnu_prefix = Entry("final.patch", magic=GNU, prefix=b"../..")
    yield "tar-gnu-prefix", Code.MEMBER_NAME, extra(gnu_prefix)


def _streams() -> Iterator[Case]:
    data = Code.ARCHIVE_EXTRA_DATA
    cut = Code.ARCHIVE_TRUNCATED
    plain = write_tar(honest())
    whole = gzipped(plain)
    yield "targz-cut", cut, whole[: len(whole) // 2]
    yield "targz-cut-checksum", cut, whole[:-4]
    yield "targz-wrong-checksum", Code.ARCHIVE_CORRUPT, whole[:-8] + bytes(8)
    yield "targz-without-end", cut, gzipped(write_tar(honest(), end=b""))
    one = write_tar(honest(), end=bytes(BLOCK) + b"x" * BLOCK)
    yield "targz-one-end-mark", Code.ARCHIVE_CORRUPT, gzipped(one)
    yield "targz-suffix", data, whole + b"PK\x05\x06" + bytes(18)
    yield "targz-second-stream", data, whole + whole
    yield "targz-second-tar", data, gzipped(plain + plain)
    yield "targz-hidden-after-end", data, gzipped(plain + END + b"hidden")
    yield "gzip-of-text", Code.ARCHIVE_FORMAT, gzipped(b"x" * 2048)
    yield "gzip-of-nothing", cut, gzipped(b"")
    yield "gzip-garbage", Code.ARCHIVE_CORRUPT, b"\x1f\x8b" + b"\xff" * 100


def link_chain() -> bytes:
    """Links through links that leave the folder in spite of Python's "data" filter.

    Long names, each beside a link to it, until a path is too long to be resolved; then
    a link up and out, and a hard link to that link.
    """
    long = "d" * 60
    entries = []
    for letter in "abcdefghijklmnop":
        name = f"runs/1/{long}-{letter}/usage.json"
        entries.append(Entry(name, kind=b"2", link=long.encode()))
    up = "runs/1/alpha-task/usage.json"
    entries.append(Entry(up, kind=b"2", link=b"../" * 16))
    entries.append(Entry(NEW, kind=b"1", link=up.encode()))
    kept = [entry for entry in honest() if entry.name != up]
    return gzipped(write_tar([*kept, *entries]))
