from __future__ import annotations

import json
import os
import shutil

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from leaderboard.comparability import Conditions, comparability_key, differing_fields
from leaderboard.metrics import Scope
from leaderboard.models import EvaluationSnapshot, FPoint, Kit, SnapshotStatus, Task
from leaderboard.snapshots import (
    ExportError,
    PackageError,
    PackageNotHeldError,
    ScopeLookupError,
    SnapshotConflictError,
    SnapshotLookupError,
    export_package,
    import_package,
    read_package,
    scope_by_name,
    snapshot_by_version,
    task_folder,
)
from leaderboard.snapshots.task_file import meant_dimension
from leaderboard.trees import tree_digest
from tests.factories import (
    BenchmarkFactory,
    EvaluationFactory,
    EvaluationSnapshotFactory,
)
from tests.leaderboard.packages import (
    CANARY,
    SNAPSHOT,
    edit_json,
    task_facts,
    write_package,
    write_task,
)

DEMO = settings.BASE_DIR / "fixtures" / "snapshots" / "demo"
JSON_SNAPSHOT = json.dumps(SNAPSHOT)


@pytest.fixture
def package(tmp_path):
    return write_package(tmp_path / "package", "alpha", "beta")


def faults_of(folder):
    with pytest.raises(PackageError) as caught:
        read_package(folder)
    return caught.value.faults


def fault_lines(folder):
    return [str(fault) for fault in faults_of(folder)]


def test_the_demo_package_has_four_tasks_of_each_source():
    found = read_package(DEMO)

    assert found.counts() == {
        Scope.OVERALL: (12, 20),
        Scope.NEW_FEATURE: (4, 4),
        Scope.SPEC_DRIVEN: (4, 12),
        Scope.BUG_FIX: (4, 4),
    }


def test_digests_tell_tasks_and_checks_apart(package):
    before = read_package(package)
    (package / "tasks" / "alpha" / "checks" / "it_works.json").write_text(
        json.dumps({"a": 1, "canary": CANARY})
    )
    checks_changed = read_package(package)
    (package / "tasks" / "alpha" / "base" / "entry" / "a.ets").write_text("changed")
    both_changed = read_package(package)

    assert checks_changed.task_set_digest == before.task_set_digest
    assert checks_changed.script_digest != before.script_digest
    assert both_changed.task_set_digest != before.task_set_digest
    assert both_changed.script_digest == checks_changed.script_digest


def test_every_fault_is_reported_at_once(package):
    edit_json(package / "snapshot.json", runs="3", extra=1)
    alpha, beta = package / "tasks" / "alpha", package / "tasks" / "beta"
    edit_json(alpha / "task.json", source="bugfix")
    (alpha / "statement.md").unlink()
    (beta / "reference.patch").write_text("nothing of use")
    (beta / "notes.txt").write_text("?")
    (beta / "checks" / "it_works.py").write_text("def broken(:")
    shutil.rmtree(beta / "base")

    places = {(fault.file, fault.place) for fault in faults_of(package)}

    assert places == {
        ("snapshot.json", "runs"),
        ("snapshot.json", "extra"),
        ("tasks/alpha/task.json", "source"),
        ("tasks/alpha/statement.md", ""),
        ("tasks/beta/reference.patch", ""),
        ("tasks/beta/notes.txt", ""),
        ("tasks/beta/checks/it_works.py", "line 1"),
        ("tasks/beta/checks/it_works.py", ""),  # no canary
        ("tasks/beta/base", ""),
    }


def f_point(**changes):
    (entry,) = task_facts("alpha")["f_points"]
    return {**entry, **changes}


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"slug": "gamma"}, "alpha/task.json, slug: saw 'gamma'. Name the folder"),
        ({"kits": ["ArkUI", "ArkUI"]}, "kits: saw 'ArkUI' 2 times"),
        ({"build_paths": ["../x"]}, "build_paths[0]: saw '../x'"),
        ({"build_paths": ["/x"]}, "build_paths[0]: saw '/x'"),
        ({"bundle_name": "example"}, "bundle_name: saw 'example'"),
        ({"f_points": []}, "f_points: saw []"),
        ({"title": "a\nb"}, r"title: saw 'a\nb'"),
        ({"difficulty": 1}, "difficulty: saw 1"),
        (
            {"f_points": [f_point(dimension="regression")]},
            "saw regression checks alone",
        ),
        (
            {"f_points": [f_point(required=False)]},
            "f_points[0].required: saw false at FP-1, a functional check",
        ),
        (
            {"f_points": [f_point(dimension="functionnal")]},
            "f_points[0].dimension: saw 'functionnal'. Did you mean 'functional'?",
        ),
    ],
)
def test_a_wrong_value_in_a_task_is_named_with_its_place(package, changes, line):
    edit_json(package / "tasks" / "alpha" / "task.json", **changes)

    (found,) = fault_lines(package)

    assert line in found


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("regresion", "regression"),
        ("regresison", "regression"),
        ("visaul", "visual"),
        ("requirement", "requirements"),
        ("non-functional", None),
        ("progression", None),
        ("performance", None),
        ("virtual", None),
        ("functional-ui", None),
        ("regression", "regression"),
    ],
)
def test_a_dimension_that_is_nearly_a_known_one_is_no_own_one(written, meant):
    assert meant_dimension(written) == meant


def test_a_misspelled_regression_check_is_one_fault(package):
    task = package / "tasks" / "alpha" / "task.json"
    stays = f_point(id="FP-2", method="test_two", dimension="regresion", required=False)
    edit_json(task, f_points=[f_point(), stays])
    script = package / "tasks" / "alpha" / "checks" / "it_works.py"
    script.write_text(f"{script.read_text()}\n    def test_two(self):\n        pass\n")

    (line,) = fault_lines(package)

    assert "f_points[1].dimension: saw 'regresion'. Did you mean 'regression'?" in line


def test_a_fault_in_a_task_hides_no_other_of_the_same_file(package):
    task = package / "tasks" / "alpha"
    (task / "screens").mkdir()
    (task / "screens" / "stray.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    edit_json(
        task / "task.json",
        slug="gamma",
        bundle_name="example",
        kits=["ArkUI", "ArkUI"],
        build_paths=["../x"],
        f_points=[
            f_point(id="FP 1", case="not a name"),
            f_point(id="FP-2", dimension="regresion"),
            f_point(id="FP-3", method="test_gone", weight=0),
        ],
        wrong_patches=[
            {"patch": "gone", "f_points": ["FP 1", "FP-9"], "why": "It draws nothing."},
            {"patch": "../x", "f_points": [], "why": ""},
        ],
    )

    found = {
        (fault.file.removeprefix("tasks/alpha/"), fault.place)
        for fault in faults_of(package)
    }

    assert found == {
        ("task.json", "slug"),
        ("task.json", "bundle_name"),
        ("task.json", "kits"),
        ("task.json", "build_paths[0]"),
        ("task.json", "f_points[0].id"),
        ("task.json", "f_points[0].case"),
        ("task.json", "f_points[1].dimension"),
        ("task.json", "f_points[2].weight"),
        ("task.json", "wrong_patches[0].f_points"),
        ("task.json", "wrong_patches[1].patch"),
        ("task.json", "wrong_patches[1].f_points"),
        ("task.json", "wrong_patches[1].why"),
        ("checks/it_works.py", "class it_works"),
        ("screens/stray.png", ""),
        ("wrong/gone.patch", ""),
    }


def test_a_fault_of_an_f_point_leaves_its_name_known(package):
    edit_json(
        package / "tasks" / "alpha" / "task.json",
        f_points=[f_point(id="FP 1")],
        wrong_patches=[
            {"patch": "gone", "f_points": ["FP 1", "FP-9"], "why": "It draws nothing."}
        ],
    )

    assert [(fault.place, fault.saw) for fault in faults_of(package)] == [
        ("f_points[0].id", "'FP 1'"),
        ("wrong_patches[0].f_points", "'FP-9'"),
        ("", "no such file"),
    ]


def test_two_f_points_with_one_id_or_one_method_are_refused(package):
    task = package / "tasks" / "alpha" / "task.json"
    f_points = json.loads(task.read_text())["f_points"]
    edit_json(task, f_points=f_points * 2)

    lines = fault_lines(package)

    assert len(lines) == 2
    assert "'FP-1' 2 times" in lines[0]
    assert "'it_works.test_it' 2 times" in lines[1]


@pytest.mark.parametrize(
    ("script", "saw"),
    [
        ("class other:\n    pass\n", "no class it_works"),
        ("class it_works:\n    pass\n", "no method test_it, which FP-1 names"),
    ],
)
def test_a_case_must_have_the_class_and_method_that_hypium_calls(package, script, saw):
    (package / "tasks" / "alpha" / "checks" / "it_works.py").write_text(
        f"# {CANARY}\n{script}"
    )

    assert [fault.saw for fault in faults_of(package)] == [saw]


def test_a_case_that_no_f_point_names_is_refused(package):
    (package / "tasks" / "alpha" / "checks" / "other.py").write_text(f"# {CANARY}")

    (fault,) = faults_of(package)

    assert (fault.file, fault.saw) == (
        "tasks/alpha/checks/other.py",
        "a file that no F-point names",
    )


@pytest.mark.parametrize(
    ("text", "saw"),
    [
        (JSON_SNAPSHOT.replace("{", '{"format": 1, ', 1), "the key 'format' twice"),
        (JSON_SNAPSHOT.replace(": 5", ": NaN"), "the number NaN"),
        ("{", "text that is not JSON"),
        ("", "an empty file"),
        ("[" * 100_000, "very deep nesting"),
    ],
)
def test_json_that_readers_take_differently_is_refused(package, text, saw):
    (package / "snapshot.json").write_text(text)

    (fault,) = faults_of(package)

    assert fault.file == "snapshot.json"
    assert saw in fault.saw


def test_a_doubled_key_hides_no_other_fault_of_the_file(package):
    text = JSON_SNAPSHOT.replace("{", '{"runs": 3, "sdk": "API 22", ', 1)
    added = {"version": "v1.0", "reason": "Because.", "added": ["gamma"]}
    (package / "snapshot.json").write_text(
        text.replace('"tiny-1.0"', '"tiny 1.0"', 1).replace(
            ": 5}", f': Infinity, "derived_from": {json.dumps(added)}}}'
        )
    )
    (package / "tasks" / "alpha" / "statement.md").write_text(" ")
    (package / "tasks" / "beta" / "checks" / "it_works.json").write_text("{}")

    assert [(each.file, each.place, each.saw) for each in faults_of(package)] == [
        ("snapshot.json", "", "the number Infinity"),
        ("snapshot.json", "", "the key 'runs' twice"),
        ("snapshot.json", "", "the key 'sdk' twice"),
        ("snapshot.json", "version", "'tiny 1.0'"),
        ("tasks/alpha/statement.md", "", "an empty file"),
        ("tasks/beta/checks/it_works.json", "", "no canary"),
        ("snapshot.json", "derived_from.added", "gamma, which is not in this package"),
    ]


def test_a_file_that_is_not_utf_8_is_named_with_the_byte(package):
    (package / "tasks" / "alpha" / "statement.md").write_bytes(b"ab\xff")

    (fault,) = faults_of(package)

    assert fault.place == "byte 2"


def test_links_in_a_package_are_refused(package):
    base = package / "tasks" / "alpha" / "base"
    (base / "one").symlink_to("/etc/passwd")
    (base / "two").symlink_to(base)

    assert [fault.saw for fault in faults_of(package)] == ["a symbolic link"] * 2


def test_names_that_differ_only_in_case_are_refused(package):
    (package / "tasks" / "alpha" / "base" / "entry" / "A.ets").write_text("")

    (fault,) = faults_of(package)

    assert "but for upper and lower case" in fault.saw


def test_a_pipe_in_a_package_is_refused_and_not_opened(package):
    os.mkfifo(package / "tasks" / "alpha" / "base" / "pipe")

    assert "pipe is a named pipe" in fault_lines(package)[0]


def test_a_reference_that_leaves_the_project_is_refused(package):
    patch = package / "tasks" / "alpha" / "reference.patch"
    patch.write_text(patch.read_text().replace("b/entry/a.ets", "b/../a.ets"))

    (fault,) = faults_of(package)

    assert fault.saw == "'../a.ets'"


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    (fault,) = faults_of(tmp_path / "none")

    assert fault.saw == "no such folder"


@pytest.mark.django_db
def test_an_import_creates_tasks_f_points_kits_and_denominators(package):
    task = write_task(package, "gamma", source="spec-driven", kits=["ImageKit"])
    patch = task / "reference.patch"
    patch.write_text(patch.read_text().replace("+two", "+import '@kit.ImageKit'"))

    snapshot, changed = import_package(package)

    assert changed
    assert snapshot.status == SnapshotStatus.DRAFT
    assert snapshot.device_profile_simulated
    assert [task.slug for task in snapshot.tasks.all()] == ["gamma", "alpha", "beta"]
    assert set(snapshot.scopes.values_list("scope", "task_count", "f_point_count")) == {
        ("overall", 3, 3),
        ("spec-driven", 1, 1),
        ("bug-fix", 2, 2),
    }
    task = snapshot.tasks.get(slug="gamma")
    assert task.statement == "The button does nothing.\n"
    assert (task.reference_files, task.reference_lines) == (1, 3)
    assert task.base_digest == tree_digest(package / "tasks" / "gamma" / "base")
    assert [kit.slug for kit in task.kits.all()] == ["image-kit"]
    assert task.declared_kits == ["ImageKit"]
    assert Kit.objects.count() == 1
    assert task.f_points.get().method == "test_it"


@pytest.mark.django_db
def test_the_package_is_copied_below_the_data_folder(package, settings):
    snapshot, _ = import_package(package)

    assert snapshot.package_path == "snapshots/openharmony-bench/tiny-1.0"
    folder = settings.DATA_DIR / snapshot.package_path
    assert tree_digest(folder) == tree_digest(package)
    assert task_folder(snapshot.tasks.first()) == folder / "tasks" / "alpha"
    assert [path.name for path in folder.parent.iterdir()] == ["tiny-1.0"]


@pytest.mark.django_db
def test_importing_twice_changes_nothing(package):
    first, _ = import_package(package)
    tasks = list(Task.objects.values_list("pk", flat=True))

    second, changed = import_package(package)

    assert (second, changed) == (first, False)
    assert list(Task.objects.values_list("pk", flat=True)) == tasks


@pytest.mark.django_db
def test_an_import_restores_a_package_that_was_lost(package, settings):
    snapshot, _ = import_package(package)
    shutil.rmtree(settings.DATA_DIR / snapshot.package_path)
    with pytest.raises(PackageNotHeldError, match="import_snapshot"):
        task_folder(snapshot.tasks.first())

    import_package(package)

    assert task_folder(snapshot.tasks.first()).is_dir()


@pytest.mark.django_db
def test_an_import_leaves_files_alone_that_are_right_already(package, settings):
    snapshot, _ = import_package(package)
    folder = settings.DATA_DIR / snapshot.package_path
    before = folder.stat().st_ino
    (package / "README.md").write_text("A note.")

    assert not import_package(package).changed
    assert folder.stat().st_ino == before


@pytest.mark.django_db
def test_an_import_puts_a_damaged_package_right(package, settings):
    snapshot, _ = import_package(package)
    stored = settings.DATA_DIR / snapshot.package_path
    (stored / "tasks" / "alpha" / "checks" / "it_works.py").write_text("broken")

    import_package(package)

    assert tree_digest(stored) == tree_digest(package)


@pytest.mark.django_db
def test_an_open_snapshot_refuses_other_content(package, settings):
    snapshot, _ = import_package(package)
    EvaluationSnapshot.objects.update(status=SnapshotStatus.OPEN)
    stored = tree_digest(settings.DATA_DIR / snapshot.package_path)
    (package / "tasks" / "alpha" / "statement.md").write_text("Something else.\n")

    with pytest.raises(SnapshotConflictError, match="new version"):
        import_package(package)

    assert tree_digest(settings.DATA_DIR / snapshot.package_path) == stored
    assert snapshot.tasks.first().statement == "The button does nothing.\n"


@pytest.mark.django_db
def test_a_draft_is_replaced_until_something_was_measured_on_it(package):
    first, _ = import_package(package)
    shutil.rmtree(package / "tasks" / "beta")
    edit_json(package / "snapshot.json", title="Smaller")

    second, changed = import_package(package)

    assert (second.pk, changed) == (first.pk, True)
    second.refresh_from_db()
    assert second.title == "Smaller"
    assert second.tasks.count() == FPoint.objects.count() == 1
    assert second.scopes.get(scope="overall").task_count == 1

    EvaluationFactory(snapshot=second)
    edit_json(package / "snapshot.json", title="Smaller still")
    with pytest.raises(SnapshotConflictError, match="was evaluated already"):
        import_package(package)


@pytest.mark.django_db
def test_an_import_that_fails_leaves_nothing_behind(package, settings, monkeypatch):
    def full_disk(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr("pathlib.Path.rename", full_disk)
    with pytest.raises(CommandError, match="No space left"):
        call_command("import_snapshot", str(package))

    assert not EvaluationSnapshot.objects.exists()
    folder = settings.DATA_DIR / "snapshots" / "openharmony-bench"
    assert list(folder.iterdir()) == []


@pytest.mark.django_db
def test_an_export_is_the_imported_package_byte_by_byte(package, tmp_path):
    script = package / "tasks" / "alpha" / "base" / "hvigorw"
    script.write_bytes(b"#!/bin/sh\r\n")
    script.chmod(0o755)
    snapshot, _ = import_package(package)

    export_package(snapshot, tmp_path / "out")

    assert tree_digest(tmp_path / "out") == tree_digest(package)
    assert import_package(tmp_path / "out").changed is False


@pytest.mark.django_db
def test_an_export_never_goes_over_a_folder_with_files(package, tmp_path):
    snapshot, _ = import_package(package)
    (tmp_path / "kept.txt").write_text("mine")

    with pytest.raises(ExportError, match="does not exist yet"):
        export_package(snapshot, tmp_path)

    assert (tmp_path / "kept.txt").read_text() == "mine"


@pytest.mark.django_db
def test_a_stored_package_that_was_changed_is_not_exported_in_silence(
    package, tmp_path, settings
):
    snapshot, _ = import_package(package)
    stored = settings.DATA_DIR / snapshot.package_path
    (stored / "tasks" / "alpha" / "statement.md").write_text("Changed.")

    with pytest.raises(ExportError, match="digests differ"):
        export_package(snapshot, tmp_path / "out")

    assert not (tmp_path / "out").exists()


@pytest.mark.django_db
def test_the_commands_import_and_export_by_a_short_version(tmp_path, capsys):
    call_command("import_snapshot", str(DEMO))
    call_command("export_snapshot", "demo", str(tmp_path / "out"))

    assert tree_digest(tmp_path / "out") == tree_digest(DEMO)
    assert "demo-0.2 imported: 12 tasks, draft." in capsys.readouterr().out


@pytest.mark.django_db
def test_the_import_command_lists_all_faults(package):
    edit_json(package / "snapshot.json", runs=0)
    (package / "tasks" / "alpha" / "statement.md").unlink()

    with pytest.raises(CommandError) as caught:
        call_command("import_snapshot", str(package))

    message = str(caught.value)
    assert message.startswith("The task package has 2 faults:\n  snapshot.json, runs")
    assert not EvaluationSnapshot.objects.exists()


@pytest.mark.django_db
def test_exporting_a_snapshot_without_package_says_why(tmp_path):
    EvaluationSnapshotFactory(version="v1.0")

    with pytest.raises(CommandError, match="is not held"):
        call_command("export_snapshot", "v1.0", str(tmp_path / "out"))


@pytest.mark.django_db
@pytest.mark.parametrize(
    "text", ["demo-0.1", "demo", "demo-0", "openharmony-bench/demo"]
)
def test_a_version_may_be_short_where_it_is_unique(text):
    EvaluationSnapshotFactory(version="v1.0")
    demo = EvaluationSnapshotFactory(version="demo-0.1")

    assert snapshot_by_version(text) == demo


@pytest.mark.django_db
def test_an_exact_version_wins_over_longer_ones():
    exact = EvaluationSnapshotFactory(version="v1")
    EvaluationSnapshotFactory(version="v1.1")

    assert snapshot_by_version("v1") == exact


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["dem", "", "0.1", "other/demo"])
def test_an_unknown_version_is_answered_with_the_known_ones(text):
    EvaluationSnapshotFactory(version="v1.0")
    EvaluationSnapshotFactory(version="demo-0.1")

    with pytest.raises(SnapshotLookupError, match=r"Known: demo-0\.1, v1\.0\."):
        snapshot_by_version(text)


@pytest.mark.django_db
def test_an_ambiguous_version_is_answered_with_the_choices():
    for slug in ("one", "two"):
        EvaluationSnapshotFactory(benchmark=BenchmarkFactory(slug=slug), version="v1.0")

    with pytest.raises(SnapshotLookupError, match=r"fits one/v1\.0, two/v1\.0"):
        snapshot_by_version("v1")

    assert snapshot_by_version("two/v1").benchmark.slug == "two"


@pytest.mark.django_db
def test_a_source_without_tasks_is_answered_with_the_known_ones():
    snapshot = EvaluationSnapshotFactory(task_count=2)

    assert scope_by_name("spec-driven", snapshot=snapshot) == Scope.SPEC_DRIVEN
    known = "Known: overall, new-feature, spec-driven"
    with pytest.raises(ScopeLookupError, match=known):
        scope_by_name("bug-fix", snapshot=snapshot)


CONDITIONS = {
    "benchmark": "openharmony-bench",
    "benchmark_version": "v1.0",
    "task_set_digest": "a",
    "script_digest": "b",
    "agent_name": "DevEco Code",
    "agent_version": "0.1.0-1.3",
    "sdk": "API 23",
    "toolchain": "DevEco 6.1",
    "device_profile": "phone",
    "run_count": 3,
    "repair_limit": 5,
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_each_condition_changes_the_comparability_key(name):
    mine = Conditions(**CONDITIONS)
    other = 4 if isinstance(CONDITIONS[name], int) else "other"
    theirs = Conditions(**{**CONDITIONS, name: other})

    assert comparability_key(mine) != comparability_key(theirs)
    assert differing_fields(mine, theirs) == [name]


def test_the_comparability_key_of_known_conditions_never_changes():
    key = comparability_key(Conditions(**CONDITIONS))

    assert key == "9e651312cbc6dbcde80b573de879dcba92efcab4ad554814ee038a79593af63c"
