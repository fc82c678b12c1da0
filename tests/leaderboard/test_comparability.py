"""Tables never mix comparability keys, unless maintainers declared them comparable."""

from __future__ import annotations

from datetime import timedelta
from itertools import combinations

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaderboard import key_guards
from leaderboard.comparability import (
    Conditions,
    comparability_key,
    conditions_of,
    declare_comparable,
    differing_fields,
    revoke_comparable,
)
from leaderboard.exports import standings_as_csv, standings_as_dict
from leaderboard.models import AuditEvent, ComparabilityDecision, Evaluation
from leaderboard.models.comparability import ordered_pair
from leaderboard.standings import standings
from tests.factories import (
    EvaluationFactory,
    EvaluationSnapshotFactory,
    ScopeTotalsFactory,
    UserFactory,
    digest_of,
)

pytestmark = pytest.mark.django_db
REASON = "The two SDKs build the same packages, byte by byte."


@pytest.fixture
def snapshot():
    return EvaluationSnapshotFactory(task_count=0, scopes={"overall": (10, 12)})


@pytest.fixture
def people():
    return {"proposed_by": UserFactory(), "confirmed_by": UserFactory()}


def add_row(snapshot, model, *, key=None, **more) -> Evaluation:
    """A public evaluation; with a ``key`` of its own it names the SDK as other."""
    if key is not None:
        more |= {"comparability_key": digest_of(key), "differing_fields": ["sdk"]}
    found = EvaluationFactory(
        public=True, snapshot=snapshot, configuration__model=model, **more
    )
    ScopeTotalsFactory(evaluation=found, completed_by_run=[1, 2, 3])
    return found


def names(rows) -> list[str]:
    return [row.evaluation.configuration.model for row in rows]


# The key


def test_every_condition_and_every_deviation_changes_the_key():
    told = dict.fromkeys(
        ("benchmark", "benchmark_version", "task_set_digest", "script_digest"), "x"
    )
    told |= dict.fromkeys(
        ("agent_name", "agent_version", "sdk", "toolchain", "device_profile"), "x"
    )
    mine = Conditions(**told, run_count=3, repair_limit=5)
    others = [
        Conditions(**{**told, name: "y"}, run_count=3, repair_limit=5) for name in told
    ]
    others += [Conditions(**told, run_count=4, repair_limit=5)]
    others += [Conditions(**told, run_count=3, repair_limit=6)]
    keys = {comparability_key(each) for each in (mine, *others)}
    keys |= {
        comparability_key(mine, [f"run_parameters.temperature: {value}"])
        for value in (0.5, 1)
    }

    assert len(keys) == len(others) + 3
    assert comparability_key(mine, ()) == comparability_key(mine)
    assert [differing_fields(mine, each) for each in others] == [
        [name] for name in (*told, "run_count", "repair_limit")
    ]


@pytest.mark.parametrize("change", [{"key": "other"}, {"differing_fields": []}])
def test_the_database_keeps_out_what_names_no_difference(snapshot, change):
    found = add_row(snapshot, "other", key="other")
    key = digest_of("third") if "key" in change else found.comparability_key

    with pytest.raises((IntegrityError, DatabaseError)), transaction.atomic():
        Evaluation.objects.filter(pk=found.pk).update(
            comparability_key=key, differing_fields=[]
        )
    with pytest.raises((IntegrityError, DatabaseError)), transaction.atomic():
        EvaluationFactory(snapshot=snapshot, comparability_key=digest_of("third"))


def test_the_guards_let_a_migration_rebuild_the_tables(snapshot):
    key_guards.release("default")
    if connection.vendor == "sqlite":  # Other databases alter their tables in place.
        with connection.cursor() as cursor:
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
            names = {name for (name,) in cursor.fetchall()}
        assert not {name for name in names if "_key" in name}
    key_guards.guard("default")

    with pytest.raises(DatabaseError), transaction.atomic():
        EvaluationFactory(snapshot=snapshot, comparability_key="0" * 64)


def test_the_database_keeps_the_key_of_a_snapshot_that_was_evaluated(snapshot):
    snapshot.comparability_key = comparability_key(conditions_of(snapshot))
    snapshot.save()
    add_row(snapshot, "measured")

    snapshot.comparability_key = digest_of("another")
    with pytest.raises((IntegrityError, DatabaseError)), transaction.atomic():
        snapshot.save()


def test_figures_of_a_report_follow_the_corrected_key_of_their_snapshot(snapshot):
    printed = add_row(snapshot, "printed", provenance="published")
    apart = add_row(snapshot, "apart", key="other", provenance="published")

    snapshot.comparability_key = digest_of("corrected")
    snapshot.save()

    for each in (printed, apart):
        each.refresh_from_db()
    assert printed.comparability_key == digest_of("corrected")
    assert apart.comparability_key == digest_of("other")


@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from([None, "a", "b", "c"]),
            st.sampled_from(["official", "published", "self-reported", "baseline"]),
            st.booleans(),
        ),
        max_size=7,
    ),
    declared=st.sets(st.sampled_from(["a", "b", "c"])),
    revoked=st.sets(st.sampled_from(["a", "b", "c"])),
)
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_two_ranked_rows_have_other_keys_unless_declared(
    people, rows, declared, revoked
):
    snapshot = EvaluationSnapshotFactory(task_count=0, scopes={"overall": (10, 12)})
    for place, (key, provenance, unverified) in enumerate(rows):
        add_row(
            snapshot,
            f"model {place}",
            key=key and f"{snapshot.version} {key}",
            provenance=provenance,
            unverified=unverified,
        )
    for key in declared:
        one = snapshot.evaluations.filter(
            comparability_key=digest_of(f"{snapshot.version} {key}")
        ).first()
        if one is not None:
            decision = declare_comparable(one, reason=REASON, **people)
            if key in revoked:
                revoke_comparable(decision, reason="It was wrong.", **people)

    table = standings(snapshot)

    home = snapshot.comparability_key
    allowed = {home} | {
        digest_of(f"{snapshot.version} {key}") for key in declared - revoked
    }
    ranked = [row.evaluation for row in table.rows]
    for one, other in combinations(ranked, 2):
        if one.comparability_key != other.comparability_key:
            assert {one.comparability_key, other.comparability_key} <= allowed
    for row in table.rows:
        assert row.evaluation.comparability_key in allowed
        assert (row.decision is None) == (row.evaluation.comparability_key == home)
    wanted = sum(
        provenance in {"official", "published"}
        and not unverified
        and (key is None or key in declared - revoked)
        for key, provenance, unverified in rows
    )
    assert len(ranked) == wanted
    assert len(table.unranked) == len(rows) - wanted


# Decisions


def test_a_declared_row_is_ranked_and_says_why_everywhere(snapshot, people, client):
    add_row(snapshot, "at home")
    other = add_row(snapshot, "elsewhere", key="other")
    assert names(standings(snapshot).unranked) == ["elsewhere"]

    declare_comparable(other, reason=REASON, **people)

    table = standings(snapshot)
    assert sorted(names(table.rows)) == ["at home", "elsewhere"]
    told = {
        row["configuration"]["model"]: row["declared_comparable"]
        for row in standings_as_dict(table)["results"]
    }
    assert told["at home"] is None
    assert told["elsewhere"]["reason"] == REASON
    assert told["elsewhere"]["differing_fields"] == ["sdk"]
    assert REASON in standings_as_csv(table)
    for address in (
        snapshot.get_absolute_url(),
        other.get_absolute_url(),
        f"/compare/?a={other.pk}&b={table.rows[0].evaluation.pk}",
    ):
        html = client.get(address).content.decode()
        assert REASON in html
        assert "sdk" in html.lower()
    document = client.get(f"/api/v1/evaluations/{other.pk}/").json()
    assert document["comparable"] is True
    assert document["declared_comparable"]["reason"] == REASON
    listed = client.get("/api/v1/evaluations/").json()["results"]
    assert {each["comparable"] for each in listed} == {True}


def test_a_decision_is_about_one_key_only(snapshot, people):
    one = add_row(snapshot, "one", key="one")
    add_row(snapshot, "like one", key="one")
    add_row(snapshot, "two", key="two")

    declare_comparable(one, reason=REASON, **people)

    assert sorted(names(standings(snapshot).rows)) == ["like one", "one"]
    assert names(standings(snapshot).unranked) == ["two"]


def test_a_revoked_decision_ranks_no_longer_and_old_tables_stay(snapshot, people):
    other = add_row(snapshot, "elsewhere", key="other")
    decision = declare_comparable(other, reason=REASON, **people)
    declared = timezone.now()

    revoke_comparable(decision, reason="They do not, after all.", **people)

    assert standings(snapshot).rows == ()
    assert names(standings(snapshot, until=declared).rows) == ["elsewhere"]
    assert standings(snapshot, until=decision.at - timedelta(days=1)).rows == ()
    acts = AuditEvent.objects.about(other).public().order_by("pk")
    assert [(each.act, each.reason) for each in acts] == [
        ("declare comparable", REASON),
        ("revoke comparable", "They do not, after all."),
    ]
    declare_comparable(other, reason=REASON, **people)
    assert names(standings(snapshot).rows) == ["elsewhere"]


def test_what_is_decided_or_equal_is_not_decided_again(snapshot, people):
    other = add_row(snapshot, "elsewhere", key="other")
    with pytest.raises(ValueError, match="snapshot's"):
        declare_comparable(add_row(snapshot, "home"), reason=REASON, **people)
    decision = declare_comparable(other, reason=REASON, **people)

    with pytest.raises(ValueError, match="already"):
        declare_comparable(other, reason=REASON, **people)
    revoke_comparable(decision, reason="Wrong.", **people)
    with pytest.raises(ValueError, match="already"):
        revoke_comparable(decision, reason="Wrong.", **people)


@pytest.mark.parametrize(
    "wrong", ["nobody else", "no reason", "out of order", "twice", "half revoked"]
)
def test_the_database_refuses_an_unsound_decision(wrong, people):
    first, second = ordered_pair(digest_of("a"), digest_of("b"))
    facts = {"first_key": first, "second_key": second, "reason": REASON, **people}
    facts["at"] = timezone.now()
    match wrong:
        case "nobody else":
            facts["confirmed_by"] = facts["proposed_by"]
        case "no reason":
            facts["reason"] = ""
        case "out of order":
            facts |= {"first_key": second, "second_key": first}
        case "twice":
            ComparabilityDecision.objects.create(**facts)
        case "half revoked":
            facts["revoked_at"] = timezone.now()

    with pytest.raises(IntegrityError), transaction.atomic():
        ComparabilityDecision.objects.create(**facts)


def test_what_differs_in_no_condition_of_the_key_gets_no_verdict(snapshot, client):
    one, other = add_row(snapshot, "one"), add_row(snapshot, "other")
    Evaluation.objects.filter(pk=other.pk).update(
        differing_fields=["origin.deviations"]
    )

    html = client.get(f"/compare/?a={one.pk}&b={other.pk}").content.decode()

    assert "Not comparable: no verdict" in html
