"""Copies of base projects and their digests."""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest

from evaluator.workspaces import (
    WorkspaceError,
    copy_project,
    remove_tree,
    tree_digest,
)

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "base"
    (folder / "entry" / "src").mkdir(parents=True)
    (folder / "entry" / "src" / "a.ets").write_bytes(b"hello\r\n")
    (folder / "hvigorw").write_bytes(b"#!/bin/sh\n")
    (folder / "hvigorw").chmod(0o700)
    return folder


def test_a_copy_has_the_same_contents_modes_and_digest(project, tmp_path):
    target = tmp_path / "deep" / "copy"

    copy_project(project, target)

    assert (target / "entry" / "src" / "a.ets").read_bytes() == b"hello\r\n"
    assert (target / "hvigorw").stat().st_mode & 0o777 == 0o755
    assert (target / "entry" / "src" / "a.ets").stat().st_mode & 0o777 == 0o644
    assert tree_digest(target) == tree_digest(project)


def test_a_copy_shares_nothing_with_its_source(project, tmp_path):
    copy_project(project, tmp_path / "copy")

    (tmp_path / "copy" / "entry" / "src" / "a.ets").write_bytes(b"changed")

    assert (project / "entry" / "src" / "a.ets").read_bytes() == b"hello\r\n"


def test_a_copy_never_goes_over_something_that_exists(project, tmp_path):
    (tmp_path / "copy").mkdir()

    with pytest.raises(WorkspaceError, match="exists already"):
        copy_project(project, tmp_path / "copy")


@pytest.mark.parametrize("target", ["/etc/passwd", "a.ets", "nowhere"])
def test_a_project_with_a_link_is_refused(project, tmp_path, target):
    (project / "entry" / "src" / "link").symlink_to(target)

    with pytest.raises(WorkspaceError, match="entry/src/link is a symbolic link"):
        copy_project(project, tmp_path / "copy")

    assert not (tmp_path / "copy").exists()


def test_a_linked_folder_is_refused(project, tmp_path):
    (tmp_path / "link").symlink_to(project)

    with pytest.raises(WorkspaceError, match="is not a folder"):
        copy_project(tmp_path / "link", tmp_path / "copy")


def test_pipes_and_sockets_are_refused(project, tmp_path, monkeypatch):
    os.mkfifo(project / "pipe")
    with pytest.raises(WorkspaceError, match="pipe is a named pipe"):
        tree_digest(project)

    (project / "pipe").unlink()
    monkeypatch.chdir(project)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("box")
        with pytest.raises(WorkspaceError, match="box is a socket"):
            copy_project(project, tmp_path / "copy")


def test_a_copy_that_fails_leaves_nothing_behind(project, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("evaluator.workspaces.shutil.copyfile", full)

    with pytest.raises(OSError, match="No space left"):
        copy_project(project, tmp_path / "copy")

    assert not (tmp_path / "copy").exists()


def test_the_digest_is_what_its_description_says(project):
    a = hashlib.sha256(b"hello\r\n").hexdigest()
    w = hashlib.sha256(b"#!/bin/sh\n").hexdigest()
    records = f"100644 {a} entry/src/a.ets\x00100755 {w} hvigorw\x00"

    assert tree_digest(project) == hashlib.sha256(records.encode()).hexdigest()


def test_the_digest_of_a_known_tree_never_changes(project):
    known = "1ae6b79d1ed40d3576fbd9d02fd952b3edeaeb0a824707344834a446900715b3"

    assert tree_digest(project) == known


def test_paths_sort_by_their_bytes_and_not_by_folders(tmp_path):
    for name in ("a-b", "a/z", "aB", "ä"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    names = [b"a-b", b"a/z", b"aB", "ä".encode()]
    records = b"".join(
        b"100644 " + hashlib.sha256(name).hexdigest().encode() + b" " + name + b"\0"
        for name in names
    )

    assert tree_digest(tmp_path) == hashlib.sha256(records).hexdigest()


@pytest.mark.parametrize(
    "change",
    [
        lambda project: (project / "entry" / "src" / "a.ets").write_bytes(b"hello\n"),
        lambda project: (project / "hvigorw").chmod(0o600),
        lambda project: (project / "hvigorw").rename(project / "hvigorx"),
        lambda project: (project / "hvigorw").unlink(),
        lambda project: (project / "new").write_bytes(b""),
    ],
    ids=["content", "mode", "name", "removal", "addition"],
)
def test_every_change_changes_the_digest(project, change):
    before = tree_digest(project)

    change(project)

    assert tree_digest(project) != before


def test_what_git_does_not_record_does_not_count(project):
    before = tree_digest(project)

    (project / "empty").mkdir()
    (project / "hvigorw").chmod(0o755)
    os.utime(project / "hvigorw", (0, 0))

    assert tree_digest(project) == before


def test_a_removed_tree_is_gone_and_what_it_links_to_is_not(project, tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "link").symlink_to(project)

    remove_tree(tmp_path / "work")
    remove_tree(tmp_path / "work")

    assert not (tmp_path / "work").exists()
    assert (project / "hvigorw").exists()


def test_a_tree_is_removed_when_its_permissions_were_taken_away(project):
    script = (
        "import os, sys; from pathlib import Path\n"
        "from evaluator.workspaces import remove_tree\n"
        "top = Path(sys.argv[1]); (top / 'a' / 'b').mkdir(parents=True)\n"
        "(top / 'a' / 'b' / 'c').touch(); (top / 'a' / 'b').chmod(0)\n"
        "(top / 'a').chmod(0); remove_tree(top)"
    )
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        drop = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        done = subprocess.run(
            [
                *(drop if os.geteuid() == 0 else []),
                *["/usr/bin/python3", "-B", "-c", script, f"{folder}/top"],
            ],
            cwd=PROJECT,
            check=False,
            stderr=subprocess.PIPE,
            text=True,
        )

        assert done.stderr == ""
        assert list(Path(folder).iterdir()) == []
