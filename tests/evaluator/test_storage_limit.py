"""A submission may not fill the disk, and no verdict is lost for that."""

from __future__ import annotations

import pytest

from evaluator import closing, evidence
from evaluator.artifacts import NewArtifact
from evaluator.models import Job, JobState
from evaluator.pipeline.work import StageReport
from evaluator.queue import Passed
from leaderboard.blobs import blob_exists
from leaderboard.models import Absence, Artifact, TaskResult
from tests.evaluator.jobs import completed, make_jobs, take
from tests.factories import ArtifactFactory

pytestmark = pytest.mark.django_db

FILES = [
    NewArtifact("build_final.log", "log", b"a" * 60),
    NewArtifact("app.hap", "package", b"b" * 60),
    NewArtifact("final.patch", "patch", b"c" * 60),
    NewArtifact("small.log", "log", b"d" * 30),
]


def close(job: Job, outcome, artifacts=FILES) -> Job:
    lease = take(job)
    report = StageReport(outcome, artifacts)
    bound = evidence.bound(report, Job.objects.get(pk=job.pk), lease)
    return closing.close_stage(lease, bound, ring=False)


def absences() -> dict[str, str]:
    return dict(Artifact.objects.values_list("name", "absence"))


def test_over_the_limit_optional_files_are_listed_and_not_kept(settings):
    settings.OHB_SUBMISSION_STORAGE_BYTES = 150
    job = make_jobs().jobs.get()

    close(job, Passed())

    assert absences() == {
        "build_final.log": "",
        "app.hap": "",
        "final.patch": "",
        "small.log": Absence.OVER_LIMIT,
    }
    left_out = Artifact.objects.get(name="small.log")
    assert left_out.size_bytes == 30
    assert not blob_exists(left_out.sha256)


def test_the_verdict_and_its_evidence_stand_all_the_same(settings):
    settings.OHB_SUBMISSION_STORAGE_BYTES = 1
    job = make_jobs().jobs.get()

    job = close(job, completed(job))

    assert job.state == JobState.SCORED
    assert TaskResult.objects.get().completed
    assert evidence.faults(job) == []
    assert absences()["final.patch"] == ""
    assert absences()["app.hap"] == Absence.OVER_LIMIT


def test_files_of_all_task_runs_of_the_evaluation_count_and_no_others(settings):
    settings.OHB_SUBMISSION_STORAGE_BYTES = 150
    jobs = list(make_jobs(task_count=2).jobs.all())
    elsewhere = make_jobs()
    ArtifactFactory(run=elsewhere.runs.get(), size_bytes=10**9)
    close(jobs[0], Passed(), FILES[:1])
    close(jobs[1], Passed(), [NewArtifact("other.log", "log", b"e" * 100)])

    assert absences()["build_final.log"] == ""
    assert absences()["other.log"] == Absence.OVER_LIMIT


def test_what_is_not_kept_takes_no_room(settings):
    settings.OHB_SUBMISSION_STORAGE_BYTES = 100
    jobs = list(make_jobs(task_count=2).jobs.all())
    close(jobs[0], Passed(), [NewArtifact("huge.log", "log", b"f" * 1000)])
    close(jobs[1], Passed(), [NewArtifact("other.log", "log", b"g" * 90)])

    assert absences() == {"huge.log": Absence.OVER_LIMIT, "other.log": ""}
