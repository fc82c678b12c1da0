"""Draft tasks from files of others: all that they tell, and what is left to do."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from leaderboard.snapshots import PackageError, read_package
from tests.leaderboard.packages import PATCH, write_package


def instance(**changes):
    return {
        "instance_id": "example__app-7",
        "org": "example",
        "repo": "app",
        "number": 7,
        "base": {"label": "example:main", "ref": "main", "sha": "a" * 40},
        "fix_patch": PATCH,
        "test_patch": PATCH.replace("a.ets", "a.test.ets"),
        "title": "Fix the button",
        "body": "Closes #6.",
        "resolved_issues": [{"number": 6, "title": "Button", "body": "It is dead."}],
        "run_result": {"passed_count": 3},
        **changes,
    }


@pytest.fixture
def take_over(tmp_path):
    """Writes the lines into a file and takes it over; returns the folder."""

    def run(*lines):
        file = tmp_path / "instances.jsonl"
        texts = [each if isinstance(each, str) else json.dumps(each) for each in lines]
        file.write_text("\n".join(texts) + "\n")
        said = StringIO()
        folder = tmp_path / "drafts"
        call_command("import_swebench", str(file), str(folder), stdout=said)
        return folder, said.getvalue()

    return run


def test_a_draft_holds_what_the_file_tells(take_over):
    folder, said = take_over(instance())

    task = folder / "tasks" / "example-app-7"
    facts = json.loads((task / "task.json").read_text())
    assert facts["slug"] == "example-app-7"
    assert facts["title"] == "Button"
    assert facts["repository"] == "example/app"
    assert facts["base_commit"] == "a" * 40
    assert facts["f_points"] == []
    assert (task / "reference.patch").read_text() == PATCH
    assert (task / "statement.md").read_text() == "# Button\n\nIt is dead.\n"
    assert (task / "checks" / "upstream-tests.patch").exists()
    assert "1 drafts written" in said


def test_the_list_says_what_a_curator_must_add(take_over):
    folder, said = take_over(instance())

    todo = (folder / "tasks" / "example-app-7" / "TODO.md").read_text()
    assert "tasks/example-app-7: see its TODO.md" in said
    for word in (
        "base.json",
        "https://github.com/example/app",
        "difficulty",
        "bundle_name",
        "f_points",
        "canary",
        "upstream-tests.patch",
        "pull/7",
    ):
        assert word in todo, word


def test_the_import_takes_no_draft_for_a_finished_task(take_over, tmp_path):
    folder, _ = take_over(instance())
    package = write_package(tmp_path / "package", "alpha")
    (folder / "tasks" / "example-app-7").rename(package / "tasks" / "example-app-7")

    with pytest.raises(PackageError) as refused:
        read_package(package)

    told = str(refused.value)
    for word in ("TODO.md", "difficulty", "bundle_name", "f_points"):
        assert word in told, word


def test_without_issues_the_pull_request_speaks(take_over):
    folder, _ = take_over(instance(resolved_issues=[], test_patch=""))

    task = folder / "tasks" / "example-app-7"
    assert (task / "statement.md").read_text() == "# Fix the button\n\nCloses #6.\n"
    assert list((task / "checks").iterdir()) == []
    assert "The file held no tests." in (task / "TODO.md").read_text()


def test_every_fault_is_told_at_once_and_nothing_is_written(take_over, tmp_path):
    with pytest.raises(CommandError) as refused:
        take_over(
            instance(),
            "{",
            instance(instance_id="x", base={"sha": "main"}, fix_patch="no patch"),
            {"instance_id": "y"},
            instance(instance_id="EXAMPLE--app-7"),
            instance(instance_id="///"),
            instance(org="../..", instance_id="z"),
            instance(instance_id="w", fix_patch="no patch"),
        )

    told = str(refused.value)
    for place in (
        "line 2",
        "line 3: base.sha",
        "line 4: org",
        "line 4: fix_patch",
        "line 5: instance_id",
        "line 6: instance_id",
        "line 7: org",
        "line 8: fix_patch",
    ):
        assert place in told, place
    assert not (tmp_path / "drafts").exists()


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xff"])
def test_a_file_without_lines_is_refused(content, tmp_path):
    file = tmp_path / "empty.jsonl"
    file.write_bytes(content)

    with pytest.raises(CommandError, match="1 fault"):
        call_command("import_swebench", str(file), str(tmp_path / "drafts"))


def test_files_and_folders_that_cannot_be_used_are_named(take_over, tmp_path):
    with pytest.raises(CommandError, match="No such file"):
        call_command("import_swebench", str(tmp_path / "x"), str(tmp_path / "drafts"))
    take_over(instance())
    with pytest.raises(CommandError, match="exists already"):
        take_over(instance())
