"""Stored standings equal fresh ones, are never old, and cost the same at any size."""

from __future__ import annotations

import random
from datetime import timedelta
from itertools import product

import pytest
from django.core.cache import caches
from django.utils import timezone

from leaderboard import data_version, memory
from leaderboard.as_of import today
from leaderboard.current import snapshots_with_tables
from leaderboard.metrics import Scope
from leaderboard.models import (
    ComparabilityDecision,
    Configuration,
    Evaluation,
    ScopeTotals,
    StoredTable,
    Visibility,
)
from leaderboard.models.comparability import ordered_pair
from leaderboard.ranking.asked import PAGE_ROWS, Asked, Found
from leaderboard.ranking.fresh import FreshRanking
from leaderboard.ranking.lines import as_text
from leaderboard.ranking.orders import ORDERS
from leaderboard.ranking.rankings import Ranking, holding, ranking
from leaderboard.ranking.renewal import renew
from leaderboard.ranking.stored import StoredRanking
from leaderboard.standings import row_as_dict, standings
from tests.benchmarks import data
from tests.factories import (
    SCORED_AT,
    EvaluationFactory,
    EvaluationSnapshotFactory,
    ScopeTotalsFactory,
    UserFactory,
)

TASKS = 6
SOURCES = ("new-feature", "spec-driven", "bug-fix")
SORTS = [f"{sign}{key}" for key, sign in product(ORDERS, ("", "-"))]


@pytest.fixture
def snapshot(committed_db):
    return EvaluationSnapshotFactory(task_count=TASKS)


def add(snapshot, chance: random.Random, **facts) -> Evaluation:
    """An evaluation with counts in every scope; ties and unreported figures occur."""
    evaluation = EvaluationFactory(
        **{"public": True, "snapshot": snapshot, **facts},
    )
    write_totals(evaluation, chance)
    return evaluation


def write_totals(evaluation: Evaluation, chance: random.Random) -> None:
    ScopeTotals.objects.filter(evaluation=evaluation).delete()
    known = chance.random() < 0.7
    runs = range(evaluation.run_count)
    parts = {source: [chance.randint(0, 2) for _ in runs] for source in SOURCES}
    parts["overall"] = [sum(counts) for counts in zip(*parts.values(), strict=True)]
    for scope, counts in parts.items():
        ScopeTotalsFactory(
            evaluation=evaluation,
            scope=scope,
            task_count=TASKS if scope == "overall" else 2,
            completed_by_run=counts,
            first_build_count=sum(counts) if known else None,
            total_tokens=chance.randint(1, 10**7) if known else None,
            agent_milliseconds=chance.randint(1, 10**6) if known else None,
        )


def stored(snapshot, scope: Scope = Scope.OVERALL) -> StoredRanking:
    found = ranking(
        next(e for e in snapshots_with_tables(scope.value) if e == snapshot), scope
    )
    assert isinstance(found, StoredRanking)
    return found


def is_stored(snapshot) -> bool:
    (found,) = snapshots_with_tables("overall")
    return isinstance(ranking(found, Scope.OVERALL), StoredRanking)


def as_data(found: Found) -> dict[str, object]:
    """All that a page, a figure or the API takes from what was found."""
    return {
        "rows": [row_as_dict(row) | dict(row.figures) for row in found.rows],
        "tied": [row.tied_count for row in found.rows],
        "count": found.match_count if found.rows else 0,
        "apart": [row_as_dict(row) | dict(row.figures) for row in found.apart],
        "strikes": [(each.pk, strike) for each, strike in found.strikes],
        "figures": [row.evaluation.pk for row in found.in_figures],
    }


def as_page(table: Ranking, asked: Asked) -> object:
    """What a page takes: lines, how many there are, and what stands beside them."""
    found, beside = table.lines(asked), table.beside(asked)
    assert not found.rows
    lines = [as_text(line) for line in found.lines]
    return lines, found.match_count if lines else 0, as_data(beside)


def questions(chance: random.Random) -> list[Asked]:
    filters = [
        {},
        {"q": " MODEL 1"},
        {"q": "100%_"},
        {"family": "Family 1"},
        {"provider": "Provider 0", "provenance": "official"},
    ]
    sorts = ["-task_completion", *chance.sample(SORTS, 3)]
    return [
        Asked(**asked, sort=sort, offset=offset, limit=limit)
        for asked, sort in product(filters, sorts)
        for offset, limit in ((0, None), (0, 3), (2, 3), (50, 3))
    ]


class Maintainers:
    """Acts that change what is shown, each on some evaluation."""

    def __init__(self, snapshot, chance: random.Random) -> None:
        self.snapshot, self.chance, self.number = snapshot, chance, 0
        self.people = UserFactory(), UserFactory()

    def publish(self) -> None:
        self.number += 1
        add(
            self.snapshot,
            self.chance,
            provenance=self.chance.choice(["official", "published", "self-reported"]),
            unverified=self.chance.random() < 0.2,
            configuration__model=f"Model {self.number}",
            configuration__family=f"Family {self.number % 3}",
            configuration__provider=f"Provider {self.number % 2}",
        )

    def strike_out(self) -> None:
        found = self.some()
        found.strike_out("Not sound.", at=timezone.now())
        found.visibility = self.chance.choice(["withdrawn", "disqualified"])
        found.save()

    def reinstate(self) -> None:
        found = self.some()
        if found.is_struck_out:
            found.take_strike_back(at=timezone.now())
            found.visibility = Visibility.PUBLIC
            found.save()

    def overrule(self) -> None:
        write_totals(self.some(), self.chance)

    def rename(self) -> None:
        self.number += 1
        Configuration.objects.filter(pk=self.some().configuration_id).update(
            model=f"Model {self.number}"
        )

    def hide(self) -> None:
        Evaluation.objects.filter(pk=self.some().pk).update(visibility="private")

    def compare_otherwise(self) -> None:
        Evaluation.objects.filter(pk=self.some().pk).update(
            differing_fields=["sdk"], comparability_key="f" * 64
        )

    def declare_comparable(self) -> None:
        first, second = ordered_pair(self.snapshot.comparability_key, "f" * 64)
        ComparabilityDecision.objects.get_or_create(
            first_key=first,
            second_key=second,
            differing_fields=["sdk"],
            reason="Byte by byte the same.",
            proposed_by=self.people[0],
            confirmed_by=self.people[1],
            defaults={"at": timezone.now()},
        )

    def some(self) -> Evaluation:
        return self.chance.choice(list(Evaluation.objects.order_by("pk")))

    def act(self) -> None:
        acts = [self.strike_out, self.reinstate, self.overrule, self.rename]
        acts += [self.hide, self.compare_otherwise, self.compare_otherwise]
        acts += [self.declare_comparable, *[self.publish] * 4]
        self.chance.choice(acts)()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_stored_places_equal_fresh_ones_after_any_acts(snapshot, seed):
    chance = random.Random(seed)
    maintainers = Maintainers(snapshot, chance)
    for _ in range(3):
        maintainers.publish()
    for _ in range(2):
        for _ in range(12):
            maintainers.act()
        renew()
        for scope in Scope:
            kept = stored(snapshot, scope)
            fresh = FreshRanking.of(standings(snapshot, scope))
            assert kept.summary == fresh.summary
            # Columns stand in this order.
            assert list(kept.summary.means) == list(fresh.summary.means)
            for asked in questions(chance):
                assert as_data(kept.find(asked)) == as_data(fresh.find(asked)), asked
                assert as_page(kept, asked) == as_page(fresh, asked), asked
            for offset, limit in ((0, None), (0, 3), (2, 3), (50, 3)):
                asked = Asked(offset=offset, limit=limit)
                assert kept.documents(asked) == fresh.documents(asked), asked


@pytest.mark.parametrize("seed", [4, 5])
def test_no_act_leaves_an_old_table_standing(client, snapshot, seed, settings):
    settings.OHB_PAGE_CACHE = True
    caches["pages"].clear()
    chance = random.Random(seed)
    maintainers = Maintainers(snapshot, chance)
    maintainers.publish()
    for _ in range(10):
        renew()
        maintainers.act()
        fresh = standings(snapshot)
        answer = client.get("/api/v1/leaderboard/").json()
        page = client.get("/").content.decode()

        assert answer["results"] == [row_as_dict(row) for row in fresh.rows]
        assert answer["unranked"] == [row_as_dict(row) for row in fresh.unranked]
        for row in (*fresh.rows, *fresh.unranked):
            assert row.evaluation.configuration.model in page
    caches["pages"].clear()


def test_tables_are_stored_once_for_each_version(
    snapshot, django_assert_max_num_queries
):
    add(snapshot, random.Random(1))

    assert renew()

    with django_assert_max_num_queries(2):
        assert not renew()
    add(snapshot, random.Random(2))
    assert not is_stored(snapshot)
    assert renew()
    assert is_stored(snapshot)


def test_storing_costs_as_many_queries_at_any_size(
    committed_db, django_assert_max_num_queries
):
    snapshot = data.snapshot("any-size")
    # With the third the first ones go.
    for count in (PAGE_ROWS, 1, 1):
        data.evaluations(snapshot, count)
        with django_assert_max_num_queries(25):
            assert renew()


def test_older_tables_go_except_for_readers_that_are_still_there(snapshot):
    for seed in range(4):
        add(snapshot, random.Random(seed))
        renew()

    versions = set(StoredTable.objects.values_list("version", flat=True))
    assert len(versions) == 2
    assert data_version.current().number in versions


def test_private_evaluations_leave_the_tables_standing(snapshot):
    add(snapshot, random.Random(1))
    renew()

    private = EvaluationFactory(snapshot=snapshot, scored_at=SCORED_AT)
    write_totals(private, random.Random(2))

    assert is_stored(snapshot)
    Evaluation.objects.filter(pk=private.pk).update(visibility="public")
    assert not is_stored(snapshot)


def test_a_table_ends_with_the_next_embargo(snapshot):
    add(snapshot, random.Random(1))
    day = timezone.now() + timedelta(hours=1)
    add(snapshot, random.Random(2), visibility="embargoed", public_from=day)
    renew()
    assert is_stored(snapshot)

    StoredTable.objects.update(until=timezone.now() - timedelta(seconds=1))

    assert not holding().exists()
    assert renew()
    assert is_stored(snapshot)


@pytest.mark.parametrize("is_kept", [True, False])
def test_agents_can_be_chosen_where_there_are_several(client, snapshot, is_kept):
    add(snapshot, random.Random(1), configuration__model="One")
    if is_kept:
        renew()
    assert 'name="agent"' not in client.get("/").content.decode()

    other = {"configuration__model": "Two", "configuration__agent_name": "Other Agent"}
    add(snapshot, random.Random(2), **other)
    if is_kept:
        renew()
        assert is_stored(snapshot)
    assert '<option value="Other Agent">' in client.get("/").content.decode()
    html = client.get("/?agent=Other+Agent").content.decode()
    table = html.split('<table class="standings">')[1].split("</table>")[0]

    assert ">Two<" in table
    assert ">One<" not in table
    address = "/api/v1/leaderboard/standings.csv?agent=Other+Agent"
    models = client.get(address).content.decode().splitlines()[1:]
    assert len(models) == 1
    assert "Two" in models[0]


PATHS = [
    "/",
    "/?source=bug-fix&sort=tokens",
    "/?q=synthetic&family=Family 1&sort=-name",
    "/?provider=Provider 1&agent=Synthetic agent&provenance=official&columns=tokens",
    "/?source=nothing&page=9&cost=time",
    "/?page=2",
    "/?provider=Provider 1&page=2",
    f"/?as_of={today()}",
    "/zh-hans/",
    "/api/v1/leaderboard/",
    "/api/v1/leaderboard/?source=bug-fix&offset=1",
    f"/api/v1/leaderboard/?as_of={today()}",
]


@pytest.mark.parametrize("count", [1, PAGE_ROWS + 30])
@pytest.mark.parametrize("is_kept", [True, False])
def test_a_stranger_costs_at_most_four_queries_at_any_size(
    client, committed_db, settings, django_assert_max_num_queries, count, is_kept
):
    snapshot = data.snapshot("any-size")
    data.evaluations(snapshot, count)
    add(snapshot, random.Random(1), provenance="self-reported")
    maintainers = Maintainers(snapshot, random.Random(1))
    maintainers.compare_otherwise()
    maintainers.declare_comparable()
    if is_kept:
        renew()
    settings.OHB_PAGE_CACHE = True
    for path in PATHS:
        caches["pages"].clear()
        # As in a process that has just started.
        memory.forget()
        with django_assert_max_num_queries(4):
            assert client.get(path).status_code == 200, path
    caches["pages"].clear()


@pytest.fixture
def long(committed_db):
    """A table of three pages."""
    snapshot = data.snapshot("long")
    data.evaluations(snapshot, 2 * PAGE_ROWS + 5)
    return snapshot


@pytest.mark.parametrize("is_kept", [True, False])
def test_pages_hold_every_row_once_with_the_ranks_of_the_whole_table(
    client, long, is_kept
):
    if is_kept:
        renew()
    expected = [
        (row.rank_label, row.evaluation.configuration.model)
        for row in standings(long).rows
    ]
    shown = []
    for number in (1, 2, 3):
        page = client.get(f"/?page={number}").context["page"]
        shown += [
            (line.cell("rank_label"), line.cell("model")) for line in page.body.lines
        ]

    assert shown == expected


def test_pages_link_to_each_other_and_keep_the_rest_of_the_query(client, long):
    page = client.get("/?sort=name&page=2&q=synthetic").content.decode()

    assert "Rows 101 to 200 of 205" in page
    assert 'href="?sort=name&amp;q=synthetic"' in page
    assert 'href="?sort=name&amp;q=synthetic&amp;page=3"' in page
    # What changes the rows begins at the first page again.
    assert 'href="?q=synthetic&amp;sort=-name"' in page


@pytest.mark.parametrize("number", ["0", "4", "-1", "x", "999999999999"])
def test_a_page_that_is_not_there_is_ignored_and_named(client, long, number):
    answer = client.get("/", {"page": number})

    assert answer.context["page"].body.lines[0].cell("rank_label")
    assert f"page={number}" in answer.content.decode()


def test_files_hold_all_pages(client, long):
    address = client.get("/?page=2").context["page"].file_links["csv"]

    lines = client.get(address).content.decode().splitlines()
    assert len(lines) == 1 + 2 * PAGE_ROWS + 5


def test_a_short_table_has_no_pages(client, snapshot):
    add(snapshot, random.Random(1))

    assert 'aria-label="Pages of the table"' not in client.get("/").content.decode()
