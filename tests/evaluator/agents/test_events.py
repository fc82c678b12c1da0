"""Recorded streams of the real program, and what has to be concluded from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluator.agents.events import Events, read_events
from evaluator.agents.verdicts import (
    STALLED_SECONDS,
    Ended,
    ModelCall,
    endpoint_trouble,
    trouble_of_agent,
)
from evaluator.verdicts import InfraReason

SAMPLES = Path(__file__).parent.parent / "samples" / "opencode"
FINE = ModelCall(200, tokens=110)


def sample(name: str) -> Events:
    return read_events((SAMPLES / f"run_format_json_{name}.jsonl").read_bytes())


@pytest.mark.parametrize(
    ("name", "steps", "tokens", "sub_agents", "endpoint_failed", "error"),
    [
        ("pass", 2, 2690, 0, False, ""),
        # The database of this session held 1107 tokens: the stream omits sub-agents.
        ("sub_agent", 2, 330, 1, False, ""),
        ("provider_down", 0, 0, 0, True, "APIError: Cannot connect to API"),
        ("unknown_model", 0, 0, 0, False, "UnknownError: Unexpected server error"),
    ],
)
def test_a_recorded_stream_is_read(
    name: str,
    steps: int,
    tokens: int,
    sub_agents: int,
    endpoint_failed: bool,
    error: str,
):
    events = sample(name)

    assert events.session.startswith("ses_")
    assert (events.steps, events.streamed_tokens) == (steps, tokens)
    assert events.sub_agents == sub_agents
    assert events.endpoint_failed is endpoint_failed
    assert "; ".join(events.errors).startswith(error)
    assert bool(events.errors) is bool(error)


def test_lines_that_are_no_events_are_passed_over():
    lines = [b"warning: slow", b"{broken", b"[1]", b"{}", b'{"type": "text"}', b"\xff{"]

    assert read_events(b"\n".join(lines)) == Events()


@pytest.mark.parametrize(
    ("name", "ended", "calls", "reason"),
    [
        ("pass", Ended(0), [FINE], None),
        # The exit status is no sign of anything: the patch is judged all the same.
        ("pass", Ended(1), [FINE], None),
        ("pass", Ended(1), [ModelCall(400)], None),
        ("pass", Ended(None, timed_out=True), [FINE], None),
        ("pass", Ended(None, timed_out=True), [ModelCall(503)], "model_endpoint"),
        (
            "pass",
            Ended(None, timed_out=True, waited=STALLED_SECONDS),
            [FINE],
            "model_endpoint",
        ),
        ("pass", Ended(None, stopped=True), [], "drain"),
        ("pass", Ended(1, set_up=False), [], "sandbox_setup"),
        ("pass", Ended(1, excess="wrote too much"), [FINE], "runner_crash"),
        ("pass", Ended(137), [FINE], "runner_crash"),
        ("pass", Ended(127), [], "tool_missing"),
        ("provider_down", Ended(1), [ModelCall(None)], "model_endpoint"),
        ("provider_down", Ended(1), [FINE], "model_endpoint"),
        ("unknown_model", Ended(1), [], "runner_crash"),
        ("unknown_model", Ended(1), [ModelCall(404)], "model_endpoint"),
    ],
)
def test_an_end_is_sorted_into_ours_and_the_configurations_own(
    name: str, ended: Ended, calls: list[ModelCall], reason: str | None
):
    trouble = trouble_of_agent(ended, calls, sample(name))

    assert (trouble and trouble.reason.value) == reason


@pytest.mark.parametrize("status", [None, 401, 403, 404, 408, 429, 500, 503, 529])
def test_an_endpoint_that_failed_to_the_end_is_our_trouble(status: int | None):
    trouble = endpoint_trouble([FINE, ModelCall(status, "no\nmore credit")])

    assert trouble is not None
    assert trouble.reason == InfraReason.MODEL_ENDPOINT
    assert trouble.detail.startswith("1 of 2 requests failed, the last with ")
    assert trouble.detail.endswith(": no more credit")


@pytest.mark.parametrize("status", [200, 400, 413, 422])
def test_an_answer_after_trouble_or_a_refused_request_is_none(status: int):
    assert endpoint_trouble([ModelCall(503), ModelCall(status)]) is None
    assert endpoint_trouble([]) is None
