"""Comparing evaluations: the numbers, the page and the endpoint."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import QueryDict

from leaderboard.comparability import declare_comparable
from leaderboard.comparison import chosen_evaluations, compare
from leaderboard.models import Evaluation, Provenance, Visibility
from leaderboard.paired import PairTable, Rule
from tests.factories import (
    ConfigurationFactory,
    EvaluationFactory,
    EvaluationSnapshotFactory,
    SubmissionFactory,
    TaskFactory,
    UserFactory,
)
from tests.leaderboard.evaluations import evaluated

T, F = True, False
# By run: which of the three tasks were completed.
STRONG = ((T, T, F), (T, T, F), (T, F, F))
WEAK = ((T, F, F), (F, F, T), (T, F, F))


@pytest.fixture
def snapshot(db):
    return EvaluationSnapshotFactory(version="synthetic-1.0", task_count=3)


def named(snapshot, model, completed=STRONG, **fields):
    configuration = ConfigurationFactory(model=model)
    return evaluated(
        snapshot, completed=completed, configuration=configuration, **fields
    )


@pytest.fixture
def strong(snapshot):
    return named(snapshot, "synthetic-strong")


@pytest.fixture
def weak(snapshot):
    return named(snapshot, "synthetic-weak", WEAK)


def html_of(client, *evaluations, more=""):
    pairs = zip("abcd", evaluations, strict=False)
    query = "&".join(f"{letter}={each.pk}" for letter, each in pairs)
    response = client.get(f"/compare/?{query}{more}")
    assert response.status_code == 200
    return response.content.decode()


def numbers(*evaluations, rule=Rule.MAJORITY):
    pairs = zip("abcd", evaluations, strict=False)
    query = "&".join(f"{letter}={each.pk}" for letter, each in pairs)
    choice = chosen_evaluations(QueryDict(query), AnonymousUser())
    assert choice.faults == []
    return compare(choice.members, rule)


def problem_of(client, query):
    response = client.get(f"/api/v1/compare/?{query}")
    body = response.json()
    return response.status_code, [
        (each["code"], each["where"], each["saw"]) for each in body["errors"]
    ]


@pytest.mark.parametrize(
    ("rule", "table"),
    [
        (Rule.MAJORITY, PairTable(1, 1, 0, 1)),
        (Rule.ANY, PairTable(1, 1, 1, 0)),
        (Rule.ALL, PairTable(0, 1, 0, 2)),
    ],
)
def test_tasks_fall_into_both_one_or_neither_by_the_rule(strong, weak, rule, table):
    assert numbers(strong, weak, rule=rule).pairs[0].table == table


def test_a_pair_has_the_difference_of_exact_counts_and_how_ranges_lie(strong, weak):
    overall = numbers(strong, weak).pairs[0].differences[0]

    assert overall.completed == 5 - 3
    assert overall.task_completion == Fraction(2, 9)
    # Two of three, two of three, one of three against one of three each time.
    assert overall.overlap == "overlap"
    assert numbers(weak, strong).pairs[0].differences[0].completed == -2


def test_ranges_that_do_not_touch_are_told_apart(snapshot, weak):
    best = named(snapshot, "synthetic-best", ((T, T, T), (T, T, F), (T, T, T)))

    assert numbers(best, weak).pairs[0].differences[0].overlap == "first_above"
    assert numbers(weak, best).pairs[0].differences[0].overlap == "second_above"


def test_tasks_stand_by_disagreement_then_in_catalogue_order(strong, weak):
    places = [task.position for task in numbers(strong, weak).tasks]

    # Completed runs are 3, 2, 0 against 2, 0, 1: the gaps are 1, 2 and 1.
    assert places == [1, 0, 2]


def test_kits_and_sources_count_their_own_tasks(snapshot):
    TaskFactory(snapshot=snapshot, source="bug-fix", kits=["Pen", "Ink"], position=9)
    TaskFactory(snapshot=snapshot, source="bug-fix", kits=["Ink"], position=10)
    # The same Kit in another snapshot is no task of this one.
    TaskFactory(snapshot=EvaluationSnapshotFactory(task_count=0), kits=["Pen"])
    first = named(snapshot, "one", ((T, T, T, T, F),) * 3)
    second = named(snapshot, "two", ((T, T, T, F, F),) * 3)

    pair = numbers(first, second).pairs[0]

    assert [(kit.name, kit.task_count) for kit in pair.kits] == [("Ink", 2), ("Pen", 1)]
    pen = pair.kits[1]
    assert (pen.first_completed, pen.second_completed) == (3, 0)
    assert pen.table == PairTable(0, 1, 0, 0)
    assert sum(each.task_count for each in pair.sources) == 5


def test_the_page_says_who_is_ahead_and_that_ranges_overlap(client, strong, weak):
    html = html_of(client, strong, weak)

    assert "synthetic-strong (A) is 22.22 percent points ahead" in html
    assert "That is 2 task runs." in html
    assert "The run ranges overlap: another run could change the order." in html
    assert "p = 1.0000" in html
    assert "5/9" in html
    assert "3/9" in html


def test_equal_counts_are_an_exact_tie(client, snapshot, strong):
    html = html_of(client, strong, named(snapshot, "synthetic-twin"))

    assert "A and B are exactly level" in html
    assert "percent points ahead" not in html


def test_rule_and_set_are_in_the_address_and_narrow_the_list(client, strong, weak):
    tasks = list(strong.snapshot.tasks.all())

    def listed(more):
        html = html_of(client, strong, weak, more=more)
        table = html[html.index('id="tasks"') :]
        return [task.position for task in tasks if task.title in table]

    assert listed("&show=only_first") == [1]
    assert listed("&show=neither") == [2]
    assert listed("&by=any&show=only_second") == [2]
    assert listed("&by=all&show=neither") == [1, 2]


def test_every_mark_leads_to_its_task_run(client, strong, weak):
    html = html_of(client, strong, weak)

    links = set(re.findall(r'href="(/e/\d+/runs/\d+/tasks/[^"]+)"', html))
    assert len(links) == 2 * 3 * 3
    assert all(client.get(link).status_code == 200 for link in sorted(links)[:3])


def test_three_are_compared_in_pairs_that_can_be_opened(client, snapshot, strong, weak):
    third = named(snapshot, "synthetic-third", WEAK)

    html = html_of(client, strong, weak, third)

    assert f'href="?a={weak.pk}&amp;b={third.pk}"' in html
    assert "In pairs" in html
    assert "McNemar" not in html
    assert "Some of them" in html


def test_other_conditions_give_a_red_banner_and_no_verdict(client, strong):
    other = EvaluationSnapshotFactory(
        version="synthetic-2.0", task_count=3, sdk="API 24"
    )
    html = html_of(client, strong, named(other, "synthetic-other", WEAK))

    assert "Not comparable: no verdict" in html
    assert "banner error" in html
    assert "API 24" in html
    assert "Benchmark version" in html
    assert "ahead" not in html
    assert "overlap" not in html
    assert "McNemar" not in html
    assert "Task by task" not in html
    # Totals stand side by side all the same.
    assert "synthetic-other" in html
    assert "3/9" in html


def test_an_evaluation_under_other_conditions_than_its_snapshot_differs_too(
    client, snapshot, strong
):
    odd = named(
        snapshot,
        "synthetic-odd",
        comparability_key="0" * 64,
        differing_fields=["toolchain"],
    )

    html = html_of(client, strong, odd)

    assert "Not comparable: no verdict" in html
    assert "not its snapshot&#x27;s" in html or "not its snapshot's" in html
    assert "ahead" not in html


@pytest.mark.parametrize(
    ("prefix", "words"),
    [("", "(Toolchain, Agent version)"), ("/zh-hans", "（工具链、智能体版本）")],
)
def test_conditions_declared_comparable_are_named_in_words(
    client, snapshot, strong, prefix, words
):
    odd = named(
        snapshot,
        "synthetic-odd",
        comparability_key="0" * 64,
        differing_fields=["toolchain", "agent_version"],
    )
    people = {"proposed_by": UserFactory(), "confirmed_by": UserFactory()}
    declare_comparable(odd, reason="Equal packages.", **people)

    compared = client.get(f"{prefix}/compare/?a={strong.pk}&b={odd.pk}")
    alone = client.get(f"{prefix}/e/{odd.pk}/")

    assert words in compared.content.decode()
    assert words.strip("()（）") in alone.content.decode()
    assert "agent_version" not in compared.content.decode()


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"provenance": Provenance.SELF_REPORTED}, "Self-reported numbers"),
        ({"unverified": True}, "lack their trajectory"),
        ({"provenance": Provenance.BASELINE}, "A baseline marks"),
    ],
)
def test_what_is_not_ranked_gets_no_verdict(client, snapshot, strong, fields, text):
    html = html_of(client, strong, named(snapshot, "synthetic-apart", **fields))

    assert "No verdict" in html
    assert text in html
    assert "level" not in html
    assert "ahead" not in html


def test_published_rows_show_totals_and_say_what_cannot_be_compared(client, published):
    first, second = Evaluation.objects.order_by("pk")[:2]

    html = html_of(client, first, second)

    assert "GLM-5.2 (A) is 1.09 percent points ahead" in html
    assert "That is 5 task runs." in html
    assert "What cannot be compared" in html
    assert "[56.21–60.78]" in html
    assert "+10.42" in html
    for absent in ("Task by task", "By Kit", "McNemar", "Only A"):
        assert absent not in html


def test_an_unfinished_evaluation_of_ones_own_is_no_score(
    client, snapshot, strong, user
):
    unfinished = EvaluationFactory(snapshot=snapshot)
    SubmissionFactory(evaluation=unfinished, user=user)
    assert "There is no public evaluation" in html_of(client, strong, unfinished)

    client.force_login(user)
    html = html_of(client, strong, unfinished)

    assert "An evaluation is not finished" in html
    assert "ahead" not in html


def test_without_a_choice_the_page_explains_and_suggests(client, strong, weak):
    html = client.get("/compare/").content.decode()

    assert "Choose at least two evaluations" in html
    assert f"?a={strong.pk}&amp;b={weak.pk}" in html
    assert client.get("/zh-hans/compare/").status_code == 200


def test_without_any_evaluation_the_page_still_stands(client, db):
    html = client.get("/compare/").content.decode()

    assert "Nothing to compare yet" in html


def test_values_that_name_nothing_are_told_and_left_out(client, snapshot, strong, weak):
    gone = named(snapshot, "synthetic-gone")
    gone.visibility, gone.withdrawn_reason = Visibility.WITHDRAWN, "Checks were copied."
    gone.save()

    html = html_of(client, strong, weak, strong, gone)

    assert f"Evaluation {strong.pk} was chosen twice" in html
    assert f"Evaluation {gone.pk} is struck out" in html
    assert "Checks were copied." in html
    assert "synthetic-gone" not in html
    assert "ahead" in html


@pytest.mark.parametrize("text", ["x", "-1", "1" * 30, "%E2%85%A7", "<b>"])
def test_no_value_breaks_the_page(client, strong, text):
    response = client.get(f"/compare/?a={strong.pk}&b={text}&by={text}&show={text}")

    html = response.content.decode()
    assert response.status_code == 200
    assert "is not the number of an evaluation" in html
    assert "<b>is not" not in html


def test_check_boxes_of_one_name_take_the_free_letters(client, snapshot):
    rows = [named(snapshot, f"synthetic-{place}") for place in range(5)]
    query = "&".join(f"id={each.pk}" for each in rows[1:])

    html = client.get(f"/compare/?a={rows[0].pk}&{query}").content.decode()

    assert "At most four are compared" in html
    assert f"Evaluation {rows[4].pk} was left out." in html
    assert html.count('class="model"') == 4


def test_private_evaluations_are_as_unknown_as_none(client, snapshot, strong, user):
    hidden = named(snapshot, "synthetic-hidden")
    hidden.visibility = Visibility.PRIVATE
    hidden.save()
    seen = html_of(client, strong, hidden)

    assert "synthetic-hidden" not in seen
    assert "There is no public evaluation" in seen
    status, errors = problem_of(client, f"a={strong.pk}&b={hidden.pk}")
    assert (status, errors) == (404, [("unknown", "?b", str(hidden.pk))])


def test_the_endpoint_gives_the_numbers_of_the_page(client, strong, weak):
    body = client.get(f"/api/v1/compare/?a={strong.pk}&b={weak.pk}").json()

    [pair] = body["pairs"]
    assert pair["tasks"] == {
        "task_count": 3,
        "both": 1,
        "only_first": 1,
        "only_second": 0,
        "neither": 1,
    }
    assert pair["differences"]["overall"]["completed"] == 2
    assert pair["differences"]["overall"]["task_completion"] == pytest.approx(2 / 9)
    assert pair["differences"]["overall"]["run_ranges"] == "overlap"
    assert pair["paired_analysis"]["mcnemar_p"] == 1.0
    assert body["evaluations"]["a"]["scopes"]["overall"]["completed"] == 5
    assert body["tasks"][0]["completed_runs"] == {"a": 2, "b": 0}
    assert (body["same_conditions"], body["no_verdict_because"]) == (True, [])


def test_the_endpoint_states_no_difference_across_conditions(client, strong, published):
    first = Evaluation.objects.filter(provenance="published").first()

    body = client.get(f"/api/v1/compare/?a={strong.pk}&b={first.pk}").json()

    assert body["same_conditions"] is False
    assert "benchmark_version" in body["differing_fields"]
    assert body["no_verdict_because"] == ["other_conditions"]
    assert (body["pairs"], body["tasks"]) == ([], [])
    assert set(body["evaluations"]) == {"a", "b"}


def test_the_endpoint_lists_every_fault_at_once(client, strong):
    assert problem_of(client, "") == (400, [("too_few", "?a, ?b", "0")])
    assert problem_of(client, f"a={strong.pk}") == (400, [("too_few", "?a, ?b", "1")])
    status, errors = problem_of(client, f"a={strong.pk}&b={strong.pk}&c=x&d=987654")
    assert status == 400
    assert [code for code, _, _ in errors] == ["twice", "not_a_number", "unknown"]
    status, errors = problem_of(client, f"a={strong.pk}&b=1&by=luck")
    assert (status, errors) == (400, [("unknown_by", "?by", "luck")])


@pytest.mark.parametrize("task_count", [3, 153])
def test_a_comparison_costs_the_same_at_any_size(
    client, django_assert_num_queries, db, task_count
):
    snapshot = EvaluationSnapshotFactory(task_count=0)
    sources = ("new-feature", "spec-driven", "bug-fix")
    for place in range(task_count):
        kits = ["Pen", "Ink"][: place % 3]
        source = sources[place % 3]
        TaskFactory(snapshot=snapshot, position=place, kits=kits, source=source)
    completed = tuple(
        tuple((place * 7 + run) % 3 > 0 for place in range(task_count))
        for run in range(3)
    )
    rows = [named(snapshot, f"synthetic-{name}", completed) for name in "abcd"]

    # Evaluations, outcomes, tasks, Kits, and the lists to choose from.
    with django_assert_num_queries(5):
        html_of(client, *rows[:2])
    with django_assert_num_queries(5):
        html_of(client, *rows)
    query = "&".join(f"{a}={each.pk}" for a, each in zip("abcd", rows, strict=True))
    with django_assert_num_queries(4):
        assert client.get(f"/api/v1/compare/?{query}").status_code == 200


def test_rows_of_a_leaderboard_can_be_ticked_and_compared(client, published):
    html = client.get("/").content.decode()

    assert '<form id="compare-rows" method="get" action="/compare/"' in html
    ids = re.findall(r'form="compare-rows" name="id" value="(\d+)"', html)
    assert len(ids) == 8
    compared = client.get(f"/compare/?id={ids[0]}&id={ids[1]}").content.decode()
    assert "GLM-5.2 (A) is 1.09 percent points ahead" in compared
