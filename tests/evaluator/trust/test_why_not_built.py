"""What a task run says of a build that failed."""

from __future__ import annotations

import pytest

from evaluator.toolchains.base import BuildOutcome, Diagnostic
from tests.evaluator.trust.toolchains import FakeBuilder, good_toolchain

WARNING = Diagnostic("", "unused", "a.ets", 1, 1, severity="warning")
ERROR = Diagnostic("10505001", "Cannot find name 'Rain'.", "b.ets", 9, 4)
NO_PLACE = Diagnostic("", "Unknown module.", "")


@pytest.mark.parametrize(
    ("messages", "task", "said"),
    [
        (
            (WARNING, ERROR, ERROR),
            "CompileArkTS",
            "b.ets:9:4 Cannot find name 'Rain'. (CompileArkTS: 2 errors)",
        ),
        ((ERROR,), "", "b.ets:9:4 Cannot find name 'Rain'. (1 error)"),
        ((NO_PLACE,), "PreBuild", "Unknown module. (PreBuild: 1 error)"),
        ((WARNING,), "PackageHap", "PackageHap failed"),
        ((), "", ""),
    ],
)
def test_the_first_error_is_told_with_its_place_and_task(
    bench, plug, messages, task, said
):
    outcome = BuildOutcome(False, None, b"log", messages, failed_task=task)
    plug.append(good_toolchain(builder=FakeBuilder(lambda *_: outcome)))

    job = bench.finish(bench.start_changed())

    assert (job.reason, job.detail) == ("build_failed", said)
