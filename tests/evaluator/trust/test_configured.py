"""A configuration's own agent in the pipeline: its turns, and whose doing an end is.

The agent here is a stand-in that does what a test says; the real program is driven in
tests/evaluator/agents/ and tests/e2e/test_configuration.py.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from evaluator import offers, queue, services, worker
from evaluator.agents.offer import Offer
from evaluator.models import INFRA_BUDGET, AgentKind, Job, JobState, Stage, Worker
from evaluator.pipeline import configured
from evaluator.pipeline.prompts import (
    LISTED_ERRORS,
    LOG_CHARACTERS,
    repair_prompt,
)
from evaluator.toolchains.base import (
    AgentOutcome,
    AgentSession,
    BuildOutcome,
    Diagnostic,
)
from evaluator.toolchains.hvigor_log import read_diagnostics
from evaluator.verdicts import InfraReason, Trouble
from leaderboard.models import Artifact, Provenance, TaskResult
from tests.evaluator.trust.bench import TASK, Bench, artifact
from tests.evaluator.trust.toolchains import FakeBuilder, good_toolchain
from tests.factories import ConfigurationFactory

OFFER = Offer("OpenCode", "1", "Sample Lab", "sample-1")
PLACE = "entry/src/main/ets/common/Added.ets"
BROKEN, GOOD = "let wrong\n", "export const added = true;\n"
DIAGNOSTIC = "Added.ets:1:5 a name was expected"
EXPECTED = Diagnostic("10505001", "a name was expected", "Added.ets", 1, 5)


class FakeAgent:
    """Writes one text a turn, and remembers what it was told."""

    def __init__(self, *texts: str, **outcome: object) -> None:
        self.texts = list(texts)
        self.outcome = outcome
        self.prompts: list[str] = []
        self.sessions: list[AgentSession | None] = []
        self.projects: list[Path] = []
        self.act: Callable[[Path], None] = lambda project: None

    def run(
        self,
        workspace: Path,
        prompt: str,
        *,
        scratch: Path,
        deadline: float,
        session: AgentSession | None = None,
    ) -> AgentOutcome:
        self.prompts.append(prompt)
        self.sessions.append(session)
        self.projects.append(workspace)
        if self.texts:
            place = workspace / PLACE
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(self.texts.pop(0))
        self.act(workspace)
        turns = len(self.prompts)
        found = {
            "seconds": 1.5,
            "total_tokens": 100 * turns,
            "endpoint_tokens": 100,
            "session": AgentSession("ses_1", f"after {turns}".encode()),
            "files": {"trajectory.jsonl": b"{}\n" * turns, "agent.log": b"said\n"},
        }
        return AgentOutcome(**{**found, **self.outcome})


def compiler() -> FakeBuilder:
    """Builds what does not hold the broken text."""

    def act(workspace: Path, scratch: Path) -> BuildOutcome | None:
        place = workspace / PLACE
        if place.exists() and place.read_text() == BROKEN:
            return BuildOutcome(False, None, DIAGNOSTIC.encode(), (EXPECTED,))
        return None

    return FakeBuilder(act)


@pytest.fixture
def start(bench: Bench, plug, monkeypatch) -> Callable[[FakeAgent], Job]:
    """Queue a job of a configuration whose agent is the one given."""
    plug.append(good_toolchain(builder=compiler()))

    def queued(agent: FakeAgent) -> Job:
        monkeypatch.setattr(configured, "agent_for", lambda job, *, stop: agent)
        monkeypatch.setattr(worker, "own_offers", lambda: [OFFER])
        monkeypatch.setattr(
            bench, "claim", lambda job: queue.claim(job.pk, **claiming(OFFER))
        )
        evaluation = services.start_evaluation(
            snapshot=bench.snapshot,
            configuration=ConfigurationFactory(),
            provenance=Provenance.OFFICIAL,
            run_count=1,
            trusted=False,
            comparability_key=bench.snapshot.comparability_key,
            agent=AgentKind.CONFIGURED,
            inputs={"offer": str(OFFER), "run_parameters": {}, "repair_limit": 2},
        )
        return evaluation.jobs.get(task__slug=TASK)

    return queued


def claiming(*offered: Offer) -> dict[str, object]:
    return {
        "owner": worker.worker_name(),
        "pools": settings.OHB_WORKER_POOLS,
        "isolated": True,
        "offers": [str(offer) for offer in offered],
    }


def result_of(job: Job) -> TaskResult:
    return TaskResult.objects.get(run=job.run_id, task=job.task_id)


def test_an_agent_whose_work_builds_is_not_told_anything_more(bench: Bench, start):
    agent = FakeAgent(GOOD)
    job = bench.finish(start(agent))

    result = result_of(job)
    assert (job.state, result.completed, result.first_build_ok) == (
        "scored",
        True,
        True,
    )
    assert (result.repair_rounds, result.total_tokens) == (0, 100)
    assert result.agent_milliseconds == 1500
    assert GOOD.encode() in artifact(job, "final.patch").replace(b"\n+", b"\n")
    assert artifact(job, "final.patch") == artifact(job, "first.patch")
    assert artifact(job, "agent/trajectory.jsonl") == b"{}\n"
    (prompt,) = agent.prompts
    statement = (bench.package() / "statement.md").read_text()
    assert prompt.startswith(statement.strip())
    assert artifact(job, "agent/turn-0.prompt.md").decode() == prompt
    for point in job.task.f_points.all():
        assert point.description not in prompt.removeprefix(statement.strip())


def test_a_build_that_fails_is_mended_in_the_same_session(bench: Bench, start):
    agent = FakeAgent(BROKEN, GOOD)
    job = bench.finish(start(agent))

    result = result_of(job)
    assert (result.completed, result.first_build_ok, result.final_build_ok) == (
        *(True, False, True),
    )
    assert (result.repair_rounds, result.total_tokens) == (1, 200)
    assert result.agent_milliseconds == 3000
    assert agent.sessions == [None, AgentSession("ses_1", b"after 1")]
    assert agent.prompts[1] == repair_prompt(DIAGNOSTIC.encode(), [EXPECTED])
    # Its paths are all over the session, so the project lies where it lay before.
    assert agent.projects[0] == agent.projects[1]
    assert not agent.projects[0].parent.exists()
    kinds = Artifact.objects.filter(task=job.task, kind="trajectory")
    assert kinds.count() == 1
    assert artifact(job, "agent/trajectory.jsonl") == b"{}\n{}\n"


def test_repair_ends_when_the_rounds_are_used_up(bench: Bench, start):
    agent = FakeAgent(*[BROKEN] * 9)
    job = bench.finish(start(agent))

    assert (job.state, job.reason) == (JobState.SCORED, "build_failed")
    assert result_of(job).repair_rounds == 2
    assert len(agent.prompts) == 3
    # Of every build its own errors, the first one and those in between alike.
    assert agent.prompts[1] == agent.prompts[2]
    assert "- 10505001 Added.ets:1:5: a name was expected\n" in agent.prompts[2]
    assert artifact(job, "agent/turn-2.build.log") == DIAGNOSTIC.encode()


def test_an_agent_that_changes_nothing_has_no_excuse(bench: Bench, start, plug):
    job = bench.finish(start(FakeAgent()))

    # The stand-in for the checks passes everything, also an unchanged project.
    assert job.facts["empty"] is True
    assert artifact(job, "final.patch") == b""


def test_a_link_in_the_project_is_refused_and_not_repaired(bench: Bench, start):
    agent = FakeAgent()
    agent.act = lambda project: (project / "secrets").symlink_to("/etc/passwd")
    job = bench.finish(start(agent))

    assert (job.state, job.reason) == (JobState.SCORED, "patch_rejected")
    assert len(agent.prompts) == 1
    assert result_of(job).repair_rounds == 0


@pytest.mark.parametrize("turns", [1, 2])
def test_running_out_of_time_is_the_configurations_doing(bench: Bench, start, turns):
    agent = FakeAgent(BROKEN)
    if turns == 1:
        agent.outcome = {"timed_out": True}
    else:
        agent.act = lambda _: agent.outcome.update(timed_out=len(agent.prompts) == 2)
    job = bench.finish(start(agent))

    assert (job.state, job.reason) == (JobState.SCORED, "timed_out")
    result = result_of(job)
    assert (result.completed, result.final_build_ok) == (False, False)
    assert result.total_tokens == 100 * turns
    assert BROKEN.strip().encode() in artifact(job, "agent/unfinished.patch")
    assert artifact(job, "agent/trajectory.jsonl")


@pytest.mark.parametrize("turns", [1, 2])
def test_an_endpoint_that_fails_costs_a_try_and_never_scores(
    bench: Bench, start, turns
):
    down = Trouble(InfraReason.MODEL_ENDPOINT, "no answer")
    agent = FakeAgent(*[BROKEN] * 9)
    agent.act = lambda _: agent.outcome.update(
        trouble=down if len(agent.prompts) >= turns else None
    )
    job = start(agent)
    stage = Stage.AGENT if turns == 1 else Stage.REPAIR
    bench.step_to(job, stage) if turns == 2 else None
    bench.step(job)

    assert (job.state, job.stage) == (JobState.QUEUED, stage)
    assert (job.reason, job.infra_left) == ("model_endpoint", INFRA_BUDGET - 1)
    assert bench.finish(job).state == JobState.INFRA_EXHAUSTED
    assert not TaskResult.objects.exists()


def test_fewer_tokens_in_the_session_than_at_the_endpoint_are_flagged(
    bench: Bench, start
):
    job = bench.finish(start(FakeAgent(GOOD, total_tokens=7)))

    assert result_of(job).flags == ["tokens: 7 in the session, 100 at the endpoint"]


@pytest.mark.parametrize("known", [None, 100])
def test_tokens_that_are_not_known_stay_unknown(bench: Bench, start, known):
    agent = FakeAgent(GOOD, total_tokens=None, endpoint_tokens=known)
    job = bench.finish(start(agent))

    assert result_of(job).total_tokens is None
    assert result_of(job).flags == []


def test_only_a_worker_with_the_agent_gets_the_stages_of_agents(bench: Bench, start):
    job = start(FakeAgent(GOOD))
    other = OFFER._replace(model="sample-2")

    for offered in [(), (other,)]:
        assert queue.claim(job.pk, **claiming(*offered)) is None
        assert queue.claim_next(evaluation=job.evaluation, **claiming(*offered)) is None
    bench.step_to(job, Stage.BUILD_FIRST)
    lease = queue.claim(job.pk, **claiming())
    assert lease is not None
    assert lease.stage == Stage.BUILD_FIRST


@pytest.mark.django_db
def test_offers_are_those_of_living_workers():
    now = timezone.now()
    for name, model in [("a:1", "sample-1"), ("b:1", "sample-2")]:
        Worker.objects.create(
            name=name,
            capabilities={"offers": [[*OFFER[:3], model]]},
            started_at=now,
            seen_at=now if name == "a:1" else now.replace(year=2020),
        )

    assert offers.known_offers() == [OFFER]


def test_a_long_log_is_told_by_its_beginning_and_its_end():
    log = b"first\n" + b"x" * 2 * LOG_CHARACTERS + b"\nlast\xff"
    told = repair_prompt(log, [])

    assert len(told) < LOG_CHARACTERS + 500
    assert "first\n" in told
    assert "last\ufffd" in told
    assert f"[... {len(log) - LOG_CHARACTERS} characters ...]" in told


def test_errors_are_told_whatever_is_left_out_of_the_log():
    """One that stands in the middle of a long log reaches the agent all the same."""
    error = (
        "1 ERROR: 10505001 ArkTS Compiler Error\nError Message: no rain today At File:"
    )
    error += " /srv/project/entry/Sky.ets:9:40\n\n"
    noise = "> hvigor Finished :entry:default@Sky...\n" * LOG_CHARACTERS
    log = (noise + error + noise).encode()
    told = repair_prompt(log, read_diagnostics(log, Path("/srv/project")))

    assert "- 10505001 entry/Sky.ets:9:40: no rain today\n" in told
    assert told.index("no rain today") < told.index("The output of the build")
    assert "no rain today" not in told.partition("The output of the build")[2]


def test_colors_of_a_terminal_are_not_told():
    told = repair_prompt(b"\x1b[31m1 ERROR: \x1b[31mno rain\x1b[39m\n", [])

    assert "1 ERROR: no rain\n" in told
    assert "\x1b" not in told


def test_of_very_many_errors_the_first_are_told_and_the_rest_is_counted():
    errors = [Diagnostic("", f"error {n}" + "x" * 9999, "", n) for n in range(250)]
    warning = Diagnostic("", "mere advice", "A.ets", severity="warning")
    told = repair_prompt(b"the log", [warning, *errors])

    assert "Its errors (250):" in told
    assert told.count("\n- ") == LISTED_ERRORS + 1
    assert "- and 150 more\n" in told
    assert "mere advice" not in told
    assert len(told) < LOG_CHARACTERS
