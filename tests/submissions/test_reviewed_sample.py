"""One evaluation of the demo from its submission to the verdict that everybody reads.

The outcomes are those that stand beside the sample bundle. That the real evaluator
finds the same is the subject of ``tests/e2e/test_main_job.py``; here they are reported
to the queue in its place, and everything else goes through what is open to people.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from io import StringIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from evaluator.models import Job
from evaluator.queue import ModelOutcome
from evaluator.verdicts import FailReason
from leaderboard.models import EvaluationSnapshot, SnapshotStatus
from scripts import demo_review
from submissions.archive import pack_folder
from submissions.models import IntegritySignal, SignalVerdict, Submission
from submissions.review import decisions
from tests.demo import BUNDLES, demo_package, expected_units, sample_bundle
from tests.factories import UserFactory
from tests.submissions.jobs import claim_one, report
from tests.tokens import token_for

NAME = "sample-b"
TOLD = json.loads((BUNDLES / f"{NAME}.review.json").read_text("utf-8"))


@pytest.fixture
def evaluated(client, db, tmp_path) -> Submission:
    """The sample as its submitter hands it in, with the outcome of every task run."""
    call_command("import_snapshot", demo_package(tmp_path / "package"), verbosity=0)
    EvaluationSnapshot.objects.update(status=SnapshotStatus.OPEN)
    for name in ("maintainer", "reviewer"):
        UserFactory(username=name, is_staff=True)
    archive = pack_folder(sample_bundle(NAME, tmp_path / NAME), tmp_path / "b.zip")
    token = token_for(UserFactory(username="demo"))
    answer = client.post(
        reverse("api-submission-list"),
        {
            "bundle": SimpleUploadedFile(archive.name, archive.read_bytes()),
            "accept_warnings": "true",
        },
        headers={"Authorization": f"Token {token}"},
    )
    assert answer.status_code == 201, answer.content.decode()
    found = Submission.objects.get(pk=answer.json()["id"])
    report_as_expected(found)
    return found


def report_as_expected(submission: Submission) -> None:
    units = expected_units(NAME)
    for _ in units:
        lease = claim_one(submission)
        job = Job.objects.select_related("run", "task").get(pk=lease.job_id)
        unit = units[job.run.number, job.task.slug]
        points = {name: {"passed": ok} for name, ok in unit["f_points"].items()}
        facts = {
            "first_build_ok": unit["first_build_ok"],
            "final_build_ok": unit["final_build_ok"],
            "f_points": points,
        }
        reason = FailReason(unit["reason"]) if unit["reason"] else None
        report(lease, ModelOutcome(reason, facts=facts))
    submission.evaluation.refresh_from_db()


class Maintainers:
    """The two of the demo at their pages; each word of them is a posted form."""

    def __init__(self, client: Any, submission: Submission) -> None:
        self.client, self.submission = client, submission

    def post(self, name: str, page: str, *place: object, **form: object) -> str:
        self.client.force_login(demo_review.person(name))
        address = reverse(page, args=[self.submission.pk, *place])
        answer = self.client.post(address, form, follow=True)
        self.client.logout()
        assert answer.status_code == 200
        return " ".join(answer.content.decode().split())


def test_from_a_submission_to_a_verdict_that_everybody_reads(client, evaluated):
    evaluation = evaluated.evaluation
    call_command("label_failures", evaluation=evaluation.pk, verbosity=0)
    call_command("audit_integrity", str(evaluated.pk), verbosity=0)
    failures = reverse("evaluation-failures", args=[evaluation.pk])
    audit = reverse("evaluation-audit", args=[evaluation.pk])
    assert {client.get(page).status_code for page in (failures, audit)} == {404}

    staff = Maintainers(client, evaluated)
    for each in TOLD["labels"]:
        said = staff.post(each["by"], "review-failures-label", **each)
        assert "Label kept." in said
    (verdict,) = TOLD["verdicts"]
    signal = IntegritySignal.objects.get(code=verdict["rule"])
    said = staff.post(
        verdict["by"], "review-verdict", signal.pk, **verdict, overrule="on"
    )
    assert "Another maintainer must confirm that it counts 0." in said
    proposal = evaluated.proposals.get()
    alone = staff.post(
        verdict["by"], "review-settle", proposal.pk, verdict="confirm", reason=""
    )
    assert "Another maintainer must confirm; you made the proposal." in alone
    second = verdict["counts_0_by"]
    staff.post(second, "review-settle", proposal.pk, verdict="confirm", reason="")
    last = TOLD["publication"]
    staff.post(last["by"], "review-decide", act="publish", reason=last["reason"])

    expect_public_review(client, evaluated)


def expect_public_review(client: Any, submission: Submission) -> None:
    """What somebody who is not signed in reads on the pages of the evaluation."""
    evaluation = submission.evaluation
    (verdict,) = TOLD["verdicts"]

    def read(page: str, *place: object, query: str = "") -> str:
        address = reverse(page, args=[evaluation.pk, *place])
        answer = client.get(f"{address}{query}")
        assert answer.status_code == 200
        return " ".join(answer.content.decode().split())

    page = read("evaluation")
    assert "Simulated device" in page
    # It was measured as completed, and stays among the nine.
    assert "7 of 9 task runs failed; every count below is of these 7." in page
    assert reverse("evaluation-audit", args=[evaluation.pk]) in page
    cheating = read("evaluation-failures", query="?reason=cheating")
    assert "1 of 7 failed task runs." in cheating
    assert verdict["reason"] in cheating
    for query, found in (("?reason=disputed", "1 of 7"), ("?reason=none", "0 of 7")):
        assert f"{found} failed task runs." in read("evaluation-failures", query=query)
    failures = read("evaluation-failures")
    for each in TOLD["labels"]:
        assert each["note"] in failures
        assert f"{each['file']}:{each['line']}" in failures
    audit = read("evaluation-audit")
    assert verdict["public_note"] in audit
    assert "Overruled task runs" in audit
    step = read("task-run-trajectory", verdict["run"], verdict["task"])
    assert "<mark" in step
    assert "[line of a hidden check]" in step
    table = client.get(reverse("evaluation-failures-file", args=[evaluation.pk]))
    rows = list(csv.DictReader(StringIO(table.content.decode())))
    assert Counter(row["failure_reason"] for row in rows) == {
        "missed_requirement": 2,
        "": 1,  # in dispute
        "build_error": 1,
        "cheating": 1,
        "gives_up": 1,
        "wrong_logic": 1,
    }


def test_the_demo_reviews_its_sample_once(client, evaluated, capsys):
    assert demo_review.review(NAME, evaluated)
    expect_public_review(client, evaluated)
    assert reverse("evaluation-audit", args=[evaluated.evaluation_id]) in (
        capsys.readouterr().out
    )

    assert not demo_review.review(NAME, evaluated)
    assert (evaluated.proposals.count(), SignalVerdict.objects.count()) == (1, 1)


def test_the_demo_leaves_a_sample_alone_that_a_person_has_begun_to_review(evaluated):
    demo_review.look_through(evaluated)
    signal = IntegritySignal.objects.get(code="hidden_files")
    by = demo_review.person("maintainer")
    decisions.judge_signal(signal, by=by, decision="dismissed", reason="A mistake.")

    assert not demo_review.review(NAME, evaluated)
    assert not evaluated.evaluation.is_public
