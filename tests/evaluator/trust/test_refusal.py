"""Without walls that hold, a worker leaves the work of strangers alone and says so."""

from __future__ import annotations

import io
import logging

import pytest
from django.core.management import CommandError, call_command

from evaluator import capability, worker
from evaluator.models import JobState
from evaluator.sandbox import (
    HostSandbox,
    ProbeResult,
    SandboxUnavailableError,
    bubblewrap,
    unshare,
)
from tests.evaluator.trust.bench import Bench

OPEN = ProbeResult("no mounts", ok=False, detail="it worked")
HELD = ProbeResult("no mounts", ok=True, detail="")


class Walls:
    """A sandbox that says it isolates; what its probes find is up to the test."""

    name, isolates, gaps = "walls", True, ()

    def __init__(self, *found: list[ProbeResult]) -> None:
        self.found = list(found)

    def describe(self) -> str:
        return "walls: of paper"


@pytest.fixture
def walls(monkeypatch):
    """Let the worker have ``walls(...)``, and count how often it tries them."""
    tries = []

    def use(sandbox):
        def probe(sandbox):
            tries.append(sandbox)
            return sandbox.found[min(len(tries), len(sandbox.found)) - 1]

        monkeypatch.setattr("evaluator.sandbox.probes.probe", probe)
        monkeypatch.setattr(capability, "worker_sandbox", lambda: sandbox)
        return tries

    return use


def test_a_sandbox_whose_probes_hold_isolates_and_is_tried_once(walls):
    tries = walls(Walls([HELD]))

    assert [capability.sandbox_isolates() for _ in range(5)] == [True] * 5
    assert len(tries) == 1


def test_a_sandbox_with_a_way_out_does_not_isolate_and_the_log_says_which(
    walls, caplog
):
    tries = walls(Walls([OPEN]))

    with caplog.at_level(logging.ERROR):
        assert not capability.sandbox_isolates()
        assert not capability.sandbox_isolates()

    assert len(tries) == 1
    assert "sandbox open: no mounts: it worked" in caplog.text
    assert "takes no untrusted work" in caplog.text


def test_a_sandbox_that_failed_for_a_moment_is_tried_again_later(walls, monkeypatch):
    tries = walls(Walls([OPEN], [HELD]))
    assert not capability.sandbox_isolates()
    monkeypatch.setattr(capability, "TRY_AGAIN_SECONDS", 0)

    assert capability.sandbox_isolates()
    assert capability.sandbox_isolates()
    assert len(tries) == 2


def test_a_gap_that_is_warned_of_is_borne(walls):
    sandbox = Walls([OPEN])
    sandbox.gaps = ("no mounts",)
    walls(sandbox)

    assert capability.sandbox_isolates()


def test_a_worker_with_an_open_sandbox_leaves_untrusted_jobs_alone(bench: Bench, walls):
    walls(Walls([OPEN]))
    stranger, ours = bench.start_changed(), bench.start_changed(trusted=True)

    for job in (stranger, ours):
        worker.work_on(job.pk, ring=False)
        job.refresh_from_db()

    assert (stranger.state, stranger.fence) == (JobState.QUEUED, 0)
    assert ours.fence > 0


@pytest.fixture
def no_walls_at_all(monkeypatch):
    """A machine with neither bubblewrap nor what util-linux needs."""

    def missing() -> None:
        raise SandboxUnavailableError("not on this machine.")

    monkeypatch.setattr(bubblewrap, "_find_bubblewrap", missing)
    monkeypatch.setattr(unshare, "_need_root_and_tools", missing)
    capability.worker_sandbox.cache_clear()
    yield
    capability.worker_sandbox.cache_clear()


def test_without_any_sandbox_untrusted_jobs_wait_and_trusted_ones_run(
    bench: Bench, no_walls_at_all
):
    stranger, ours = bench.start_changed(), bench.start_changed(trusted=True)

    assert isinstance(capability.worker_sandbox(), HostSandbox)
    for job in (stranger, ours):
        worker.work_on(job.pk, ring=False)
        job.refresh_from_db()

    assert (stranger.state, stranger.fence) == (JobState.QUEUED, 0)
    assert ours.state == JobState.SCORED


def test_without_any_sandbox_the_doctor_says_so(db, no_walls_at_all):
    out = io.StringIO()

    with pytest.raises(CommandError, match="isolates: none: no isolation"):
        call_command("doctor", "--sandbox", stdout=out)

    assert "not on this machine." in out.getvalue()
    assert "Only bundles of this repository and of staff" in out.getvalue()


@pytest.mark.sandbox
def test_this_machine_holds(db, settings):
    settings.OHB_SANDBOX = "auto"
    capability.worker_sandbox.cache_clear()

    assert capability.sandbox_isolates()
