"""The version of the public data: it changes with what is shown, and only with that."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.utils import timezone

from leaderboard import data_version
from leaderboard.models import (
    Configuration,
    DataVersion,
    Evaluation,
    ScopeTotals,
    Visibility,
    record,
)
from tests.factories import SCORED_AT, EvaluationFactory, ScopeTotalsFactory


@pytest.fixture
def evaluation(committed_db):
    return EvaluationFactory(public=True)


def counted_up(change) -> bool:
    before = data_version.current()
    change()
    after = data_version.current()
    assert before is not None
    assert after is not None
    assert after.number >= before.number
    return after.number > before.number


def test_every_model_of_the_ground_floor_is_watched_or_is_not_on_purpose():
    names = {
        model.__name__ for model in apps.get_app_config("leaderboard").get_models()
    }

    assert names == data_version.WATCHED | data_version.UNWATCHED
    assert not data_version.WATCHED & data_version.UNWATCHED


@pytest.mark.parametrize(
    "change",
    [
        lambda found: found.save(),
        lambda found: Evaluation.objects.update(visibility=Visibility.PRIVATE),
        lambda found: Configuration.objects.update(family="Other"),
        lambda found: ScopeTotalsFactory(evaluation=found, scope="bug-fix"),
        lambda found: ScopeTotals.objects.all().delete(),
        lambda found: found.snapshot.save(),
        lambda found: found.snapshot.scopes.update(f_point_count=9),
        lambda found: found.snapshot.tasks.update(title="Other"),
        lambda found: found.snapshot.benchmark.save(),
        lambda found: found.delete(),
    ],
)
def test_a_change_of_what_is_shown_counts_up(evaluation, change):
    ScopeTotalsFactory(evaluation=evaluation)

    assert counted_up(lambda: change(evaluation))


def test_a_change_at_the_prompt_of_the_database_counts_up(evaluation):
    def at_the_prompt() -> None:
        with connection.cursor() as cursor:
            cursor.execute("UPDATE leaderboard_evaluation SET visibility = 'private'")

    assert counted_up(at_the_prompt)


def test_what_is_not_shown_does_not_count(committed_db, user):
    assert not counted_up(lambda: record("test", user, by=user))


@pytest.mark.parametrize(
    "change",
    [
        lambda found: found.save(),
        lambda found: ScopeTotalsFactory(evaluation=found, scope="bug-fix"),
        lambda found: ScopeTotals.objects.all().delete(),
        lambda found: EvaluationFactory(snapshot=found.snapshot),
        lambda found: found.delete(),
    ],
)
def test_what_goes_on_in_private_does_not_count(committed_db, change):
    private = EvaluationFactory()
    ScopeTotalsFactory(evaluation=private)

    assert not counted_up(lambda: change(private))


def test_a_private_evaluation_that_becomes_public_counts(committed_db):
    private = EvaluationFactory(scored_at=SCORED_AT)

    assert counted_up(
        lambda: Evaluation.objects.filter(pk=private.pk).update(visibility="public")
    )


def test_the_next_end_of_an_embargo_comes_with_the_version(evaluation):
    assert data_version.current().seconds_left is None
    now = timezone.now()
    for seconds in (-60, 90, 500):
        EvaluationFactory(
            public=True,
            visibility=Visibility.EMBARGOED,
            public_from=now + timedelta(seconds=seconds),
        )

    assert 0 < data_version.current().seconds_left <= 90


def test_a_change_that_is_taken_back_does_not_count(evaluation):
    def taken_back() -> None:
        with transaction.atomic():
            evaluation.save()
            transaction.set_rollback(True)

    assert not counted_up(taken_back)


def test_others_see_a_new_version_together_with_the_change_not_before(evaluation):
    seen: list[tuple[int, str]] = []

    def look() -> None:
        found = Evaluation.objects.get(pk=evaluation.pk)
        seen.append((data_version.current().number, found.visibility))
        connection.close()

    def look_from_elsewhere() -> None:
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()

    with transaction.atomic():
        Evaluation.objects.update(visibility=Visibility.PRIVATE)
        look_from_elsewhere()
    look_from_elsewhere()

    (version, visibility), (new_version, new_visibility) = seen
    assert (visibility, new_visibility) == (Visibility.PUBLIC, Visibility.PRIVATE)
    assert new_version > version


def test_making_the_triggers_again_changes_nothing(evaluation):
    before = data_version.current()

    data_version.watch("default")

    assert data_version.current() == before
    assert counted_up(evaluation.save)


def test_triggers_that_a_rebuilt_table_lost_come_back(evaluation):
    table = "leaderboard_evaluation"
    with connection.cursor() as cursor:
        cursor.execute(
            f"DROP TRIGGER {table}_version ON {table}"
            if connection.vendor == "postgresql"
            else f"DROP TRIGGER {table}_version_update"
        )
    assert not counted_up(evaluation.save)

    data_version.watch("default")

    assert counted_up(evaluation.save)


def test_without_its_row_nothing_may_be_kept(committed_db):
    DataVersion.objects.all().delete()

    assert data_version.current() is None
