"""A patch that brings in another language or outdated modules is flagged, no more."""

from __future__ import annotations

from leaderboard.models import EvaluationSnapshot, TaskResult
from tests.evaluator.trust.bench import patch_of


def test_penalties_come_from_the_patch_and_leave_completion_alone(bench):
    EvaluationSnapshot.objects.update(legacy_apis=["@ohos.router"])
    page = "entry/src/main/resources/rawfile/app.html"
    source = "entry/src/main/ets/common/Old.ets"
    patch = patch_of(
        bench.package() / "base",
        {page: "<p>\n", source: "import router from '@ohos.router';\n"},
    )
    bench.snapshot.refresh_from_db()

    job = bench.finish(bench.start(patch))

    result = TaskResult.objects.get(run=job.run_id, task=job.task_id)
    assert result.completed
    assert result.flags == [
        f"foreign_language_files {page}",
        f"legacy_api {source}:1 @ohos.router",
    ]
