"""A package gives none of its answers away, and says who stands for its tasks."""

from __future__ import annotations

import hashlib
import json

import pytest

from leaderboard.models import CuratorVerdict
from leaderboard.snapshots import (
    PackageError,
    SnapshotConflictError,
    import_package,
    read_package,
)
from leaderboard.trees import tree_digest
from tests.leaderboard.packages import CANARY, edit_json, write_package


@pytest.fixture
def package(tmp_path):
    return write_package(tmp_path / "package", "alpha", "beta")


def fault_lines(folder):
    with pytest.raises(PackageError) as caught:
        read_package(folder)
    return [str(fault) for fault in caught.value.faults]


def blob(content):
    data = content.encode()
    whole = b"blob %d\0" % len(data) + data
    return hashlib.sha1(whole, usedforsecurity=False).hexdigest()


def approve(package, task, *curators):
    digest = tree_digest(package / "tasks" / task)
    entry = {"task": task, "digest": digest, "on": "2026-11-02"}
    (package / "curation.json").write_text(
        json.dumps(
            {
                "format": 1,
                "curators": [{"id": each, "name": each.title()} for each in curators],
                "approvals": [{"curator": each, **entry} for each in curators],
            }
        )
    )


@pytest.mark.parametrize(
    "name", ["reference.patch", "checks/it_works.py", "checks/it_works.json"]
)
def test_a_hidden_file_without_the_canary_is_named(package, name):
    path = package / "tasks" / "beta" / name
    path.write_text(path.read_text().replace(CANARY, "0" * 36))

    (line,) = fault_lines(package)

    assert line.startswith(f"tasks/beta/{name}: saw no canary. Add a comment with")
    assert CANARY in line


def test_what_an_agent_is_given_needs_no_canary(package):
    texts = [package / "tasks/alpha/statement.md", package / "tasks/alpha/task.json"]

    assert not any(CANARY in path.read_text() for path in texts)
    assert len(read_package(package).tasks) == 2


@pytest.mark.parametrize("name", [".git/config", "entry/.GIT/HEAD", ".git"])
def test_a_base_project_with_git_data_is_refused(package, name):
    path = package / "tasks" / "alpha" / "base" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("[core]\n")

    (line,) = fault_lines(package)

    assert f"tasks/alpha/base/{name}: saw git's own data" in line


def test_a_pack_of_history_under_another_name_is_refused(package):
    path = package / "tasks" / "alpha" / "base" / "entry" / "media.bin"
    path.write_bytes(b"PACK\0\0\0\2" + bytes(20))

    (line,) = fault_lines(package)

    assert "base/entry/media.bin: saw a pack of git objects" in line


def test_a_base_with_the_result_of_the_reference_is_refused(package):
    task = package / "tasks" / "alpha"
    patch = task / "reference.patch"
    before, after = blob("one\n")[:10], blob("two\nthree\n")[:10]
    index = f"index {before}..{after} 100644"
    patch.write_text(patch.read_text().replace("--- a/", f"{index}\n--- a/"))
    assert read_package(package)
    (task / "base" / "entry" / "a.ets.orig").write_text("two\nthree\n")

    (line,) = fault_lines(package)

    assert "base/entry/a.ets.orig: saw a file exactly as the reference leaves" in line


def test_a_file_that_the_reference_copies_is_no_future(package):
    copied = blob("one\n")
    patch = package / "tasks" / "alpha" / "reference.patch"
    patch.write_text(
        f"{patch.read_text()}diff --git a/b.ets b/b.ets\nnew file mode 100644\n"
        f"index {'0' * 40}..{copied}\n--- /dev/null\n+++ b/b.ets\n"
        "@@ -0,0 +1 @@\n+one\n"
    )

    assert read_package(package)


@pytest.mark.django_db
def test_a_benchmark_keeps_one_canary(package, tmp_path):
    import_package(package)
    other = write_package(tmp_path / "other", version="tiny-2.0")
    guid = "11111111-2222-3333-4444-555555555555"
    for path in other.rglob("*.*"):
        if path.is_file():
            path.write_text(path.read_text().replace(CANARY, guid))

    with pytest.raises(SnapshotConflictError, match=f"has the canary {CANARY}"):
        import_package(other)


@pytest.mark.django_db
def test_approvals_of_a_package_are_kept_once(package):
    approve(package, "alpha", "ada", "grace")

    import_package(package)
    import_package(package)

    kept = CuratorVerdict.objects.values_list("slug", "curator", "curator_name", "user")
    assert list(kept) == [
        ("alpha", "ada", "Ada", None),
        ("alpha", "grace", "Grace", None),
    ]


def test_an_approval_of_another_state_of_the_task_is_refused(package):
    approve(package, "alpha", "ada")
    (package / "tasks" / "alpha" / "statement.md").write_text("Something else.\n")

    (line,) = fault_lines(package)

    assert "curation.json, approvals[0].digest: saw" in line
    assert "have it approved again" in line


def test_a_link_in_an_approved_task_is_a_fault_of_the_package(package):
    approve(package, "alpha", "ada")
    (package / "tasks" / "alpha" / "base" / "passwd").symlink_to("/etc/passwd")

    (line,) = fault_lines(package)

    assert line.startswith("tasks/alpha/base/passwd: saw a symbolic link.")


def test_a_link_in_the_place_of_a_base_project_is_a_fault(package, tmp_path):
    base = package / "tasks" / "alpha" / "base"
    base.rename(tmp_path / "elsewhere")
    base.symlink_to(tmp_path / "elsewhere")

    assert any(
        line.startswith("tasks/alpha/base: saw a symbolic link.")
        for line in fault_lines(package)
    )


@pytest.mark.parametrize(
    ("changes", "saw"),
    [
        ({"task": "gamma"}, "approvals[0].task: saw 'gamma'"),
        ({"curator": "linus"}, "approvals[0].curator: saw 'linus'"),
        ({"digest": "abc"}, "approvals[0].digest: saw 'abc'"),
        ({"on": "yesterday"}, "approvals[0].on: saw 'yesterday'"),
    ],
)
def test_a_wrong_approval_is_named_with_its_place(package, changes, saw):
    approve(package, "alpha", "ada")
    curation = json.loads((package / "curation.json").read_text())
    curation["approvals"][0] |= changes
    (package / "curation.json").write_text(json.dumps(curation))

    (line,) = fault_lines(package)

    assert saw in line


@pytest.mark.parametrize(
    ("name", "saw"),
    [("added", "not in this package"), ("retired", "in this package")],
)
def test_what_a_version_says_of_its_tasks_must_be_so(package, name, saw):
    slug = "gamma" if name == "added" else "alpha"
    derived = {"version": "tiny-0.9", "reason": "A mended check.", name: [slug]}
    edit_json(package / "snapshot.json", derived_from=derived)

    (line,) = fault_lines(package)

    assert f"derived_from.{name}: saw {slug}, which is {saw}" in line
