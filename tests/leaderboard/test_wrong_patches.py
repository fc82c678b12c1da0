"""Wrong patches of a task package: listed, there, hidden, and kept for the proofs."""

from __future__ import annotations

import shutil

import pytest

from leaderboard.snapshots import PackageError, import_package, read_package
from tests.leaderboard.packages import CANARY, PATCH, edit_json, write_package

ENTRY = {"patch": "no-ink", "f_points": ["FP-1"], "why": "It draws nothing."}


@pytest.fixture
def package(tmp_path):
    folder = write_package(tmp_path / "package", "alpha", "beta")
    alpha = folder / "tasks" / "alpha"
    (alpha / "wrong").mkdir()
    (alpha / "wrong" / "no-ink.patch").write_text(PATCH.replace("+two", "+four"))
    edit_json(alpha / "task.json", wrong_patches=[ENTRY])
    return folder


@pytest.mark.django_db
def test_wrong_patches_are_kept_with_their_task(package):
    snapshot = import_package(package).snapshot

    alpha, beta = snapshot.tasks.order_by("slug")
    assert alpha.wrong_patches == [ENTRY]
    assert beta.wrong_patches == []


def test_a_wrong_patch_belongs_to_the_tasks_and_not_to_the_scripts(package):
    before = read_package(package)
    patch = package / "tasks" / "alpha" / "wrong" / "no-ink.patch"
    patch.write_text(patch.read_text().replace("four", "five"))

    after = read_package(package)

    assert after.task_set_digest != before.task_set_digest
    assert after.script_digest == before.script_digest


@pytest.mark.parametrize(
    ("entries", "line"),
    [
        ([], "alpha/wrong/no-ink.patch: saw a file that wrong_patches of task.json"),
        ([{**ENTRY, "f_points": ["FP-7"]}], "wrong_patches[0].f_points: saw 'FP-7'"),
        ([{**ENTRY, "f_points": []}], "wrong_patches[0].f_points"),
        ([{**ENTRY, "patch": "../x"}], "wrong_patches[0].patch"),
        ([ENTRY, {**ENTRY, "patch": "gone"}], "alpha/wrong/gone.patch"),
        ([ENTRY, ENTRY], "wrong_patches[0].patch: saw 'no-ink' more than once"),
    ],
)
def test_what_is_wrong_with_the_list_is_named(package, entries, line):
    edit_json(package / "tasks" / "alpha" / "task.json", wrong_patches=entries)

    with pytest.raises(PackageError) as caught:
        read_package(package)

    assert line in str(caught.value.faults[0])


@pytest.mark.parametrize(
    ("text", "saw"),
    [
        (PATCH.replace(CANARY, "0" * 36), "no canary"),
        (f"canary GUID {CANARY}\n", "not a patch in git's format"),
        (PATCH.replace("entry/a.ets", "../a.ets"), "'../a.ets'"),
    ],
)
def test_a_wrong_patch_is_held_to_the_rules_of_a_reference(package, text, saw):
    (package / "tasks" / "alpha" / "wrong" / "no-ink.patch").write_text(text)

    with pytest.raises(PackageError) as caught:
        read_package(package)

    (fault,) = caught.value.faults
    assert fault.file == "tasks/alpha/wrong/no-ink.patch"
    assert saw in fault.saw


def test_a_folder_of_wrong_patches_in_a_task_that_lists_none_is_refused(package):
    tasks = package / "tasks"
    shutil.copytree(tasks / "alpha" / "wrong", tasks / "beta" / "wrong")

    with pytest.raises(PackageError, match=r"beta/wrong/no-ink\.patch"):
        read_package(package)
