"""Table 2 and Figure 3 of the paper, computed from a snapshot."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from leaderboard.kit_names import KitList
from leaderboard.metrics import Scope
from leaderboard.models import EvaluationSnapshot, SnapshotStatus, Task
from leaderboard.published_checks import differences, failed_checks
from leaderboard.snapshots import import_package, kit_differences
from leaderboard.snapshots.bases import stored_base
from leaderboard.snapshots.derived import reference_kits
from leaderboard.statistics import (
    TaskFacts,
    bucket_of,
    input_length,
    median,
    quantile,
    quartiles,
    snapshot_statistics,
)
from leaderboard.trees import tree_digest
from tests.leaderboard.packages import edit_json, write_package, write_task

ROOT = Path(__file__).resolve().parent.parent.parent
PUBLISHED = ROOT / "fixtures" / "published" / "benchmark-v1.0.json"
DEMO = ROOT / "fixtures" / "snapshots" / "demo"
LIST = KitList(("ArkUI", "ArkData", "Image Kit"), 3, complete=True, source="a list")


def facts(source="bug-fix", **changes):
    found = {
        "difficulty": "easy",
        "repository": "one",
        "input_length": 10,
        "f_point_count": 1,
        "reference_files": 1,
        "reference_lines": 1,
        "kits": ["ArkUI"],
        **changes,
    }
    return TaskFacts(source=Scope(source), **found)


@pytest.mark.parametrize(
    ("values", "low", "middle", "high"),
    [
        ([5], 5, 5, 5),
        ([1, 2], Fraction(5, 4), Fraction(3, 2), Fraction(7, 4)),
        ([3, 1, 2], Fraction(3, 2), 2, Fraction(5, 2)),
        # By hand: places 0.75, 1.5 and 2.25 of 1, 4, 9, 16.
        ([9, 1, 16, 4], Fraction(13, 4), Fraction(13, 2), Fraction(43, 4)),
        ([1, 2, 3, 4, 5], 2, 3, 4),
    ],
)
def test_quartiles_lie_linearly_between_the_sorted_values(values, low, middle, high):
    assert quartiles(values) == (low, middle, high)


def test_the_quartile_rule_is_one_that_can_give_the_published_ones():
    # 71 inputs: a quarter of the way is place 17.5, halfway between two lengths.
    values = list(range(71))
    assert quantile(values, Fraction(3, 4)) == Fraction(105, 2)
    # 32 inputs: place 7.75, so a printed .8 may be .75; medians of halves end in .5.
    assert quantile(list(range(32)), Fraction(1, 4)) == Fraction(31, 4)


def test_nothing_has_no_median():
    with pytest.raises(ValueError, match="at least one value"):
        median([])


def test_the_length_of_an_input_leaves_all_white_space_out():
    assert input_length("a b\n\tc\u3000d\u00a0e\r\n") == 5


@pytest.mark.parametrize(
    ("count", "bucket"),
    [
        (100, "very_frequent"),
        (50, "very_frequent"),
        (49, "frequent"),
        (10, "frequent"),
        (9, "occasional"),
        (3, "occasional"),
        (2, "rare"),
        (1, "rare"),
        (0, "uncovered"),
    ],
)
def test_a_kit_falls_into_one_bucket(count, bucket):
    assert bucket_of(count, 100) == bucket


def test_sources_and_overall_are_counted_with_repositories_as_a_union():
    tasks = [
        facts("bug-fix", repository="one", input_length=10, difficulty="hard"),
        facts("bug-fix", repository="one", input_length=21, reference_lines=4),
        facts("bug-fix", repository="two", input_length=30, reference_files=4),
        facts("spec-driven", repository="two", f_point_count=4, input_length=100),
    ]

    found = snapshot_statistics(tasks, LIST, sdk_commit="c")

    overall, spec, bugs = found["scopes"]
    assert [each["scope"] for each in found["scopes"]] == [
        "overall",
        "spec-driven",
        "bug-fix",
    ]
    assert (overall["inputs"], overall["f_points"], overall["mean_f_points"]) == (
        4,
        7,
        1.75,
    )
    assert [overall["repositories"], spec["repositories"], bugs["repositories"]] == [
        2,
        1,
        2,
    ]
    assert bugs["difficulty"] == {"easy": 2, "medium": 0, "hard": 1}
    assert bugs["input_length"] == {"low": 15.5, "median": 21.0, "high": 25.5}
    assert (bugs["reference_files_median"], bugs["reference_lines_median"]) == (1, 1)
    assert overall["reference_lines_median"] == 1
    assert bugs["largest_repository"] == {"inputs": 2, "share": pytest.approx(2 / 3)}
    assert bugs["top3_repositories"]["inputs"] == 3
    assert found["f_points_per_input"] == [
        {"f_points": 1, "inputs": 3},
        {"f_points": 4, "inputs": 1},
    ]
    assert found["repositories"][0] == {"name": "one", "inputs": 2, "share": 0.5}


def test_kits_are_counted_once_a_task_against_the_list():
    tasks = [
        facts(kits=["ArkUI", "Ark UI"]),
        facts(kits=["ArkUI", "ImageKit", "Scan Kit"]),
        facts(kits=[]),
    ]

    kits = snapshot_statistics(tasks, LIST, sdk_commit="c")["kits"]

    assert (kits["covered"], kits["list"]["size"], kits["without_kit"]) == (2, 3, 1)
    assert [(each["kit"], each["inputs"]) for each in kits["top"]] == [
        ("ArkUI", 2),
        ("Image Kit", 1),
    ]
    assert [each["kit"] for each in kits["outside"]] == ["Scan Kit"]
    assert kits["buckets"] == {
        "very_frequent": 1,
        "frequent": 1,
        "occasional": 0,
        "rare": 0,
        "uncovered": 1,
    }
    assert sum(kits["buckets"].values()) == kits["list"]["size"]


def test_the_published_figures_agree_with_each_other():
    assert failed_checks(json.loads(PUBLISHED.read_text())) == []


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("task_sources", "bug-fix", "tasks"), 70, "the sources have 152 tasks"),
        (("task_sources", "spec-driven", "mean_f_points"), 2.79, "are not 2.79 each"),
        (("overall", "difficulty", "hard"), 24, "sum up to 154"),
        (("overall", "repositories"), 54, "are no union"),
        (("kit_coverage", "covered"), 30, "do not sum up to 30 of 39"),
        (("kit_coverage", "top_ten_percent_of_tasks", "ArkUI"), 94.3, "is 94.3 %"),
        (("task_sources", "new-feature", "largest_repository_percent"), 31.5, "31.5 %"),
    ],
)
def test_a_published_figure_that_does_not_follow_is_named(path, value, says):
    document = json.loads(PUBLISHED.read_text())
    place = changed = copy.deepcopy(document)
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value

    assert any(says in fault for fault in failed_checks(changed))


def as_computed(document):
    """Statistics that a package of just the published figures would have."""
    scopes = [
        {
            "scope": name,
            "inputs": source["tasks"],
            "f_points": source["f_points"],
            "repositories": source["repositories"],
            "difficulty": source["difficulty"],
            "input_length": dict(
                zip(("low", "high"), source["input_length_chars"]["iqr"], strict=True),
                median=source["input_length_chars"]["median"],
            ),
            "reference_files_median": source["reference_files_median"],
            "reference_lines_median": source["reference_loc_median"],
            **{
                field: {
                    "inputs": round(source[f"{field}_percent"] * source["tasks"] / 100)
                }
                for field in ("largest_repository", "top3_repositories")
            },
        }
        for name, source in document["task_sources"].items()
    ]
    return {"scopes": [{"scope": "overall", "repositories": 42}, *scopes]}


def test_computed_figures_are_held_against_the_published_ones():
    document = json.loads(PUBLISHED.read_text())
    computed = as_computed(document)
    # Exact quartiles print as 61.8 and 165.2.
    computed["scopes"][1]["input_length"] |= {"low": 61.75, "high": 165.25}
    assert differences(document, computed) == []

    computed["scopes"][1]["input_length"]["low"] = 61.5
    computed["scopes"][3]["top3_repositories"]["inputs"] = 23
    computed["scopes"][0]["repositories"] = 43
    del computed["scopes"][2]

    assert differences(document, computed) == [
        "new-feature: low quartile of the input length is 61.5, published 61.8.",
        "spec-driven: published, but no such task is held.",
        "bug-fix: top3_repositories_percent is 32.3944, published 31.",
        "overall: 43 repositories, published 42.",
    ]


@pytest.fixture
def demo(db):
    snapshot, _ = import_package(DEMO)
    EvaluationSnapshot.objects.update(status=SnapshotStatus.OPEN)
    return snapshot


def test_the_kits_of_the_demo_are_those_that_its_tasks_declare(demo):
    assert kit_differences(demo) == []
    assert {
        task.slug: [kit.name for kit in task.kits.all()] for task in demo.tasks.all()
    } == {
        "chat-input-bar": ["ArkUI"],
        "gallery-text-entry": ["ArkUI"],
        "notes-about-page": ["Basic Services Kit", "Performance Analysis Kit"],
        "notes-backup": [
            *("Ability Kit", "ArkTS", "ArkUI"),
            *("Basic Services Kit", "Core File Kit", "Performance Analysis Kit"),
        ],
        "notes-edit-dates": ["ArkUI"],
        "notes-lost-on-restart": ["ArkData"],
        "notes-search": ["ArkData", "ArkUI"],
        "pantry-clear-bought": ["ArkUI"],
        "pantry-item-page": ["ArkUI"],
        "pantry-total": ["ArkUI", "Localization Kit"],
        "pantry-wrong-item": ["ArkUI"],
        "penkit-crash": ["ArkData"],
    }


def test_the_statistics_of_the_demo_are_stored_and_shown(client, demo):
    overall = demo.statistics["scopes"][0]
    assert (overall["inputs"], overall["f_points"]) == (12, 20)
    assert demo.statistics["kits"]["covered"] == 8

    html = client.get("/benchmark/").content.decode()

    assert "8 of 48 Kits covered" in html
    assert "Size of the work" in html
    assert "39 frequently used ones" in html
    lengths = [input_length(task.statement) for task in demo.tasks.all()]
    assert f">{float(median(lengths))}<" in html


def test_pages_read_what_the_import_stored(client, demo):
    changed = copy.deepcopy(demo.statistics)
    changed["scopes"][0]["repositories"] = 77
    EvaluationSnapshot.objects.update(statistics=changed)

    assert ">77<" in client.get("/benchmark/").content.decode()


def test_the_api_tells_statistics(client, demo, published):
    response = client.get("/api/v1/snapshots/openharmony-bench/demo-0.2/")
    assert response.json()["statistics"] == demo.statistics

    response = client.get("/api/v1/snapshots/openharmony-bench/v1.0/")
    assert response.json()["statistics"] is None
    assert response.json()["composition"]["overall"]["tasks"] == 153


@pytest.fixture
def package(tmp_path):
    folder = write_package(tmp_path / "package", "alpha")
    write_task(folder, "beta", source="spec-driven")
    return folder


def lines_of(*arguments):
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


@pytest.mark.django_db
def test_the_import_warns_of_kits_that_are_declared_otherwise(package):
    patch = package / "tasks" / "alpha" / "reference.patch"
    added = "+import { http } from '@kit.NetworkKit'"
    patch.write_text(patch.read_text().replace("+two", added))
    edit_json(package / "tasks" / "beta" / "task.json", kits=[])

    text = lines_of("import_snapshot", str(package))

    assert "Warnings (1):" in text
    assert (
        "tasks/alpha/task.json, kits: saw ArkUI; the reference patch touches Network "
        "Kit." in text
    )


@pytest.mark.django_db
def test_the_imports_of_a_fetched_base_project_are_known_too(package):
    task = package / "tasks" / "alpha"
    (task / "base" / "entry" / "a.ets").write_text("import { two } from '@kit.Two'\n")
    digest = tree_digest(task / "base")
    stored_base(digest).parent.mkdir(parents=True, exist_ok=True)
    (task / "base").rename(stored_base(digest))
    named = {"url": "https://example.org/a.git", "commit": "1" * 40, "sha256": digest}
    (task / "base.json").write_text(json.dumps(named))
    patch = (task / "reference.patch").read_text()
    lines = patch[: patch.index("@@")] + "@@ -1,0 +2 @@\n+two.run()\n"
    (task / "reference.patch").write_text(lines)

    snapshot, _ = import_package(package)

    assert [kit.name for kit in snapshot.tasks.get(slug="alpha").kits.all()] == ["Two"]


def test_no_file_outside_of_the_base_project_is_read(tmp_path):
    (tmp_path / "outside.ets").write_text("import { two } from '@kit.Two'\n")
    (tmp_path / "base").mkdir()
    (tmp_path / "reference.patch").write_text(
        "diff --git a/../outside.ets b/in.ets\nsimilarity index 90%\n"
        "rename from ../outside.ets\nrename to in.ets\n@@ -1,0 +2 @@\n+two.run()\n"
    )

    assert reference_kits(tmp_path, "") == ()


@pytest.mark.django_db
def test_the_task_page_and_list_use_computed_kits_and_tell_the_difference(
    client, package
):
    snapshot, _ = import_package(package)
    EvaluationSnapshot.objects.update(status=SnapshotStatus.OPEN)

    page = client.get(f"/tasks/{snapshot.version}/alpha/").content.decode()
    rows = client.get("/tasks/").content.decode()

    assert "the task declares ArkUI" in page
    assert rows.count("declared otherwise") == 2
    assert "arkui" not in rows
    answer = client.get(f"/api/v1/tasks/{snapshot.version}/alpha/").json()
    assert (answer["kits"], answer["declared_kits"]) == ([], ["ArkUI"])


@pytest.mark.django_db
def test_importing_again_fills_in_what_an_earlier_release_did_not_compute(package):
    snapshot, _ = import_package(package)
    wanted = snapshot.statistics
    EvaluationSnapshot.objects.update(statistics={})
    Task.objects.update(declared_kits=None)

    again, changed = import_package(package)

    assert not changed
    again.refresh_from_db()
    assert again.statistics == wanted
    assert not Task.objects.filter(declared_kits=None).exists()


@pytest.mark.django_db
def test_the_command_prints_a_table_and_the_stored_document(demo):
    table = lines_of("snapshot_statistics", "demo")
    assert "Kits: 8 of 48" in table
    assert "overall" in table and "spec-driven" in table

    document = json.loads(lines_of("snapshot_statistics", "demo", "--format", "json"))
    assert document["statistics"] == demo.statistics
    assert document["published"] is None


@pytest.mark.django_db
def test_the_command_computes_anew_with_the_lists_of_the_operator(
    demo, settings, tmp_path
):
    settings.BENCHMARK_FACTS = str(tmp_path)
    (tmp_path / "openharmony-bench").mkdir()
    document = {"kits": ["ArkUI", "Scan Kit"], "size": 2, "source": "by hand"}
    (tmp_path / "openharmony-bench" / "kits.json").write_text(json.dumps(document))

    text = lines_of("snapshot_statistics", "demo", "--recompute")

    assert "Kits: 1 of 2 (by hand)" in text
    demo.refresh_from_db()
    outside = [each["kit"] for each in demo.statistics["kits"]["outside"]]
    assert len(outside) == 7 and "ArkUI" not in outside


def test_the_command_checks_published_figures(published):
    text = lines_of("snapshot_statistics", "v1.0")

    assert "nothing can be computed" in text
    assert "They agree with each other." in text
    with pytest.raises(CommandError, match="is not held"):
        call_command("snapshot_statistics", "v1.0", "--recompute")


def test_the_command_compares_with_the_figures_of_another_snapshot(demo, published):
    text = lines_of("snapshot_statistics", "demo", "--against", "v1.0")

    assert "bug-fix: tasks is 4, published 71." in text
    assert "overall: 5 repositories, published 42." in text


@pytest.mark.django_db
def test_the_command_names_the_snapshots_there_are(demo):
    with pytest.raises(CommandError, match="Known: demo"):
        call_command("snapshot_statistics", "nope")
