from __future__ import annotations

import subprocess

import pytest

from leaderboard.patch_counts import PatchFormatError, count_patch


@pytest.fixture
def repository(tmp_path):
    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments],
            cwd=tmp_path,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    git("init", "-q")
    (tmp_path / "kept.ets").write_text("one\ntwo\n--- three\n")
    (tmp_path / "gone.ets").write_text("old\n")
    git("add", ".")
    git("commit", "-qm", "base")
    (tmp_path / "kept.ets").write_text("one\n+++ two\nthree")
    (tmp_path / "gone.ets").unlink()
    (tmp_path / "new é.ets").write_text("a\n\f\n")
    (tmp_path / "icon.png").write_bytes(b"\x00\x01" * 40)
    git("add", ".")
    return git


def test_counts_agree_with_git(repository):
    patch = repository("diff", "--cached", "--binary", "--no-renames")
    rows = [
        line.split("\t")
        for line in repository(
            "diff", "--cached", "--numstat", "--no-renames"
        ).splitlines()
    ]

    counts = count_patch(patch)

    assert len(counts.paths) == len(rows) == 4
    assert counts.added_lines == sum(int(row[0]) for row in rows if row[0] != "-")
    assert counts.deleted_lines == sum(int(row[1]) for row in rows if row[1] != "-")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no line starts with"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "line 3: a hunk before"),
        ("diff --git a/x b/x\n@@ -1,2 +1,2 @@\n a\n", "line 2: the hunk is cut off"),
        ("diff --git a/x b/x\n@@ -1 +1 @@\nno\n", "line 3: 'no' inside a hunk"),
    ],
)
def test_a_text_that_is_not_a_patch_is_refused_with_its_line(text, message):
    with pytest.raises(PatchFormatError, match=message):
        count_patch(text)
