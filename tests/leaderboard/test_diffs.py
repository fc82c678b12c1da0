"""Patches taken apart for reading."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.diffs import DiffLine, diff_files

PATCH = """\
diff --git a/x.ets b/x.ets
index 1..2 100644
--- a/x.ets
+++ b/x.ets
@@ -3,3 +3,4 @@ struct Page
 same
---- looks like a header
+new
+newer
 end
\\ No newline at end of file
diff --git "a/with space" "b/with space"
deleted file mode 100644
@@ -7 +0,0 @@
-gone
""".splitlines()


def test_every_line_gets_its_file_its_kind_and_its_numbers():
    first, second = diff_files(PATCH)

    assert (first.path, first.added, first.deleted) == ("x.ets", 2, 1)
    assert first.lines[4:] == [
        DiffLine("hunk", None, None, "@@ -3,3 +3,4 @@ struct Page"),
        DiffLine("context", 3, 3, " same"),
        DiffLine("delete", 4, None, "---- looks like a header"),
        DiffLine("add", None, 4, "+new"),
        DiffLine("add", None, 5, "+newer"),
        DiffLine("context", 5, 6, " end"),
        DiffLine("note", None, None, "\\ No newline at end of file"),
    ]
    assert (second.path, second.added, second.deleted) == ("with space", 0, 1)
    assert second.lines[-1] == DiffLine("delete", 7, None, "-gone")


def test_a_header_inside_a_hunk_is_content():
    [file] = diff_files(
        ["diff --git a/x b/x", "@@ -1 +1,2 @@", " diff --git a/y b/y", "+b"]
    )

    assert [line.kind for line in file.lines] == ["meta", "hunk", "context", "add"]


def test_what_is_no_patch_is_kept_as_it_is():
    [file] = diff_files(["hello", "+world"])

    assert (file.path, [line.kind for line in file.lines]) == ("", ["meta", "meta"])


@given(st.lists(st.sampled_from([*PATCH, "", "@@", "+", "-", "@@ -1,9 +1,9 @@"])))
def test_no_line_is_lost_or_changed(lines):
    shown = [line.text for file in diff_files(lines) for line in file.lines]

    assert shown == lines
