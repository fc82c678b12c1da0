"""The real program in a sandbox, asking models that follow a script."""

from __future__ import annotations

import functools
import json
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator.agents.endpoint import HttpEndpoint
from evaluator.agents.gateway import Answer, Endpoint
from evaluator.agents.programs import NoAgentError, find_program
from evaluator.sandbox import Sandbox, open_sandbox
from evaluator.toolchains.base import AgentOutcome
from evaluator.toolchains.deveco import AgentProgram, DevecoAgent
from evaluator.verdicts import InfraReason
from tests.evaluator.agents.endpoints import call, fake_lab, script, scripted
from tests.evaluator.stubs import Once, write_tool

KEY = "sk-canary-7f3a"
PARAMETERS = {
    "temperature": 0,
    "context_window_tokens": 200_000,
    "reasoning_budget_tokens": 65_500,
}


def real(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a test that runs the real program."""
    marks = (pytest.mark.agent, pytest.mark.sandbox)
    return functools.reduce(lambda marked, mark: mark(marked), marks, test)


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return open_sandbox("auto")


@pytest.fixture(scope="module")
def program() -> AgentProgram:
    return find_program()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "Index.ets").write_text("struct Index {}\n")
    return folder


def scratch(tmp_path: Path, name: str = "turn-1") -> Path:
    folder = tmp_path / name
    folder.mkdir()
    return folder


def everything_in(outcome: AgentOutcome) -> bytes:
    """All that is kept of a turn."""
    kept = [*outcome.files.values()]
    kept += [outcome.session.database] if outcome.session else []
    kept += [outcome.trouble.detail.encode()] if outcome.trouble else []
    return b"".join(kept)


@real
def test_two_turns_of_one_session_with_a_sub_agent(
    tmp_path: Path, project: Path, sandbox: Sandbox, program: AgentProgram
):
    model = scripted(
        script(["The child is done."], when="Look around for me"),
        script(
            [
                call("write", filePath="Added.ets", content="struct Added {}\n"),
                call(
                    "task",
                    description="look",
                    prompt="Look around" + " for me",
                    subagent_type="general",
                ),
                call("grep", pattern="Index"),
                call("bash", command="env; cat /proc/*/environ", description="look"),
                "Done.",
            ],
            [call("write", filePath="Mended.ets", content="struct Mended {}\n"), "Ok."],
            when="Add a struct",
        ),
    )
    # The sub-agent's own first message holds its prompt; the root's repeats it later.
    model.conversations[0]["when"] = '"content": "Look around for me'
    with fake_lab(model) as lab:
        agent = DevecoAgent(
            program,
            HttpEndpoint(lab.base_url, "scripted-test", key=KEY),
            sandbox,
            PARAMETERS,
            secret=KEY,
        )
        first = agent.run(
            project,
            "Add a struct",
            scratch=scratch(tmp_path),
            deadline=time.monotonic() + 600,
        )
        assert first.trouble is None
        assert (project / "Added.ets").read_text() == "struct Added {}\n"
        second = agent.run(
            project,
            "The build says: ...",
            scratch=scratch(tmp_path, "turn-2"),
            deadline=time.monotonic() + 600,
            session=first.session,
        )

    assert second.trouble is None
    assert (project / "Mended.ets").exists()
    assert sorted(path.name for path in project.iterdir()) == [
        *("Added.ets", "Index.ets", "Mended.ets")
    ]
    # The parameters reach the model; the key does, and nobody else has seen it.
    request = lab.asked[0]
    assert (request["model"], request["temperature"]) == ("scripted-test", 0)
    assert request["thinking"] == {"budget_tokens": 65_500}
    assert set(lab.keys) == {f"Bearer {KEY}"}
    assert KEY.encode() not in everything_in(first) + everything_in(second)
    assert KEY not in json.dumps(lab.asked)
    # Tokens are those of the endpoint: six answers with the sub-agent's, then two more.
    streamed = first.files["agent.log"].count(b'"step_finish"')
    assert (streamed, len(lab.asked)) == (5, 8)
    assert first.total_tokens == first.endpoint_tokens
    assert second.total_tokens == first.total_tokens + second.endpoint_tokens
    assert second.session.root == first.session.root
    expect_the_programs_own_export(tmp_path, program, second)


def expect_the_programs_own_export(
    tmp_path: Path, program: AgentProgram, outcome: AgentOutcome
) -> None:
    """The trajectory holds what ``export`` prints, and the sub-agent's part besides."""
    home = scratch(tmp_path, "export")
    (home / "session.db").write_bytes(outcome.session.database)
    exported = subprocess.run(
        [program.command, "export", outcome.session.root],
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(home),
            "OPENCODE_DB": str(home / "session.db"),
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
        },
        cwd=home,
        capture_output=True,
        check=True,
        timeout=600,
    ).stdout
    lines = outcome.files["trajectory.jsonl"].splitlines()
    messages = [json.loads(line) for line in lines]
    of_root = [m for m in messages if m["info"]["sessionID"] == outcome.session.root]
    assert of_root == json.loads(exported)["messages"]
    assert len(messages) > len(of_root)


@real
def test_an_endpoint_that_answers_no_more_is_our_trouble(
    tmp_path: Path, project: Path, sandbox: Sandbox, program: AgentProgram
):
    quickly = {"retry-after-ms": "1"}
    with fake_lab(scripted(), status=503, headers=quickly) as lab:
        agent = DevecoAgent(
            program,
            HttpEndpoint(lab.base_url, "scripted-test", key=KEY),
            sandbox,
            PARAMETERS,
            secret=KEY,
        )
        outcome = agent.run(
            project, "x", scratch=scratch(tmp_path), deadline=time.monotonic() + 600
        )

    assert outcome.trouble is not None
    assert outcome.trouble.reason == InfraReason.MODEL_ENDPOINT
    assert "status 503" in outcome.trouble.detail
    assert len(lab.asked) > 1
    assert KEY.encode() not in everything_in(outcome)


@real
def test_an_agent_that_never_ends_is_ended_and_its_session_kept(
    tmp_path: Path, project: Path, sandbox: Sandbox, program: AgentProgram
):
    asked = threading.Event()

    class Watched:
        model = "scripted-test"
        follows = scripted(
            script([call("bash", command="setsid sleep 9999", description="wait")])
        )

        def ask(self, body: bytes) -> Answer:
            asked.set()
            return self.follows.ask(body)

    endpoint: Endpoint = Watched()
    outcome = DevecoAgent(program, endpoint, sandbox, PARAMETERS).run(
        project, "x", scratch=scratch(tmp_path), deadline=Once(asked.is_set)
    )

    assert outcome.timed_out
    assert outcome.trouble is None
    assert outcome.session is not None
    assert b'"role": "user"' in outcome.files["trajectory.jsonl"]


def test_a_program_that_asks_nobody_is_our_trouble(
    tmp_path: Path, project: Path, sandbox: Sandbox
):
    broken = write_tool(tmp_path / "deveco", "print('no license'); sys.exit(3)")
    program = AgentProgram(broken, "DevEco Code", "1", "DEVECO")
    outcome = DevecoAgent(program, scripted(), open_sandbox("none"), PARAMETERS).run(
        project, "x", scratch=scratch(tmp_path), deadline=time.monotonic() + 600
    )

    assert outcome.trouble is not None
    assert outcome.trouble.reason == InfraReason.RUNNER_CRASH
    assert "ended with 3" in outcome.trouble.detail
    assert "no license" in outcome.trouble.detail


def test_the_program_is_told_by_its_command_and_asked_for_its_version(tmp_path: Path):
    deveco = write_tool(tmp_path / "deveco", "print('v0.1.0-1.3')")
    other = write_tool(tmp_path / "aider", "print('1')")
    silent = write_tool(tmp_path / "opencode", "print('hello')")

    found = find_program(str(deveco))
    assert (found.name, found.version, found.prefix) == (
        *("DevEco Code", "0.1.0-1.3", "DEVECO"),
    )
    (tmp_path / "bin").mkdir()
    linked = tmp_path / "bin" / "deveco"
    linked.symlink_to(write_tool(tmp_path / "cli.js", "print('0.1.0')"))
    assert find_program(str(linked)).name == "DevEco Code"
    for named, told in [
        (str(tmp_path / "none"), "no command here"),
        (str(other), "neither deveco nor opencode"),
        (str(silent), "no version"),
    ]:
        with pytest.raises(NoAgentError, match=told):
            find_program(named)
