"""Packing a folder: deterministic, and as strict as the reader."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from submissions.archive import ArchiveError, ArchiveLimits, open_bundle, pack_folder
from submissions.findings import Code
from tests.submissions.corpus.contents import files


@pytest.fixture
def folder(tmp_path) -> Path:
    root = tmp_path / "bundle"
    for name, data in files().items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root


def refused(folder: Path, **limits) -> ArchiveError:
    target = folder.parent / "bundle.zip"
    with pytest.raises(ArchiveError) as caught:
        pack_folder(folder, target, limits=ArchiveLimits(**limits))
    assert not target.exists()
    return caught.value


def test_a_packed_folder_goes_through_the_reader_unchanged(folder, tmp_path):
    archive = pack_folder(folder, tmp_path / "bundle.zip")

    members = open_bundle(archive, spool=tmp_path / "spool")

    assert {member.name: member.read() for member in members} == files()
    assert [member.name for member in members] == sorted(files())


def test_the_same_files_give_the_same_bytes(folder, tmp_path):
    first = pack_folder(folder, tmp_path / "a.zip").read_bytes()
    for path in folder.rglob("*"):
        os.utime(path, (0, 0))
        path.chmod(0o755)

    assert pack_folder(folder, tmp_path / "b.zip").read_bytes() == first


def test_links_pipes_and_foreign_names_are_refused_together(folder):
    (folder / "runs/1/alpha-task/usage.json").unlink()
    (folder / "runs/1/alpha-task/usage.json").symlink_to("/etc/passwd")
    (folder / "runs/1/beta-task/usage.json").unlink()
    os.mkfifo(folder / "runs/1/beta-task/usage.json")
    (folder / "notes.txt").write_text("foreign")
    (folder / "runs/1/gamma").symlink_to(folder / "runs/1/alpha-task")

    error = refused(folder)

    assert {each.where: each.code for each in error.findings} == {
        '"runs/1/alpha-task/usage.json"': Code.MEMBER_KIND,
        '"runs/1/beta-task/usage.json"': Code.MEMBER_KIND,
        '"notes.txt"': Code.MEMBER_NAME,
        '"runs/1/gamma"': Code.MEMBER_NAME,
    }


def test_limits_hold_before_anything_is_written(folder):
    assert refused(folder, entries=5).findings[0].code == Code.ARCHIVE_TOO_MANY_ENTRIES
    assert refused(folder, member_bytes=20).findings[0].code == Code.MEMBER_TOO_LARGE


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(ArchiveError, match="nowhere"):
        pack_folder(tmp_path / "nowhere", tmp_path / "bundle.zip")


def test_an_existing_target_is_not_overwritten(folder, tmp_path):
    target = tmp_path / "bundle.zip"
    target.write_bytes(b"mine")

    with pytest.raises(FileExistsError):
        pack_folder(folder, target)

    assert target.read_bytes() == b"mine"
