"""Benchmarks by pass rate: their figures, their pages, and that they keep apart."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from pathlib import Path

import pytest
from django.core.cache import caches
from django.core.management import CommandError, call_command

from leaderboard.completion_rate import DimensionScore, completion_rate
from leaderboard.current import current_of, listed_snapshots
from leaderboard.metrics import (
    PassStanding,
    Scope,
    TaskRunScore,
    pass_counts,
    pass_ranks,
    rounded,
)
from leaderboard.models import (
    Benchmark,
    Configuration,
    Evaluation,
    EvaluationSnapshot,
    PassTotals,
    Provenance,
    ScopeTotals,
    ScoringPolicy,
    Visibility,
)
from leaderboard.passing.published import load_guests
from leaderboard.passing.standings import pass_standings
from leaderboard.published import PublishedFiguresError, load_published
from leaderboard.standings import OtherPolicyError, standings
from tests.factories import BenchmarkFactory

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "published"
FILE = "android-bench-1.0.json"


@pytest.fixture
def guests(db) -> dict[str, EvaluationSnapshot]:
    """Both benchmarks, as ``load_published`` leaves them; the guests by version."""
    load_published(FOLDER)
    return {each.snapshot.version: each.snapshot for each in load_guests(FOLDER)}


def of_model(model: str) -> Evaluation:
    return Evaluation.objects.get(configuration__model=model)


# The example of the methodology page, by hand: 4 of 14 and 8.8 of 14.
EXAMPLE = [
    *[TaskRunScore(Fraction(1), passed=True)] * 4,
    *[TaskRunScore(Fraction(4, 5), passed=False)] * 6,
    *[TaskRunScore(Fraction(0), passed=False)] * 4,
    None,
]


def test_incomplete_task_runs_are_in_neither_rate_and_are_counted():
    found = pass_counts(EXAMPLE)

    assert found[:3] == (4, 14, 1)
    assert (found.pass_rate, found.completion_rate) == (
        Fraction(2, 7),
        Fraction(22, 35),
    )


def test_nothing_finished_is_unknown_not_zero():
    found = pass_counts([None, None])

    assert (found.pass_rate, found.completion_rate) == (None, None)
    assert found.incomplete == 2


@pytest.mark.parametrize(
    "score",
    [
        TaskRunScore(Fraction(3, 2), passed=False),
        TaskRunScore(Fraction(1, 2), passed=True),
    ],
)
def test_an_impossible_score_is_refused(score):
    with pytest.raises(ValueError, match="is not a score"):
        pass_counts([score])


@pytest.mark.parametrize(
    ("rows", "ranks"),
    [
        # The completion rate never lifts a row over a higher pass rate.
        (
            [(Fraction(1, 2), Fraction(1, 100)), (Fraction(1, 3), Fraction(99, 100))],
            [1, 2],
        ),
        (
            [
                (Fraction(1, 2), Fraction(3, 5)),
                (Fraction(1, 2), Fraction(4, 5)),
                (Fraction(1, 2), Fraction(3, 5)),
            ],
            [2, 1, 2],
        ),
        # One unknown completion rate: nobody of that pass rate is put above another.
        (
            [
                (Fraction(1, 2), None),
                (Fraction(1, 2), Fraction(4, 5)),
                (Fraction(1, 4), Fraction(1)),
            ],
            [1, 1, 3],
        ),
        (
            [(Fraction(1, 3), Fraction(1, 10)), (Fraction(333, 1000), Fraction(9, 10))],
            [1, 2],
        ),
    ],
)
def test_rows_are_ranked_by_pass_rate_then_completion_rate(rows, ranks):
    assert pass_ranks([PassStanding(*row) for row in rows]) == ranks


def test_the_quoted_example_is_what_the_formula_gives():
    quoted = json.loads((FOLDER / "android-bench-2.0.json").read_text("utf-8"))
    (example,) = [each for each in quoted["quoted"] if each.get("components")]
    scores = [
        DimensionScore(
            each["dimension"], Fraction(each["score"]), Fraction(each["weight"])
        )
        for each in example["components"]
    ]

    printed = str(rounded(completion_rate(scores), 4))

    assert printed == example["completion_rate"] == "0.8861"


def test_published_rates_are_kept_as_printed_and_no_count_is_made(guests):
    held = json.loads((FOLDER / FILE).read_text("utf-8"))["configurations"]
    table = pass_standings(guests["1.0"])

    assert [row.figures.printed["pass_rate"] for row in table.rows] == [
        each["rates"]["pass_rate"] for each in held
    ]
    assert [row.rank for row in table.rows] == list(range(1, 11))
    first = table.rows[0].figures
    assert first.pass_rate == Fraction(708, 1000)
    assert first.interval == (95, Fraction(634, 1000), Fraction(781, 1000))
    assert first.completion_rate is first.counts is first.task_count is None
    # 78.1 is above every other rate; 63.4 is below five other upper ends.
    assert table.rows[0].rank_span == (1, 6)
    assert table.rows[-1].rank_span == (10, 10)
    assert not ScopeTotals.objects.filter(evaluation__snapshot=guests["1.0"]).exists()
    assert not PassTotals.objects.exclude(perfect_count=None).exists()


def test_loading_again_changes_nothing_and_withdrawn_stays_withdrawn(guests):
    gone = of_model("gpt-5.2-codex")
    Evaluation.objects.filter(pk=gone.pk).update(
        visibility=Visibility.WITHDRAWN, withdrawn_reason="asked for"
    )

    assert [each.created_count for each in load_guests(FOLDER)] == [0, 0]

    table = pass_standings(guests["1.0"])
    assert [each for each, _ in table.strikes] == [gone]
    assert len(table.rows) == 9


def test_tables_of_two_policies_never_mix(guests):
    own = EvaluationSnapshot.objects.get(version="v1.0")

    for version in ("1.0", "2.0"):
        with pytest.raises(OtherPolicyError, match="pass-and-completion"):
            standings(guests[version])
    with pytest.raises(OtherPolicyError, match="task-completion"):
        pass_standings(own)

    assert current_of(listed_snapshots()) == own


def test_a_guest_moves_no_rank_of_the_sites_own_benchmark(db):
    own = load_published(FOLDER).snapshot
    before = [
        [(row.evaluation.pk, row.rank, row.rank_span) for row in standings(own, s).rows]
        for s in Scope
    ]

    load_guests(FOLDER)

    assert before == [
        [(row.evaluation.pk, row.rank, row.rank_span) for row in standings(own, s).rows]
        for s in Scope
    ]
    assert len(before[0]) == 8


def edited(tmp_path: Path, **changes: object) -> Path:
    """A folder with the file of 1.0 in which paths such as ``a__0__b`` are set."""
    held = json.loads((FOLDER / FILE).read_text("utf-8"))
    for path, value in changes.items():
        *steps, last = path.split("__")
        place = held
        for step in steps:
            place = place[int(step) if step.isdigit() else step]
        place[last] = value
    (tmp_path / FILE).write_text(json.dumps(held), "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"configurations__0__rates__pass_rate": "170"}, "configurations.0.rates"),
        ({"configurations__0__rates__pass_rate": "90.0"}, "lie in its interval"),
        ({"configurations__1__model": "gemini-3.1-pro-preview"}, "there twice|lie"),
        ({"source__kind": "press"}, "source.kind"),
        ({"source__dated": None}, "source.dated: null"),
        ({"snapshot__tasks": 3, "snapshot__streams": [None]}, "snapshot.streams.0"),
        ({"snapshot__benchmark__slug": "openharmony-bench"}, "policy task-completion"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(db, tmp_path, changes, message):
    BenchmarkFactory(slug="openharmony-bench")
    folder = edited(tmp_path, **changes)
    if "configurations__1__model" in changes:
        edited(folder, **changes, configurations__1__provider="gemini")

    with pytest.raises(PublishedFiguresError, match=message) as caught:
        load_guests(folder)

    assert FILE in str(caught.value)
    assert not Benchmark.objects.filter(slug="android-bench").exists()


def test_the_command_loads_both_benchmarks_or_nothing(db, tmp_path, capsys):
    for path in FOLDER.glob("*.json"):
        shutil.copy(path, tmp_path)
    edited(tmp_path, source__dated="yesterday")

    with pytest.raises(CommandError, match=r"source\.dated"):
        call_command("load_published", str(tmp_path))
    assert not EvaluationSnapshot.objects.exists()

    call_command("load_published")
    assert "Android Bench 1.0: 10 published evaluations" in capsys.readouterr().out


PAGES = {
    "/": ["OpenHarmony", "Android Bench"],
    "/s/android-bench/1.0/": ["70.8", "[63.4–78.1]", "tech_report.md", "95 %"],
    "/s/android-bench/1.0/?as_of=2026-03-01": ["70.8", "Standings of 2026-03-01"],
    "/s/android-bench/1.0/?sort=name": ["70.8", "sort=name"],
    "/s/android-bench/2.0/": ["No results for Android Bench 2.0", "0.409", "Opus 5"],
    "/s/android-bench/2.0/?source=migrations": ["Migrations", "13"],
    "/s/android-bench/2.0/?source=bug-fix": [
        "source=bug-fix",
        "Choose from: overall, ",
    ],
    "/embed/android-bench/1.0/": ["70.8"],
    "/embed/android-bench/2.0/": ["No results yet"],
    "/snapshots/": ["another benchmark", "Android Bench 2.0"],
    "/tasks/?snapshot=android-bench/2.0": ["30 tasks", "not published"],
    "/tasks/?snapshot=android-bench/1.0": ["Their number is not published either"],
    "/benchmark/?snapshot=android-bench/2.0": [
        "App conversions",
        "1,200–5,500",
        "43.3",
    ],
    "/benchmark/?snapshot=android-bench/1.0": ["The composition was not published"],
    "/benchmark/data.csv?snapshot=android-bench/2.0": ["migrations,13,200,8200,5,294"],
    "/methodology/": ["PR = 4 / 14 = 28.57 %", "8.8 / 14 = 62.86 %", "1.5 = 0.8861"],
    "/feed.atom": ["Pass rate 70.8 %"],
    "/zh-hans/s/android-bench/2.0/": ["迁移", "完成度"],
}


def test_pages_show_what_is_published_of_either_benchmark(client, guests):
    found = {path: client.get(path) for path in PAGES}

    assert {each.status_code for each in found.values()} == {200}
    assert [
        (path, part)
        for path, parts in PAGES.items()
        for part in parts
        if part not in found[path].content.decode()
    ] == []


def test_pages_of_one_entry(client, guests):
    found, own = of_model("claude-opus-4-6"), of_model("GLM-5.2")

    page = client.get(found.get_absolute_url()).content.decode()
    badge = client.get(f"/e/{found.pk}/badge.svg").content.decode()
    history = client.get(found.configuration.get_absolute_url()).content.decode()
    compared = client.get(f"/compare/?a={found.pk}&b={own.pk}").content.decode()

    assert "66.4 %" in page
    assert "Artifacts are not held" in page
    assert "rank 2 of 10 · pass rate 66.4 %" in badge
    assert "Another measure" in history
    assert f"Evaluation {found.pk} of Android Bench 1.0 cannot be compared" in compared
    assert found.configuration.model not in compared.split("<select")[1]


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/explore/?snapshot=android-bench/1.0", "/s/android-bench/1.0/"),
        (
            "/benchmark/changes/?from=v1.0&to=android-bench/2.0",
            "/benchmark/?snapshot=android-bench%2F2.0",
        ),
    ],
)
def test_what_a_guest_has_not_leads_to_what_it_has(client, guests, path, target):
    assert client.get(path).headers["Location"] == target


def test_figures_and_days_that_a_guest_has_not_are_not_found(client, guests):
    for path in ("figures/cost.svg", "?as_of=2026-02-24"):
        assert client.get(f"/s/android-bench/1.0/{path}").status_code == 404


def test_a_leaderboard_costs_the_same_however_many_rows_it_has(
    client, guests, django_assert_num_queries, settings
):
    settings.OHB_PAGE_CACHE = False
    # The page cache asks once more, for the version of the data.
    Evaluation.objects.exclude(configuration__model="gemini-2.5-pro").filter(
        snapshot=guests["1.0"]
    ).update(visibility=Visibility.PRIVATE)
    path = "/s/android-bench/1.0/"
    with django_assert_num_queries(2):
        client.get(path)
    Evaluation.objects.update(visibility=Visibility.PUBLIC)
    for address in (path, "/api/v1/leaderboard/?snapshot=android-bench/1.0"):
        with django_assert_num_queries(2):
            assert client.get(address).status_code == 200


def test_a_stranger_costs_at_most_four_queries_on_any_day(
    client, guests, django_assert_max_num_queries, settings
):
    settings.OHB_PAGE_CACHE = True
    for path in (
        "/s/android-bench/1.0/",
        "/s/android-bench/1.0/?as_of=2026-03-01",
        "/s/android-bench/2.0/?source=migrations&page=9",
        "/zh-hans/s/android-bench/1.0/?as_of=2026-03-01",
        "/embed/android-bench/1.0/?as_of=2026-03-01",
        "/api/v1/leaderboard/?snapshot=android-bench/1.0&as_of=2026-03-01",
    ):
        caches["pages"].clear()
        with django_assert_max_num_queries(4):
            assert client.get(path).status_code == 200, path
    caches["pages"].clear()


def test_the_api_gives_rows_of_the_kind_that_it_names(client, guests):
    own = client.get("/api/v1/leaderboard/").json()
    found = client.get("/api/v1/leaderboard/?benchmark=android-bench").json()

    assert own["snapshot"]["policy"] == "task-completion"
    assert "pass_rate" not in own["results"][0]
    assert found["policy"] == found["snapshot"]["policy"] == "pass-and-completion"
    assert (found["snapshot"]["version"], found["count"]) == ("1.0", 10)
    row = found["results"][0]
    assert row["pass_rate"] == 0.708
    assert row["pass_rate_interval"] == {"level": 0.95, "low": 0.634, "high": 0.781}
    assert row["completion_rate"] is row["passed"] is row["incomplete"] is None
    assert row["printed"]["stability"] == "0.812121"
    assert found["snapshot"]["run_count"] is found["snapshot"]["sdk"] is None

    last = client.get("/api/v1/leaderboard/?snapshot=1.0&offset=9&limit=5").json()
    assert [each["rank"] for each in last["results"]] == [10]

    one = client.get("/api/v1/snapshots/android-bench/2.0/").json()
    assert {slug: each["tasks"] for slug, each in one["streams"].items()} == {
        "app-creation": 9,
        "migrations": 13,
        "new-features": 6,
        "app-conversions": 2,
    }
    entry = client.get(f"/api/v1/evaluations/{of_model('gemini-2.5-pro').pk}/").json()
    assert entry["scopes"] == {}
    assert entry["pass_scopes"]["overall"]["pass_rate"] == 0.317


def test_the_api_says_what_it_cannot_do(client, guests):
    guest, own = of_model("gemini-2.5-pro").pk, of_model("GLM-5.2").pk
    for path, code in {
        "leaderboard/?benchmark=nope": "unknown_benchmark",
        "leaderboard/?snapshot=1.0&source=bug-fix": "unknown_source",
        "leaderboard/standings.csv?snapshot=1.0&sort=name": "unknown_sort",
        f"compare/?a={guest}&b={own}": "by_pass_rate",
    }.items():
        answer = client.get(f"/api/v1/{path}")
        assert answer.status_code == 400, path
        assert code in [each["code"] for each in answer.json()["errors"]]


def test_files_and_the_command_hold_the_same_rows(client, guests, capsys):
    path = "/api/v1/leaderboard/standings.{}?snapshot=android-bench/1.0"
    lines = client.get(path.format("csv")).content.decode().splitlines()
    rows = client.get(path.format("json")).json()["rows"]

    call_command("standings", snapshot="android-bench/1.0", format="csv")
    assert capsys.readouterr().out.splitlines() == lines
    assert len(lines) == 11
    assert (rows[0]["pass_rate"], rows[0]["passed"]) == (0.708, None)

    call_command("standings", snapshot="android-bench/1.0")
    table = capsys.readouterr().out
    assert "70.8" in table
    assert "not reported" in table
    with pytest.raises(CommandError, match="Known: overall, app-creation, migrations"):
        call_command("standings", snapshot="2.0", source="bug-fix")


def test_rows_that_may_not_be_ranked_stand_apart(client, guests):
    snapshot = guests["1.0"]
    other = Configuration.objects.create(model="Mine", provider="me", agent_name="a")
    evaluation = Evaluation.objects.create(
        snapshot=snapshot,
        configuration=other,
        provenance=Provenance.SELF_REPORTED,
        comparability_key=snapshot.comparability_key,
        run_count=5,
        visibility=Visibility.PUBLIC,
        scored_at=snapshot.created_at,
        published_at=snapshot.created_at,
    )
    PassTotals.objects.create(
        evaluation=evaluation,
        run_count=5,
        task_count=3,
        perfect_count=4,
        finished_count=14,
        incomplete_count=1,
        completion_total="44/5",
    )

    table = pass_standings(snapshot)

    assert [row.evaluation for row in table.unranked] == [evaluation]
    assert len(table.rows) == 10
    page = client.get(snapshot.get_absolute_url()).content.decode()
    assert "28.57" in page
    assert "62.86" in page
    assert "4/14" in page


def test_the_policy_of_a_benchmark_is_task_completion_unless_it_says_otherwise(guests):
    own = Benchmark.objects.get(slug="openharmony-bench")

    assert (own.policy, own.guest) == (ScoringPolicy.TASK_COMPLETION, False)
