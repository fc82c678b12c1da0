"""Reading archives: content addresses, budgets, and nothing outside the spool."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from submissions.archive import ArchiveError, ArchiveLimits, open_bundle
from submissions.archive.names import is_file_name, place_of
from submissions.findings import Code
from tests.submissions.corpus import tars, zips
from tests.submissions.corpus.contents import files
from tests.submissions.corpus.make_archives import FOLDER

KIB = 1024


def everything_below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def refused(path: Path, spool: Path, **limits) -> ArchiveError:
    with pytest.raises(ArchiveError) as caught:
        open_bundle(path, spool=spool, limits=ArchiveLimits(**limits))
    return caught.value


def codes(error: ArchiveError) -> set[Code]:
    return {each.code for each in error.findings}


def written(folder: Path, data: bytes) -> Path:
    path = folder / "upload"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", ["zip-deflated.zip", "tar-gnu.tar.gz"])
def test_members_are_spooled_under_their_digest(name, tmp_path):
    members = open_bundle(FOLDER / name, spool=tmp_path / "spool")

    assert {member.name: member.read() for member in members} == files()
    for member in members:
        digest = hashlib.sha256(member.read()).hexdigest()
        assert member.sha256 == digest
        assert member.path == tmp_path / "spool" / digest
        assert member.size_bytes == len(member.read())
        assert member.path.stat().st_mode & 0o777 == 0o600


def test_equal_contents_are_spooled_once(tmp_path):
    members = open_bundle(FOLDER / "zip-stored.zip", spool=tmp_path / "spool")

    assert len(everything_below(tmp_path / "spool")) == len(
        {member.sha256 for member in members}
    )


def test_the_same_upload_may_be_read_into_the_same_spool_again(tmp_path):
    first = open_bundle(FOLDER / "zip-stored.zip", spool=tmp_path)

    assert open_bundle(FOLDER / "zip-deflated.zip", spool=tmp_path) == first


@pytest.mark.parametrize(
    "name", ["targz-suffix.tar.gz", "targz-cut.tar.gz", "layout-overlap.zip"]
)
def test_an_unreadable_archive_leaves_nothing_behind(name, tmp_path):
    error = refused(FOLDER / name, tmp_path / "spool")

    assert error.members == []
    assert everything_below(tmp_path / "spool") == set()


def test_an_unreadable_archive_leaves_alone_what_was_there(tmp_path):
    spool = tmp_path / "spool"
    open_bundle(FOLDER / "tar-gnu.tar.gz", spool=spool)
    before = everything_below(spool)

    refused(FOLDER / "targz-suffix.tar.gz", spool)

    assert everything_below(spool) == before


def test_good_members_beside_a_bad_one_can_still_be_checked(tmp_path):
    error = refused(FOLDER / "name-unknown-file.zip", tmp_path)

    assert {member.name for member in error.members} == set(files())


def test_all_bad_names_are_told_at_once_with_the_fitting_advice(tmp_path):
    names = {
        "bundle/manifest.json": "not the folder",
        "./runs/1/alpha-task/final.patch": "not a dot",
        "runs/1/alpha-task/.DS_Store": "macOS",
        "notes.txt": "Remove it or rename it",
    }
    data = zips.write_zip([zips.Entry(name) for name in names])

    error = refused(written(tmp_path, data), tmp_path / "spool")

    advice = {each.where: each.fix for each in error.findings}
    assert len(error.findings) == len(names)
    for name, part in names.items():
        assert part in advice[f'"{name}"']


def test_a_flood_of_bad_names_gives_a_short_report(tmp_path):
    data = zips.write_zip([zips.Entry(f"bad-{index}") for index in range(2000)])

    error = refused(written(tmp_path, data), tmp_path / "spool")

    assert len(error.findings) == 26
    assert error.findings[-1].saw == "1975 more findings of this kind"


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        ({"upload_bytes": 100}, Code.ARCHIVE_TOO_LARGE),
        ({"entries": 20}, Code.ARCHIVE_TOO_MANY_ENTRIES),
        ({"member_bytes": 100}, Code.MEMBER_TOO_LARGE),
        ({"total_bytes": 1000}, Code.ARCHIVE_TOO_LARGE),
        ({"ratio": 0, "ratio_from_bytes": 1000}, Code.ARCHIVE_RATIO),
    ],
)
@pytest.mark.parametrize("name", ["zip-stored.zip", "tar-ustar-folders.tar.gz"])
def test_each_limit_is_kept_by_both_readers(name, limits, code, tmp_path):
    if name.startswith("tar") and "total_bytes" in limits:
        limits = {**limits, "entries": 30}

    assert code in codes(refused(FOLDER / name, tmp_path, **limits))


def test_a_zip_as_large_as_allowed_is_read(tmp_path):
    open_bundle(
        FOLDER / "zip-stored.zip", spool=tmp_path, limits=ArchiveLimits(entries=21)
    )


def test_a_tar_member_over_the_limit_is_passed_over_and_the_rest_is_read(tmp_path):
    entries = [tars.Entry(name, data) for name, data in files().items()]
    entries[2].data = b"x" * 5000
    archive = written(tmp_path, tars.gzipped(tars.write_tar(entries)))

    error = refused(archive, tmp_path / "spool", member_bytes=4000)

    assert codes(error) == {Code.MEMBER_TOO_LARGE}
    assert len(error.members) == len(files()) - 1


def test_a_folder_or_a_missing_file_is_refused_in_words(tmp_path):
    assert codes(refused(tmp_path, tmp_path / "s")) == {Code.ARCHIVE_FORMAT}
    assert codes(refused(tmp_path / "none", tmp_path / "s")) == {Code.ARCHIVE_FORMAT}


def test_a_link_in_the_spool_is_never_written_through(tmp_path):
    outside = tmp_path / "outside"
    outside.write_bytes(b"untouched")
    spool = tmp_path / "spool"
    spool.mkdir()
    digest = hashlib.sha256(files()["manifest.json"]).hexdigest()
    (spool / digest).symlink_to(outside)

    members = open_bundle(FOLDER / "zip-stored.zip", spool=spool)

    assert members[0].read() == files()["manifest.json"]
    assert outside.read_bytes() == b"untouched"


def test_the_longest_legal_name_fits_into_a_plain_tar_header(tmp_path):
    name = f"runs/99/{'x' * 80}/trajectory.jsonl"
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        archive.addfile(tarfile.TarInfo(name))
    archive = written(tmp_path, tars.gzipped(target.getvalue()))

    (member,) = open_bundle(archive, spool=tmp_path / "spool")

    assert member.name == name


SLUGS = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,8}", fullmatch=True)
LEGAL_NAMES = st.builds(
    "runs/{}/{}/{}".format,
    st.integers(1, 99),
    SLUGS,
    st.sampled_from(["first.patch", "final.patch", "build.log", "usage.json"]),
)
FOREIGN_NAMES = st.text(
    st.sampled_from("./\\:abrunsmanifestjpch019-_\0\n\u202e\u00e9 "), max_size=30
) | st.sampled_from(
    ["../x", "/x", "runs/1/a/../../../../x", "C:\\x", "runs/1/a", "..", "."]
)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    names=st.lists(LEGAL_NAMES | FOREIGN_NAMES, max_size=8),
    contents=st.lists(st.binary(max_size=40), min_size=8, max_size=8),
    kind=st.sampled_from(["zip", "deflated", "tar"]),
    mode=st.sampled_from([0, 0o100644, 0o120777, 0o040755]),
    damage=st.none() | st.tuples(st.integers(0, 4000), st.integers(0, 255)),
)
def test_nothing_is_created_outside_the_spool_and_names_are_content_addresses(
    names, contents, kind, mode, damage, tmp_path_factory
):
    root = tmp_path_factory.mktemp("archive")
    pairs = list(zip(names, contents, strict=False))
    if kind == "tar":
        tar_entries = [
            tars.Entry(
                name.encode()[:100],
                data,
                kind=b"2" if mode == 0o120777 else b"0",
                link=b"../../outside" if mode == 0o120777 else b"",
            )
            for name, data in pairs
        ]
        upload = tars.gzipped(tars.write_tar(tar_entries))
    else:
        method = zips.STORED if kind == "zip" else zips.DEFLATED
        zip_entries = [
            zips.Entry(name, data, method=method, mode=mode, flags=zips.UTF8_FLAG)
            for name, data in pairs
        ]
        upload = zips.write_zip(zip_entries)
    if damage is not None and damage[0] < len(upload):
        at, value = damage
        upload = upload[:at] + bytes([value]) + upload[at + 1 :]
    archive = written(root, upload)

    try:
        members = open_bundle(archive, spool=root / "spool")
    except ArchiveError as error:
        assert error.findings
        members = error.members

    below = everything_below(root) - {"upload", "spool"}
    assert below == {f"spool/{member.sha256}" for member in members}
    for member in members:
        assert is_file_name(member.name)
        assert hashlib.sha256(member.path.read_bytes()).hexdigest() == member.sha256
        assert not member.path.is_symlink()


@given(LEGAL_NAMES)
def test_a_legal_name_tells_run_task_and_file(name):
    place = place_of(name)

    assert place is not None
    assert name == f"runs/{place.run}/{place.task}/{place.file}"


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(LEGAL_NAMES, st.binary(max_size=300), min_size=1, max_size=6))
def test_what_the_standard_library_packs_is_read_back_unchanged(contents):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            archive.writestr(name, data)

    with TemporaryDirectory() as folder:
        path = written(Path(folder), target.getvalue())
        members = open_bundle(path, spool=Path(folder, "spool"))

        assert {member.name: member.read() for member in members} == contents
