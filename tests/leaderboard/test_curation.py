"""A snapshot opens when two curators stand for each task and each task is proved."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from leaderboard.curation import (
    CurationError,
    SnapshotAct,
    approve,
    move,
    refuse,
    release_artifacts,
    task_states,
    why_not,
)
from leaderboard.models import (
    AuditEvent,
    CuratorVerdict,
    EvaluationSnapshot,
    Opinion,
    ProofKind,
    SnapshotStatus,
)
from tests.factories import EvaluationSnapshotFactory, TaskFactory, UserFactory
from tests.leaderboard.proofs import prove

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def snapshot():
    made = EvaluationSnapshotFactory(
        task_count=0, version="v9", status=SnapshotStatus.ADMISSION
    )
    TaskFactory(snapshot=made, slug="pen", digest="a" * 64)
    return made


@pytest.fixture
def task(snapshot):
    return snapshot.tasks.get()


@pytest.fixture
def curators():
    return [UserFactory(username=name, is_staff=True) for name in ("ada", "grace")]


def admit(task, curators):
    """Give the task all that it needs."""
    for curator in curators:
        approve(task, by=curator)
    prove(task, ProofKind.BASE, passes=[False])
    prove(task, ProofKind.REFERENCE, passes=[True, True])


def missing(task):
    return next(iter(task_states(task.snapshot))).missing()


def test_a_task_lacks_everything_at_first(task):
    assert missing(task) == [
        "approved by 0 of 2 curators",
        "unchanged base: proved in 0 of 1 runs",
        "reference solution: proved in 0 of 2 runs",
    ]


def test_a_task_that_is_approved_and_proved_lacks_nothing(task, curators):
    admit(task, curators)

    assert missing(task) == []


def test_two_words_of_one_curator_are_one(task, curators):
    ada, _ = curators
    approve(task, by=ada)
    approve(task, by=ada)
    CuratorVerdict.objects.create(
        slug="pen",
        digest=task.digest,
        curator="Ada",
        opinion=Opinion.APPROVED,
        given_on="2026-11-01",
    )

    assert missing(task)[0] == "approved by 1 of 2 curators"


def test_the_last_word_of_a_curator_counts(task, curators):
    admit(task, curators)
    refuse(task, by=curators[0], reason="The check is too strict.")
    refused = missing(task)
    approve(task, by=curators[0])

    assert refused == [
        "ada refused it: The check is too strict.",
        "approved by 1 of 2 curators",
    ]
    assert missing(task) == []


def test_approvals_and_proofs_fall_away_when_the_task_changes(task, curators):
    admit(task, curators)
    task.digest = "b" * 64
    task.save(update_fields=["digest"])

    assert len(missing(task)) == 3


def test_the_same_task_in_another_version_keeps_its_approvals(task, curators):
    admit(task, curators)
    other = TaskFactory(slug="pen", digest=task.digest)

    assert missing(other) == [
        "unchanged base: proved in 0 of 1 runs",
        "reference solution: proved in 0 of 2 runs",
    ]


def test_another_task_of_the_same_content_has_none(task, curators):
    admit(task, curators)

    assert len(missing(TaskFactory(slug="pencil", digest=task.digest))) == 3


def test_a_base_that_passes_keeps_the_task_out(task, curators):
    for curator in curators:
        approve(task, by=curator)
    prove(task, ProofKind.BASE, passes=[True])
    prove(task, ProofKind.REFERENCE, passes=[True, True])

    assert missing(task) == [
        "unchanged base, run 1: FP-1 passes already",
        "unchanged base: proved in 0 of 1 runs",
    ]


def test_a_flaky_task_is_named_and_kept_out(task, curators):
    for curator in curators:
        approve(task, by=curator)
    prove(task, ProofKind.BASE, passes=[False])
    prove(task, ProofKind.REFERENCE, passes=[True, False, True])
    (state,) = task_states(task.snapshot)

    assert state.flaky_points == ["FP-1"]
    assert state.missing() == [
        "reference solution, run 2: FP-1 fails",
        "flaky: runs disagree on FP-1",
    ]


def test_a_snapshot_opens_only_when_nothing_is_missing(snapshot, task, curators):
    with pytest.raises(CurationError, match="pen: approved by 0 of 2 curators"):
        move(snapshot, SnapshotAct.OPEN)
    admit(task, curators)

    move(snapshot, SnapshotAct.OPEN, by=curators[0])

    assert snapshot.status == SnapshotStatus.OPEN
    assert (snapshot.floor_completed, snapshot.ceiling_completed) == (0, 1)
    event = AuditEvent.objects.about(snapshot).first()
    assert (event.act, event.actor) == ("open snapshot", curators[0])
    assert event.before == {"status": "admission"}


@pytest.mark.parametrize("lacking", ["approval", "base", "reference"])
def test_each_single_thing_that_is_missing_keeps_it_closed(
    snapshot, task, curators, lacking
):
    for curator in curators[: 1 if lacking == "approval" else 2]:
        approve(task, by=curator)
    prove(task, ProofKind.BASE, passes=[] if lacking == "base" else [False])
    runs = [True] if lacking == "reference" else [True, True]
    prove(task, ProofKind.REFERENCE, passes=runs)

    assert len(why_not(snapshot, SnapshotAct.OPEN)) == 1
    with pytest.raises(CurationError):
        move(snapshot, SnapshotAct.OPEN)
    assert EvaluationSnapshot.objects.get().status == SnapshotStatus.ADMISSION


WAY = {
    SnapshotAct.BEGIN: ("draft", "admission"),
    SnapshotAct.RETURN: ("admission", "draft"),
    SnapshotAct.OPEN: ("admission", "open"),
    SnapshotAct.FREEZE: ("open", "frozen"),
    SnapshotAct.SUPERSEDE: ("frozen", "superseded"),
}


@pytest.mark.parametrize("status", SnapshotStatus.values)
@pytest.mark.parametrize("act", SnapshotAct)
def test_only_the_steps_of_the_table_are_possible(
    snapshot, task, curators, act, status
):
    admit(task, curators)
    EvaluationSnapshotFactory(version="v10", task_snapshot_date="2026-12-01")
    snapshot.status = status
    snapshot.save(update_fields=["status"])
    before, after = WAY[act]

    try:
        move(snapshot, act, reason="So decided.", successor="v10")
    except CurationError:
        assert status != before
    else:
        assert (status, snapshot.status) == (before, after)


@pytest.mark.parametrize(
    "act", [SnapshotAct.RETURN, SnapshotAct.FREEZE, SnapshotAct.SUPERSEDE]
)
def test_steps_back_and_to_the_end_need_a_reason(snapshot, act):
    snapshot.status = WAY[act][0]
    snapshot.save(update_fields=["status"])

    with pytest.raises(CurationError, match="Give a reason"):
        move(snapshot, act, reason=" ", successor="v10")


def test_only_a_later_public_version_supersedes(snapshot):
    snapshot.status = SnapshotStatus.FROZEN
    snapshot.save(update_fields=["status"])
    EvaluationSnapshotFactory(version="old", task_snapshot_date="2026-01-01")
    EvaluationSnapshotFactory(version="draft", status=SnapshotStatus.DRAFT)
    EvaluationSnapshotFactory(version="real", device_profile_simulated=False)

    with pytest.raises(CurationError, match="no later version"):
        move(snapshot, SnapshotAct.SUPERSEDE, reason="Mended.", successor="old")
    EvaluationSnapshotFactory(version="v10")
    with pytest.raises(CurationError, match="Known: v10"):
        move(snapshot, SnapshotAct.SUPERSEDE, reason="Mended.", successor="old")
    move(snapshot, SnapshotAct.SUPERSEDE, reason="Mended.", successor="v10")

    assert snapshot.superseded_by.version == "v10"


@pytest.mark.parametrize("status", ["open", "frozen", "superseded"])
def test_no_word_is_given_on_what_is_or_was_open(snapshot, task, curators, status):
    snapshot.status = status
    snapshot.save(update_fields=["status"])

    with pytest.raises(CurationError, match="its tasks do not change any more"):
        refuse(task, by=curators[0], reason="Too late.")


def test_a_word_on_another_state_than_was_seen_is_refused(task, curators):
    with pytest.raises(CurationError, match="changed since you looked"):
        approve(task, by=curators[0], seen="b" * 64)

    assert not CuratorVerdict.objects.exists()


def test_a_refusal_needs_a_reason_here_and_in_the_database(task, curators):
    with pytest.raises(CurationError, match="Give a reason"):
        refuse(task, by=curators[0], reason="")
    with pytest.raises(IntegrityError), transaction.atomic():
        CuratorVerdict.objects.create(
            slug="pen",
            digest="a" * 64,
            curator="ada",
            opinion=Opinion.REFUSED,
            given_on="2026-11-01",
        )


def test_words_are_on_record_with_the_digest(snapshot, task, curators):
    approve(task, by=curators[0])
    refuse(task, by=curators[1], reason="Too easy.")

    acts = AuditEvent.objects.about(snapshot).values_list("act", "reason", "after")
    named = {"task": "pen", "digest": "a" * 64}
    assert set(acts.values_list("act", "reason")) == {
        ("approve task", ""),
        ("refuse task", "Too easy."),
    }
    assert all(after == named for _, _, after in acts)


def test_hidden_files_are_released_once_with_a_reason(snapshot, curators):
    snapshot.package_path = "somewhere"
    snapshot.save(update_fields=["package_path"])
    with pytest.raises(CurationError, match="not open yet"):
        release_artifacts(snapshot, by=curators[0], reason="The round is over.")
    snapshot.status = SnapshotStatus.FROZEN
    snapshot.save(update_fields=["status"])
    with pytest.raises(CurationError, match="Give a reason"):
        release_artifacts(snapshot, by=curators[0], reason="")

    release_artifacts(snapshot, by=curators[0], reason="The round is over.")

    assert snapshot.shows_references
    assert AuditEvent.objects.about(snapshot).first().act == "release artifacts"
    with pytest.raises(CurationError, match="public already"):
        release_artifacts(snapshot, by=curators[0], reason="Again.")


def test_the_state_of_many_tasks_costs_as_much_as_that_of_one(snapshot, curators):
    for number in range(5):
        admit(
            TaskFactory(snapshot=snapshot, slug=f"t{number}", digest=str(number) * 64),
            curators,
        )

    with CaptureQueriesContext(connection) as queries:
        states = task_states(snapshot)
        assert sum(not each.missing() for each in states) == 5

    assert len(queries) == 3


def test_words_after_the_opening_are_about_other_versions(snapshot, task, curators):
    admit(task, curators)
    move(snapshot, SnapshotAct.OPEN)
    other = TaskFactory(
        slug="pen", digest=task.digest, snapshot__status=SnapshotStatus.DRAFT
    )

    refuse(other, by=curators[0], reason="Too easy by now.")

    (opened,) = task_states(EvaluationSnapshot.objects.get(pk=snapshot.pk))
    assert opened.missing() == []
    assert missing(other)[0] == "ada refused it: Too easy by now."
