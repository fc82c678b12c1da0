"""Logs of what the public does not see are kept for a time; everything else stays."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.models import Absence, Artifact, Evaluation, Visibility
from submissions.retention.logs import LOG_KINDS, expire_logs
from tests.evaluator.jobs import make_jobs, score
from tests.factories import SCORED_AT, ArtifactFactory

pytestmark = pytest.mark.django_db

LONG_AGO = timedelta(days=181)


def closed(**fields) -> Evaluation:
    """A scored evaluation with an old log, an old patch and a trajectory."""
    evaluation = make_jobs()
    score(evaluation.jobs.get())
    Evaluation.objects.filter(pk=evaluation.pk).update(**fields)
    run = evaluation.runs.get()
    for name, kind in (
        ("build_final.log", "log"),
        ("submitted/build.log", "submitted-log"),
        ("build_final.diagnostics.json", "diagnostics"),
        ("final.patch", "patch"),
        ("submitted/trajectory.jsonl", "trajectory"),
        ("report.xml", "report"),
    ):
        ArtifactFactory(run=run, name=name, kind=kind)
    Artifact.objects.update(created_at=timezone.now() - LONG_AGO)
    return evaluation


def expire(*, dry_run: bool = False) -> list[str]:
    return [each.name for each in expire_logs(timezone.now(), dry_run=dry_run)]


def gone() -> set[str]:
    return set(
        Artifact.objects.filter(absence=Absence.EXPIRED).values_list("kind", flat=True)
    )


@pytest.mark.parametrize(
    ("fields", "expired"),
    [
        ({}, True),
        ({"visibility": Visibility.WITHDRAWN, "withdrawn_reason": "x"}, True),
        ({"visibility": Visibility.PUBLIC}, False),
        ({"visibility": Visibility.EMBARGOED, "public_from": SCORED_AT}, False),
        ({"visibility": Visibility.DISQUALIFIED, "withdrawn_reason": "x"}, False),
    ],
    ids=["private", "withdrawn", "public", "embargoed", "disqualified"],
)
def test_logs_expire_where_the_public_does_not_look(fields, expired):
    evaluation = closed(**fields)

    names = expire()

    assert gone() == (set(LOG_KINDS) if expired else set())
    assert names == ([f"evaluation {evaluation.pk}, 3 logs"] if expired else [])
    assert expire() == []


def test_their_rows_stay_with_digest_and_size():
    closed()
    before = set(Artifact.objects.values_list("name", "sha256", "size_bytes"))

    expire()

    assert set(Artifact.objects.values_list("name", "sha256", "size_bytes")) == before


def test_what_is_young_keeps_its_logs():
    closed()
    Artifact.objects.update(created_at=timezone.now() - timedelta(days=179))

    assert expire() == []


def test_what_is_still_at_work_keeps_its_logs():
    evaluation = make_jobs(task_count=2)
    score(evaluation.jobs.first())
    ArtifactFactory(run=evaluation.runs.get(), kind="log")
    Artifact.objects.update(created_at=timezone.now() - LONG_AGO)
    assert expire() == []

    score(evaluation.jobs.last())
    assert len(expire()) == 1


def test_0_days_means_for_ever(settings):
    closed()
    settings.OHB_LOG_DAYS = 0

    assert expire() == []


def test_a_dry_run_expires_nothing():
    closed()

    assert len(expire(dry_run=True)) == 1
    assert gone() == set()


def test_what_is_published_during_the_sweep_keeps_its_logs():
    evaluation = closed()
    found = expire_logs(timezone.now(), dry_run=False)
    other = closed()
    first = next(found)
    assert str(evaluation.pk) in first.name

    Evaluation.objects.filter(pk=other.pk).update(visibility=Visibility.PUBLIC)
    list(found)

    kept = Artifact.objects.kept().filter(run__evaluation=other)
    assert kept.count() == 6
