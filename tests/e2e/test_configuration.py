"""A configuration from its manifest to its result: the real agent, build and checks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from evaluator import offers
from evaluator.capability import worker_sandbox
from leaderboard.models import (
    Artifact,
    EvaluationSnapshot,
    SnapshotStatus,
    TaskResult,
)
from leaderboard.snapshots import import_package
from submissions.models import Submission
from tests.demo import BUNDLES, FIXTURES, demo_package
from tests.factories import UserFactory
from tests.submissions.bundles import zipped
from tests.tokens import token_for

pytestmark = [
    *[pytest.mark.e2e, pytest.mark.agent, pytest.mark.hypium, pytest.mark.sandbox],
    pytest.mark.timeout(3600),
]

TASK = "penkit-crash"


@pytest.fixture
def snapshot(committed_db, tmp_path: Path) -> EvaluationSnapshot:
    """One task of the demo snapshot, to be run once."""
    package = demo_package(tmp_path / "package", [TASK], version="demo-one", runs=1)
    import_package(package)
    EvaluationSnapshot.objects.update(status=SnapshotStatus.OPEN)
    return EvaluationSnapshot.objects.get(version="demo-one")


@pytest.fixture
def offered(settings):
    """The agent of `make setup` with the script of the demo in a model's place."""
    settings.OHB_MODEL_PROVIDERS = str(FIXTURES / "agents" / "providers.toml")
    offers.own_agents.cache_clear()
    yield offers.own_offers()
    offers.own_agents.cache_clear()


def test_a_configuration_is_run_built_mended_checked_and_never_ranked(
    client, snapshot, offered, settings
):
    assert worker_sandbox().isolates
    manifest = json.loads((BUNDLES / "sample-scripted" / "manifest.json").read_text())
    manifest["benchmark_version"] = snapshot.version
    manifest["run_configuration"]["runs"] = 1
    user = UserFactory()
    bundle = zipped({"manifest.json": json.dumps(manifest).encode()})
    answer = client.post(
        reverse("api-submission-list"),
        {
            "bundle": SimpleUploadedFile("bundle.zip", bundle),
            "accept_warnings": "true",
        },
        headers={"Authorization": f"Token {token_for(user)}"},
    )
    assert answer.status_code == 201, answer.content.decode()
    submission = Submission.objects.get(pk=answer.json()["id"])
    call_command("evaluate", str(submission.pk))

    result = TaskResult.objects.get(run__evaluation=submission.evaluation)
    assert (result.completed, result.reason) == (True, "")
    assert (result.first_build_ok, result.final_build_ok) == (False, True)
    assert (result.repair_rounds, result.flags) == (1, [])
    assert result.total_tokens > 0
    assert result.agent_milliseconds > 0
    kept = Artifact.objects.filter(task=result.task, run=result.run)
    names = set(kept.values_list("name", flat=True))
    assert names >= {
        *("agent/trajectory.jsonl", "agent/turn-0.prompt.md", "agent/turn-1.prompt.md"),
        *("build_first.log", "first.patch", "final.patch", "app.hap"),
    }
    evaluation = submission.evaluation
    evaluation.refresh_from_db()
    assert (evaluation.scripted, evaluation.simulated) == (True, True)
    assert not evaluation.comparable
    client.force_login(user)
    page = client.get(evaluation.get_absolute_url()).content.decode()
    assert "Scripted, no model" in page
