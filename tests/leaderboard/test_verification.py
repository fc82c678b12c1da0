"""A completed task run that nobody can look at makes an evaluation unverified."""

from __future__ import annotations

import pytest

from evaluator.models import Job
from leaderboard.models import (
    Evaluation,
    EvaluationSnapshot,
    Provenance,
    TaskResult,
)
from leaderboard.overrulings import overrule
from leaderboard.snapshots import import_package
from leaderboard.standings import standings
from leaderboard.verification import lacks_trajectories
from tests.evaluator.jobs import make_jobs, score
from tests.factories import (
    ArtifactFactory,
    EvaluationSnapshotFactory,
    UserFactory,
    scored_evaluation,
)
from tests.leaderboard.evaluations import evaluated
from tests.leaderboard.packages import write_package

pytestmark = pytest.mark.django_db


def asking(evaluation: Evaluation) -> None:
    EvaluationSnapshot.objects.filter(pk=evaluation.snapshot_id).update(
        asks_for_trajectories=True
    )
    evaluation.snapshot.refresh_from_db()


def hold_trajectory(job: Job, size_bytes: int = 10) -> None:
    ArtifactFactory(
        run=job.run,
        task=job.task,
        name="submitted/trajectory.jsonl",
        kind="trajectory",
        size_bytes=size_bytes,
    )


def closed(*, asked: bool = True, sizes=(10, None), completed=(True, True), **fields):
    """A closed evaluation of two task runs with trajectories of such sizes."""
    evaluation = make_jobs(task_count=2)
    Evaluation.objects.filter(pk=evaluation.pk).update(**fields)
    if asked:
        asking(evaluation)
    for job, size, fully in zip(evaluation.jobs.all(), sizes, completed, strict=True):
        if size is not None:
            hold_trajectory(job, size)
        score(job, fully=fully)
    evaluation.refresh_from_db()
    assert evaluation.scored_at is not None
    return evaluation


def evaluated_row(model: str) -> Evaluation:
    return evaluated(
        EvaluationSnapshotFactory(task_count=2), configuration__model=model
    )


@pytest.mark.parametrize(
    ("case", "unverified"),
    [
        ({}, True),
        ({"sizes": (10, 0)}, True),
        ({"sizes": (10, 20)}, False),
        ({"completed": (True, False)}, False),
        ({"asked": False}, False),
        ({"provenance": Provenance.BASELINE}, False),
    ],
    ids=["missing", "empty", "there", "not-completed", "not-asked-for", "baseline"],
)
def test_closing_an_evaluation_decides_whether_it_is_verified(case, unverified):
    evaluation = closed(**case)

    assert evaluation.unverified == unverified
    assert evaluation.comparable == (
        not unverified and evaluation.provenance == Provenance.OFFICIAL
    )


def test_an_unverified_evaluation_has_no_rank():
    evaluation = closed()
    Evaluation.objects.filter(pk=evaluation.pk).update(visibility="public")

    table = standings(evaluation.snapshot)

    assert [row.evaluation for row in table.unranked] == [evaluation]
    assert not table.rows


def test_an_overruled_task_run_needs_no_trajectory():
    evaluation = scored_evaluation([[0]], task_count=2)
    asking(evaluation)
    Evaluation.objects.filter(pk=evaluation.pk).update(unverified=True)
    assert lacks_trajectories(evaluation)

    overrule(
        TaskResult.objects.get(completed=True),
        proposed_by=UserFactory(is_staff=True),
        confirmed_by=UserFactory(is_staff=True),
        reason="a copied answer",
    )

    evaluation.refresh_from_db()
    assert not evaluation.unverified


def test_a_package_may_ask_for_trajectories_and_does_not_by_default(tmp_path, settings):
    settings.DATA_DIR = tmp_path / "data"
    plain = import_package(write_package(tmp_path / "a")).snapshot
    asks = import_package(
        write_package(tmp_path / "b", version="test-9", asks_for_trajectories=True)
    ).snapshot

    assert not plain.asks_for_trajectories
    assert asks.asks_for_trajectories


def test_the_page_shows_unverified_rows_in_a_table_of_their_own(client):
    verified = evaluated_row("verified-model")
    snapshot = verified.snapshot
    asking(verified)
    evaluated(snapshot, configuration__model="unverified-model", unverified=True)
    evaluated(
        snapshot,
        configuration__model="own-numbers",
        provenance=Provenance.SELF_REPORTED,
    )

    html = client.get(snapshot.get_absolute_url()).content.decode()

    table = html.partition('id="unverified-heading"')[2].partition("</section>")[0]
    assert "unverified-model" in table
    assert "Unverified: completed task runs lack their trajectory." in table
    assert "own-numbers" not in table
    apart = html.partition('id="apart-heading"')[2].partition("</section>")[0]
    assert "own-numbers" in apart
    assert "unverified-model" not in apart


def test_the_api_tells_what_a_snapshot_asks_for(client):
    asking(evaluated_row("verified-model"))

    [snapshot] = client.get("/api/v1/snapshots/").json()["results"]

    assert snapshot["asks_for_trajectories"] is True
