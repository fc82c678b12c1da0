"""What the report says of patches and figures before anything is evaluated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.models import EvaluationSnapshot
from leaderboard.snapshots import import_package
from submissions.findings import Code
from submissions.patch_text import (
    PatchTextError,
    missing_hunk,
    read_patch,
    unsafe_path,
)
from submissions.snapshot_facts import facts_of
from tests.submissions.corpus.contents import FACTS, files
from tests.submissions.uploads import check_upload

ROOT = Path(__file__).parents[2]
TASKS = ROOT / "fixtures" / "snapshots" / "demo" / "tasks"
BASE = b"one\ntwo\nthree\nfour\n"
PATCH = "runs/1/alpha-task/final.patch"


def change(path: str, old: str, new: str) -> bytes:
    """A patch of one file that replaces one line by another."""
    return (
        f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n"
        f"@@ -1 +1 @@\n-{old}\n+{new}\n"
    ).encode()


def facts_with(base: dict[bytes, bytes]):
    return replace(FACTS, base_file=lambda task, path: base.get(path))


def checked(patch: bytes, tmp_path, *, base: dict[bytes, bytes] | None = None):
    """The check of a sound bundle in which every patch is empty but this one."""
    bundle = {
        name: b"" if name.endswith(".patch") else data
        for name, data in files().items()
        if not name.endswith("first.patch")
    }
    facts = FACTS if base is None else facts_with(base)
    return check_upload({**bundle, PATCH: patch}, tmp_path, facts=facts)


# Reading


def test_references_of_the_demo_are_read_and_apply():
    for task in sorted(TASKS.iterdir()):
        changes = read_patch((task / "reference.patch").read_bytes())
        assert changes
        for each in changes:
            if each.old is not None:
                base = (task / "base" / each.old.decode()).read_bytes()
                assert each.hunks
                assert missing_hunk(each, base) is None


@pytest.mark.parametrize(
    "text",
    [
        "hello\n",
        "@@ -1 +1 @@\n-a\n+b\n",
        "--- a/x\n+++ b/x\n@@ -1,3 +1 @@\n-a\n",
        "--- a/x\n+++ b/x\n@@ -x +y @@\n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n-b\n+c\n",
    ],
)
def test_what_git_cannot_read_is_told_with_its_line(text):
    with pytest.raises(PatchTextError):
        read_patch(text.encode())


def test_nothing_is_no_change():
    assert read_patch(b"") == read_patch(b"\n \n") == []


def test_new_deleted_renamed_and_binary_files_are_told_apart():
    patch = (
        b"diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n"
        b"@@ -0,0 +1 @@\n+x\n"
        b"diff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n"
        b"@@ -1 +0,0 @@\n-x\n"
        b"diff --git a/from b/to\nrename from from\nrename to to\n"
        b"diff --git a/p.png b/p.png\nindex 1..2\nGIT binary patch\nliteral 3\nabc\n"
        b"diff --git a/link b/link\nnew file mode 120000\n--- /dev/null\n+++ b/link\n"
        b"@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n"
        b'diff --git "a/\\303\\251" "b/\\303\\251"\n--- "a/\\303\\251"\n'
        b'+++ "b/\\303\\251"\n@@ -1 +1 @@\n-a\n+b\n'
    )

    new, old, moved, picture, link, quoted = read_patch(patch)

    assert (new.old, new.new) == (None, b"new")
    assert (old.old, old.new) == (b"old", None)
    assert (moved.old, moved.new) == (b"from", b"to")
    assert picture.is_binary
    assert (link.mode, link.new) == (b"120000", b"link")
    assert quoted.old == "é".encode()


@pytest.mark.parametrize(
    ("hunk", "stands"),
    [
        (b"@@ -2,2 +2,2 @@\n two\n-three\n+3\n", True),
        (b"@@ -9,2 +9,2 @@\n two\n-three\n+3\n", True),
        (b"@@ -2,2 +2,2 @@\n wo\n-three\n+3\n", False),
        (b"@@ -2,2 +2,2 @@\n two\n-four\n+4\n", False),
        (b"@@ -4 +4,2 @@\n-four\n\\ No newline at end of file\n+4\n+5\n", False),
        (b"@@ -4 +4 @@\n four\n", True),
        (b"@@ -4,0 +5 @@\n+five\n", True),
    ],
)
def test_lines_are_found_wherever_they_stand_in_one_piece(hunk, stands):
    (found,) = read_patch(b"--- a/x\n+++ b/x\n" + hunk)

    assert (missing_hunk(found, BASE) is None) == stands


@pytest.mark.parametrize(
    ("path", "unsafe"),
    [
        (b"entry/src/a.ets", False),
        (b".gitignore", False),
        (b"../x", True),
        (b"a/../../x", True),
        (b"/etc/passwd", True),
        (b".git/config", True),
        (b"a/.GIT/hooks/x", True),
        (b"a//b", True),
        (b"a\0b", True),
        (b"", True),
    ],
)
def test_paths_that_leave_the_project_are_known(path, unsafe):
    assert unsafe_path(path) == unsafe


# Reporting


@pytest.mark.parametrize("path", ["../../x", "/etc/passwd", ".git/hooks/pre-commit"])
def test_a_patch_that_leads_out_of_the_project_is_refused(path, tmp_path):
    found = checked(change(path, "a", "b"), tmp_path)

    assert found.errors == {Code.PATCH_HOSTILE}
    assert found.finding(Code.PATCH_HOSTILE).where == PATCH


def test_a_link_in_a_patch_is_warned_of(tmp_path):
    patch = (
        b"diff --git a/link b/link\nnew file mode 120000\n--- /dev/null\n+++ b/link\n"
        b"@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n"
    )

    found = checked(patch, tmp_path)

    assert found.errors == set()
    assert '"link"' in found.finding(Code.PATCH_LINK).saw


@pytest.mark.parametrize(
    ("patch", "base", "why"),
    [
        (b"not a patch", None, "holds no change of a file"),
        (change("x", "zero", "0"), {b"x": BASE}, '"x": the lines expected at 1'),
        (change("y", "one", "1"), {b"x": BASE}, 'the base has no "y"'),
        (
            b"--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n",
            {b"x": BASE},
            '"x" is there already',
        ),
    ],
)
def test_a_patch_that_does_not_apply_is_a_warning_with_the_reason(
    patch, base, why, tmp_path
):
    found = checked(patch, tmp_path, base=base)

    assert found.errors == set()
    finding = found.finding(Code.PATCH_DOES_NOT_APPLY)
    assert finding.where == "runs/1"
    assert "1 that cannot be applied: alpha-task/final.patch" in finding.saw
    assert why in finding.saw


@pytest.mark.parametrize(
    "patch",
    [
        b"",
        change("x", "one", "1"),
        change("x", "one", "1") + change("x", "1", "2"),
        b"--- /dev/null\n+++ b/z\n@@ -0,0 +1 @@\n+x\n",
        b"diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n",
    ],
)
def test_a_patch_that_applies_has_no_finding(patch, tmp_path):
    found = checked(patch, tmp_path, base={b"x": BASE})

    assert found.report.findings == ()


def test_without_the_base_projects_only_the_form_is_checked(tmp_path):
    assert checked(change("x", "zero", "0"), tmp_path).report.findings == ()


def test_many_that_do_not_apply_are_one_finding_a_run(tmp_path):
    bundle = {
        name: b"nonsense" if name.endswith(".patch") else data
        for name, data in files().items()
    }

    found = check_upload(bundle, tmp_path)

    places = [
        each.where
        for each in found.report.warnings
        if each.code == Code.PATCH_DOES_NOT_APPLY
    ]
    assert places == sorted(set(places))
    assert all(place.startswith("runs/") for place in places)


@pytest.mark.django_db
def test_the_server_compares_with_the_packages_it_holds(data_dir):
    import_package(ROOT / "fixtures" / "snapshots" / "demo")
    read = facts_of(EvaluationSnapshot.objects.get()).base_file
    catalog = b"entry/src/main/ets/data/PresetCatalog.ets"

    assert read is not None
    assert read("penkit-crash", catalog)
    assert read("penkit-crash", b"nothing.ets") is None
    assert read("penkit-crash", b"entry") is None
    assert read("penkit-crash", b"x" * 5000) is None


# Figures that contradict each other


@pytest.mark.parametrize(
    ("usage", "first", "field"),
    [
        (b'{"repair_rounds": 0}', b"", "repair_rounds"),
        (b'{"total_tokens": 0}', None, "total_tokens"),
    ],
)
def test_figures_that_the_files_speak_against_are_warned_of(
    usage, first, field, tmp_path
):
    changed = {
        **files(),
        PATCH: change("x", "a", "b"),
        "runs/1/alpha-task/usage.json": usage,
    }
    changed.pop("runs/1/alpha-task/first.patch", None)
    if first is not None:
        changed["runs/1/alpha-task/first.patch"] = first

    found = check_upload(changed, tmp_path)

    finding = found.finding(Code.USAGE_CONTRADICTS)
    assert finding.severity == "warning"
    assert finding.where == f"runs/1/alpha-task/usage.json: {field}"
