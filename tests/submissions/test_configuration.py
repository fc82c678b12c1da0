"""Handing in a configuration: what it holds, who can run it, and what is refused."""

from __future__ import annotations

from collections import Counter

import pytest

from evaluator.agents.offer import Offer
from evaluator.models import AgentKind, Job
from leaderboard.blobs import store_blob
from leaderboard.models import Artifact, EvaluationSnapshot
from submissions import followups, intake, services
from submissions.findings import Code
from submissions.integrity.looking import found_in
from submissions.offers import offer_findings
from tests.factories import EvaluationSnapshotFactory
from tests.submissions.bundles import files_for, make_snapshot, manifest_for, zipped
from tests.submissions.jobs import fail_all

OFFER = Offer("OpenCode", "1.18.33", "Sample Lab", "sample-1")


@pytest.fixture
def snapshot(db) -> EvaluationSnapshot:
    return make_snapshot()


@pytest.fixture(autouse=True)
def offered(monkeypatch) -> list[Offer]:
    """What workers offer; a test may change it."""
    known = [OFFER]
    monkeypatch.setattr(intake, "sandbox_isolates", lambda: True)
    monkeypatch.setattr(intake, "known_offers", lambda: list(known))
    return known


def configuration(snapshot: EvaluationSnapshot, offer: Offer = OFFER, **more: bytes):
    """The files of a bundle that asks for ``offer``."""
    manifest = manifest_for(snapshot, mode="configuration")
    manifest["agent"] = {"name": offer.agent, "version": offer.version}
    manifest["model"] = {"identifier": offer.model, "provider": offer.provider}
    whole = files_for(snapshot, manifest=manifest)
    return {"manifest.json": whole["manifest.json"], **more}


def receive(user, folder, files):
    path = folder / "bundle.zip"
    path.write_bytes(zipped(files))
    return services.receive(user, path, origin="page", tick=True)


def test_a_configuration_becomes_jobs_for_workers_with_its_agent(
    user, snapshot, tmp_path
):
    receipt = receive(user, tmp_path, configuration(snapshot))

    assert receipt.report.errors == ()
    evaluation = receipt.submission.evaluation
    jobs = Job.objects.filter(evaluation=evaluation)
    assert jobs.count() == snapshot.run_count * snapshot.tasks.count()
    for job in jobs:
        assert (job.agent, job.pool, job.trusted) == ("configured", "agent", False)
        assert job.inputs["offer"] == str(OFFER)
        assert job.inputs["repair_limit"] == snapshot.repair_limit
    assert evaluation.toolchain_facts == {"agent": "run here"}
    # The agent is another than the snapshot's, which the report says.
    assert "agent.name" in evaluation.differing_fields


def test_its_manifest_is_all_that_a_configuration_holds(user, snapshot, tmp_path):
    whole = files_for(snapshot)
    del whole["manifest.json"]
    receipt = receive(user, tmp_path, {**configuration(snapshot), **whole})

    (finding,) = receipt.report.errors
    assert finding.code == Code.CONFIGURATION_FILES
    assert f"{len(whole)} files beside the manifest" in finding.saw
    assert Job.objects.count() == 0


def test_finished_work_still_has_to_be_whole(user, snapshot, tmp_path):
    files = files_for(snapshot)
    receipt = receive(user, tmp_path, {"manifest.json": files["manifest.json"]})

    assert {each.code for each in receipt.report.errors} == {Code.TASK_RUN_MISSING}


def test_a_key_in_a_manifest_is_refused(user, snapshot, tmp_path):
    files = configuration(snapshot)
    key = "sk-proj-" + "Ab1" * 16
    files["manifest.json"] = files["manifest.json"].replace(
        b'"fill in"', f'"{key}"'.encode()
    )
    receipt = receive(user, tmp_path, files)

    assert {each.code for each in receipt.report.errors} == {Code.SECRET}
    assert key not in str(receipt.report.as_dict())


@pytest.mark.parametrize(
    ("offer", "code", "advice"),
    [
        (OFFER._replace(version="2"), Code.AGENT_NOT_OFFERED, "OpenCode 1.18.33"),
        (
            OFFER._replace(model="glm-5.2"),
            Code.MODEL_NOT_OFFERED,
            "sample-1 of Sample Lab",
        ),
        (
            OFFER._replace(provider="Other"),
            Code.MODEL_NOT_OFFERED,
            "sample-1 of Sample Lab",
        ),
    ],
)
def test_what_no_worker_can_run_is_told_with_what_they_can(
    user, snapshot, tmp_path, offer, code, advice
):
    receipt = receive(user, tmp_path, configuration(snapshot, offer))

    (finding,) = receipt.report.errors
    assert finding.code == code
    assert advice in finding.fix
    assert Job.objects.count() == 0


def test_without_any_worker_both_parts_are_told(user, snapshot, tmp_path, offered):
    offered.clear()
    receipt = receive(user, tmp_path, configuration(snapshot))

    codes = {each.code for each in receipt.report.errors}
    assert codes == {Code.AGENT_NOT_OFFERED, Code.MODEL_NOT_OFFERED}
    assert all("none at present" in each.fix for each in receipt.report.errors)


@pytest.mark.django_db
@pytest.mark.parametrize(("simulated", "refused"), [(True, False), (False, True)])
def test_a_script_is_taken_for_simulated_devices_alone(simulated, refused):
    snapshot = EvaluationSnapshotFactory(device_profile_simulated=simulated)
    offer = OFFER._replace(model="scripted-demo")
    codes = [each.code for each in offer_findings(offer, [offer], snapshot=snapshot)]

    assert codes == ([Code.SCRIPTED_MODEL] if refused else [])


def test_a_scripted_result_says_so(user, snapshot, tmp_path, offered):
    snapshot.device_profile_simulated = True
    snapshot.save()
    offered.append(OFFER._replace(model="scripted-demo"))
    receipt = receive(user, tmp_path, configuration(snapshot, offered[-1]))

    facts = receipt.submission.evaluation.toolchain_facts
    assert facts["model"] == "scripted, no real model"
    assert receipt.submission.evaluation.scripted
    assert not receipt.submission.evaluation.eligible


def test_the_trajectories_of_agents_run_here_are_looked_through(
    user, snapshot, tmp_path
):
    evaluation = receive(user, tmp_path, configuration(snapshot)).submission.evaluation
    kept = store_blob(b'{"role": "assistant", "content": "the same"}\n')
    task = snapshot.tasks.first()
    for run in evaluation.runs.all():
        for name in ("agent/trajectory.jsonl", "agent/turn-0.agent.log"):
            Artifact.objects.create(
                run=run,
                task=task,
                name=name,
                kind="trajectory",
                sha256=kept.sha256,
                size_bytes=kept.size_bytes,
            )
    found = list(found_in(evaluation.submission, Counter()))

    assert {(each.run, each.task, each.file) for each in found} >= {
        (2, task, "trajectory.jsonl")
    }
    assert {each.file for each in found} == {"trajectory.jsonl"}


def test_a_rerun_has_the_agent_work_again(user, snapshot, tmp_path):
    submission = receive(user, tmp_path, configuration(snapshot)).submission
    fail_all(submission)
    again = followups.rerun(submission, by=user, reason="to see the spread")

    jobs = Job.objects.filter(evaluation=again.evaluation)
    assert {job.agent for job in jobs} == {AgentKind.CONFIGURED}
    assert {job.inputs["offer"] for job in jobs} == {str(OFFER)}
    assert again.evaluation.toolchain_facts == {"agent": "run here"}
