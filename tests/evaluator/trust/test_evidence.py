"""A report counts for the attempt it was made for, once, and stays checkable."""

from __future__ import annotations

import io
from base64 import b64encode
from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.db.models import Model
from django.urls import reverse

from evaluator import closing, evidence, queue, signatures, worker
from evaluator.artifacts import NewArtifact
from evaluator.evidence import ReportMismatchError
from evaluator.models import Attempt, Job, JobEvent, JobState, Stage
from evaluator.pipeline.work import StageReport
from evaluator.queue import LeaseLostError, Passed
from evaluator.toolchains.base import BuildOutcome, CheckOutcome, ChecksOutcome
from evaluator.transitions import ModelOutcome
from evaluator.verdicts import FailReason, InfraReason, Trouble
from leaderboard.models import Artifact, CheckResult, TaskResult
from tests.evaluator.trust.toolchains import FakeBuilder, FakeChecks, good_toolchain

TABLES: tuple[type[Model], ...] = (
    *(Job, Attempt, JobEvent),
    *(Artifact, TaskResult, CheckResult),
)


def everything() -> list[list[object]]:
    """All rows that a report could change."""
    return [list(table.objects.order_by("pk").values()) for table in TABLES]


@pytest.fixture
def kept_reports(monkeypatch) -> list[tuple[queue.Lease, StageReport]]:
    """Every report that is handed in, with its lease: what an attacker could keep."""
    kept = []
    close_stage = closing.close_stage

    def keep(lease, report, **options):
        kept.append((lease, report))
        return close_stage(lease, report, **options)

    monkeypatch.setattr(closing, "close_stage", keep)
    return kept


def expect_refused(lease: queue.Lease, report: StageReport) -> None:
    before = everything()
    with pytest.raises(LeaseLostError):
        closing.close_stage(lease, report, ring=False)
    assert everything() == before


def test_a_report_that_comes_twice_changes_nothing(bench, kept_reports):
    bench.step(bench.start_changed())

    expect_refused(*kept_reports[0])


def test_a_report_of_an_old_lease_is_refused_under_a_new_one(bench, kept_reports):
    """The same stage of the same job again, but another fence."""
    job = bench.start_changed()
    first = bench.claim(job)
    job.refresh_from_db()
    old = evidence.bound(StageReport(Passed({"final_patch": "f" * 64})), job, first)
    queue.give_back(first)
    second = bench.claim(job)

    expect_refused(first, old)
    expect_refused(second, old)


def test_a_report_of_another_job_is_refused(bench):
    """Both jobs are at the same stage under the same fence."""
    one, other = bench.start_changed(), bench.start_changed()
    leases = [bench.claim(job) for job in (one, other)]
    one.refresh_from_db()
    passed = evidence.bound(
        StageReport(Passed({"final_patch": "f" * 64})), one, leases[0]
    )

    expect_refused(leases[1], passed)
    assert closing.close_stage(leases[0], passed, ring=False).stage == Stage.DIFF


def test_a_report_of_another_stage_is_refused(bench, kept_reports):
    job = bench.step_to(bench.start_changed(), Stage.CHECKS)
    verdict = StageReport(ModelOutcome(None, "", {"f_points": {}}))
    lease = bench.claim(job)

    for _, old in list(kept_reports):
        expect_refused(lease, old)
    expect_refused(lease, verdict)


def test_a_report_on_other_inputs_is_refused(bench):
    """Somebody exchanged the package between the lease and the report."""
    job = bench.step_to(bench.start_changed(), Stage.CHECKS)
    lease = bench.claim(job)
    job.refresh_from_db()
    failed = StageReport(ModelOutcome(FailReason.CHECK_FAILED))
    report = evidence.bound(failed, job, lease)
    Job.objects.filter(pk=job.pk).update(facts={**job.facts, "package": "0" * 64})

    before = everything()
    with pytest.raises(ReportMismatchError, match="does not belong"):
        closing.close_stage(lease, report, ring=False)
    assert everything() == before


def test_a_lease_for_another_stage_is_refused(bench):
    job = bench.start_changed()
    lease = bench.claim(job)
    job.refresh_from_db()
    forged = replace(lease, stage=Stage.CHECKS)

    expect_refused(forged, evidence.bound(StageReport(Passed()), job, lease))


# --- signatures: what only the holder of the lease can have reported -----


@pytest.fixture
def checking(bench) -> tuple[queue.Lease, StageReport]:
    """A lease on the checks, and the honest report on it: failed."""
    job = bench.step_to(bench.start_changed(), Stage.CHECKS)
    lease = bench.claim(job)
    job.refresh_from_db()
    log = NewArtifact("checks/log.txt", "log", b"one F-point failed")
    failed = StageReport(ModelOutcome(FailReason.CHECK_FAILED), [log])
    return lease, evidence.bound(failed, job, lease)


@pytest.mark.parametrize(
    "changes",
    [
        {"outcome": ModelOutcome(None, facts={"f_points": {}})},
        {"outcome": ModelOutcome(FailReason.BUILD_FAILED)},
        {"outcome": ModelOutcome(FailReason.CHECK_FAILED, "another detail")},
        {"outcome": Trouble(InfraReason.DEVICE_LOST, "gone")},
        {"artifacts": []},
        {"artifacts": [NewArtifact("checks/log.txt", "log", b"all passed")]},
        {"signature": ""},
        {"signature": "0" * 64},
    ],
    ids=[
        *("verdict", "reason", "detail", "trouble"),
        *("no artifact", "artifact", "unsigned", "guessed"),
    ],
)
def test_a_report_that_was_changed_after_it_was_signed_is_refused(checking, changes):
    lease, report = checking

    expect_refused(lease, replace(report, **changes))
    assert closing.close_stage(lease, report, ring=False).state == JobState.SCORED


def test_facts_that_were_changed_after_they_were_signed_are_refused(bench):
    job = bench.start_changed()
    lease = bench.claim(job)
    job.refresh_from_db()
    report = evidence.bound(StageReport(Passed({"total_tokens": 900})), job, lease)

    expect_refused(lease, replace(report, outcome=Passed({"total_tokens": 9})))


def test_the_key_of_another_attempt_signs_for_nothing(bench):
    """All that is public is known to the forger; the key is of a lease of its own."""
    jobs = bench.start_changed(), bench.start_changed()
    mine, other = (bench.claim(job) for job in jobs)
    jobs[1].refresh_from_db()
    report = evidence.bound(
        StageReport(Passed({"final_patch": "f" * 64})),
        jobs[1],
        replace(other, key=mine.key),
    )

    expect_refused(other, report)


def test_a_key_is_void_once_its_attempt_is_over(checking):
    """Even where somebody puts the old lease back into its row."""
    lease, report = checking
    held = Job.objects.filter(pk=lease.job_id)
    row = held.values(
        "state", "owner", "lease_until", "deadline", "stage", "pool"
    ).get()
    queue.give_back(lease)
    held.update(**row)

    expect_refused(lease, report)


def test_neither_the_database_nor_a_page_shows_the_key(bench, client, maintainer):
    job = bench.start_changed()
    lease = bench.claim(job)
    salt = job.attempts.get().key_salt
    client.force_login(maintainer)
    page = client.get(
        reverse(
            "task-run-attempts",
            args=[job.evaluation_id, job.run.number, job.task.slug],
        )
    )

    assert page.status_code == 200
    assert lease.owner in page.text
    shown = page.text + repr(lease) + f"{lease}"
    assert salt not in shown
    for form in (lease.key.hex(), b64encode(lease.key).decode(), repr(lease.key)):
        assert form not in shown + repr(everything())


def test_a_copy_of_the_database_gives_no_key_without_the_secret(bench, settings):
    job = bench.start_changed()
    lease = bench.claim(job)
    salt = job.attempts.get().key_salt
    settings.SECRET_KEY = "a guess"

    guessed = signatures.attempt_key(salt, job_id=job.pk, fence=lease.fence)

    assert len(lease.key) == len(guessed) == 32
    assert guessed != lease.key


def test_an_attempt_that_is_over_has_nothing_left_of_its_key(bench):
    job = bench.finish(bench.start_changed())

    assert set(job.attempts.values_list("key_salt", flat=True)) == {""}
    with pytest.raises(IntegrityError), transaction.atomic():
        job.attempts.update(key_salt=signatures.new_salt())


def test_a_worker_whose_lease_was_taken_away_reports_in_vain(bench, plug):
    job = bench.step_to(bench.start_changed(), Stage.BUILD_FIRST)

    def lose_the_lease(workspace, scratch) -> None:
        job.refresh_from_db()
        queue.reap(job.lease_until)

    plug.append(good_toolchain(builder=FakeBuilder(lose_the_lease)))
    lease = bench.claim(job)

    assert worker.work(lease, ring=False) is None

    job.refresh_from_db()
    assert (job.state, job.reason) == (JobState.QUEUED, InfraReason.WORKER_LOST)
    assert "first_build_ok" not in job.facts


def test_the_evidence_of_a_scored_job_holds(bench):
    job = bench.finish(bench.start_changed())

    attempts = list(job.attempts.all())
    assert [attempt.stage for attempt in attempts] == list(Stage)
    assert len({attempt.evidence for attempt in attempts}) == len(Stage)
    assert "app.hap" in attempts[-2].report["artifacts"]
    assert attempts[-1].report["facts"]["f_points"].keys() == {
        point.f_point for point in job.task.f_points.all()
    }
    assert evidence.faults(job) == []


def test_trouble_before_the_verdict_leaves_evidence_too(bench, plug):
    tries = iter([Trouble(InfraReason.DEVICE_LOST, "gone"), None])

    def act(scratch, suite):
        trouble = next(tries)
        return trouble and ChecksOutcome(trouble=trouble, files={"checks/log": b"x"})

    plug.append(good_toolchain(checks=FakeChecks(act=act)))
    job = bench.finish(bench.start_changed())

    lost, last = job.attempts.filter(stage=Stage.CHECKS)
    assert lost.report["outcome"] == "infrastructure"
    assert lost.report["reason"] == InfraReason.DEVICE_LOST
    assert last.accepted
    assert evidence.faults(job) == []


@pytest.mark.parametrize(
    ("tamper", "said"),
    [
        (
            lambda job: job.attempts.filter(stage=Stage.CHECKS).update(report={}),
            "does not have the digest on record",
        ),
        (
            lambda job: Job.objects.filter(pk=job.pk).update(
                facts={**job.facts, "final_build_ok": False}
            ),
            "its facts are not those that were reported",
        ),
        (
            lambda job: Job.objects.filter(pk=job.pk).update(inputs={}),
            "was given something else",
        ),
        (
            lambda job: Artifact.objects.filter(name="app.hap").update(sha256="0" * 64),
            "artifact app.hap is not the one",
        ),
        (
            lambda job: Artifact.objects.filter(name="app.hap").delete(),
            "artifact app.hap is not the one",
        ),
        (
            lambda job: TaskResult.objects.update(completed=False, reason="no_change"),
            "the result has completed = False, the facts say True",
        ),
        (
            lambda job: TaskResult.objects.update(total_tokens=1),
            "the result has total_tokens = 1",
        ),
        (
            lambda job: CheckResult.objects.update(passed=False),
            "the verdicts on its F-points are not those",
        ),
        (lambda job: TaskResult.objects.all().delete(), "scored, but has no result"),
    ],
    ids=[
        *("report", "facts", "inputs", "artifact", "deleted artifact"),
        *("result", "tokens", "verdicts", "deleted result"),
    ],
)
def test_what_was_changed_afterwards_is_found(bench, tamper, said):
    job = bench.finish(bench.start_changed())

    tamper(job)

    found = evidence.faults(Job.objects.get(pk=job.pk))
    assert any(said in fault for fault in found), found


# --- texts of submitted code never keep a report from being stored -------

NASTY = "a\x00b\ud800c\u202e\x1b[31m" + "x" * 100_000


def test_a_nasty_compiler_message_is_stored(bench, plug):
    from evaluator.toolchains.base import Diagnostic

    failed = BuildOutcome(
        ok=False,
        package=None,
        log=NASTY.encode("utf-8", "replace"),
        diagnostics=(Diagnostic("1", NASTY, NASTY, 1, 1),),
    )
    plug.append(good_toolchain(builder=FakeBuilder(lambda *_: failed)))

    job = bench.finish(bench.start_changed())

    assert (job.state, job.reason) == (JobState.SCORED, FailReason.BUILD_FAILED)
    assert "a\ufffdb\ufffdc" in job.detail
    assert len(job.detail) < 25_000


def test_a_nasty_check_message_is_stored(bench, plug):
    def act(scratch, suite):
        return ChecksOutcome(
            tuple(
                CheckOutcome(each.f_point, passed=False, message=NASTY)
                for each in suite.expected
            )
        )

    plug.append(good_toolchain(checks=FakeChecks(act=act)))

    job = bench.finish(bench.start_changed())

    assert (job.state, job.reason) == (JobState.SCORED, FailReason.CHECK_FAILED)
    assert CheckResult.objects.filter(result__run=job.run).count() == 4
    assert evidence.faults(job) == []


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (OSError(28, "No space left on device"), InfraReason.DISK_FULL),
        (ValueError("no such thing"), InfraReason.INTERNAL),
    ],
    ids=["disk full", "anything"],
)
def test_a_report_that_cannot_be_stored_is_our_trouble(
    bench, monkeypatch, broken, reason
):
    job = bench.step_to(bench.start_changed(), Stage.BUILD_FINAL)

    def store(job_id: int, artifacts: list[NewArtifact]) -> list[object]:
        if artifacts:
            raise broken
        return []

    monkeypatch.setattr("evaluator.closing.artifacts.store", store)
    bench.step(job)

    assert (job.state, job.reason) == (JobState.QUEUED, reason)
    assert (job.stage, job.infra_left) == (Stage.BUILD_FINAL, 2)


def test_the_command_agrees_with_sound_jobs_and_names_tampered_ones(bench):
    job = bench.finish(bench.start_changed())
    out = io.StringIO()
    call_command("check_evidence", stdout=out)
    assert "3 task runs agree with their evidence" in out.getvalue()

    CheckResult.objects.update(passed=False)

    with pytest.raises(CommandError, match="1 contradiction"):
        call_command("check_evidence", evaluation=job.evaluation_id, stdout=out)
    assert f"job {job.pk}: the verdicts on its F-points" in out.getvalue()


def test_the_command_names_an_evaluation_that_is_not_there(db):
    with pytest.raises(CommandError, match="No evaluation 77"):
        call_command("check_evidence", evaluation=77)
