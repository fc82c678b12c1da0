"""More tasks of the demo than the main job has, proved with the real Hypium.

As an admission proves them, but for the second run of the reference, which says
nothing new on a simulated device: the main job shows that it is asked for. One task of
each of both larger apps; ``OHB_TEST_DEMO=all`` proves all that are left, as
``manage.py admit_snapshot demo`` and ``make demo`` do.
"""

from __future__ import annotations

import os

import pytest
from django.conf import settings
from django.core.management import call_command

from evaluator.admission import baselines_of
from evaluator.foreground import evaluate
from evaluator.proofs import record_proofs
from evaluator.services import start_evaluation
from leaderboard.curation import task_states
from leaderboard.models import Configuration, EvaluationSnapshot, Provenance
from leaderboard.snapshots import snapshot_by_version
from tests.demo import DEMO, FEW, demo_package

pytestmark = [pytest.mark.e2e, pytest.mark.hypium, pytest.mark.timeout(3600)]

CHOSEN = {"notes-lost-on-restart", "pantry-item-page"}


@pytest.fixture
def snapshot(committed_db, tmp_path) -> EvaluationSnapshot:
    others = {path.name for path in (DEMO / "tasks").iterdir()} - set(FEW)
    asked = others if os.environ.get("OHB_TEST_DEMO") == "all" else others & CHOSEN
    package = demo_package(tmp_path / "package", sorted(asked))
    call_command("import_snapshot", package, verbosity=0)
    return snapshot_by_version("demo")


def test_bases_fail_references_pass_and_wrong_patches_fail_what_they_should(snapshot):
    for baseline in baselines_of(snapshot):
        evaluation = start_evaluation(
            snapshot=snapshot,
            configuration=Configuration.objects.create(
                model=baseline.model, provider="test", agent_name=baseline.agent.value
            ),
            provenance=Provenance.BASELINE,
            run_count=1 if baseline.agent == "reference" else baseline.run_count,
            trusted=True,
            comparability_key=snapshot.comparability_key,
            agent=baseline.agent,
        )
        assert evaluate(evaluation, slots=settings.OHB_WORKER_SLOTS)
        record_proofs(evaluation)

    states = task_states(snapshot)
    assert [fault for each in states for fault in each.lacking_proofs()] == [
        "reference solution: proved in 1 of 2 runs" for _ in states
    ]
    # Nothing but what a wrong patch is made to fail.
    for each in states:
        for proof in each.proofs_of("wrong"):
            failed = [name for name, passed in proof.verdicts.items() if not passed]
            assert failed == proof.wrong_patch["f_points"], proof
