"""How an agent's run ended: the configuration's doing, or trouble of ours; pure.

The exit status says little: 0 is no sign of a good patch, and 1 is every session error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evaluator.agents.events import Events
from evaluator.verdicts import InfraReason, Trouble

# The key, the account, the address or the endpoint itself: nothing that a model did.
_NOT_THE_REQUEST = frozenset({401, 402, 403, 404, 408, 425, 429})
# An endpoint that has owed an answer for so long is taken for dead.
STALLED_SECONDS = 300.0


class ModelCall(NamedTuple):
    """One request to the endpoint; ``status`` is None when no whole answer came."""

    status: int | None
    said: str = ""
    tokens: int | None = None

    @property
    def is_trouble(self) -> bool:
        return (
            self.status is None or self.status >= 500 or self.status in _NOT_THE_REQUEST
        )


class Ended(NamedTuple):
    """The end of an agent's process as the worker saw it.

    ``exit_code`` is None when it was ended from outside; ``excess`` is what it had too
    much of; ``waited`` the seconds for which the endpoint owed an answer then.
    """

    exit_code: int | None
    timed_out: bool = False
    stopped: bool = False
    set_up: bool = True
    excess: str = ""
    waited: float = 0.0
    last_line: str = ""


def endpoint_trouble(calls: Sequence[ModelCall]) -> Trouble | None:
    """Trouble if the endpoint failed to the end: agents try again by themselves."""
    if not calls or not calls[-1].is_trouble:
        return None
    last = calls[-1]
    status = "no answer" if last.status is None else f"status {last.status}"
    failed = sum(call.is_trouble for call in calls)
    said = " ".join(last.said.split())[:300]
    detail = f"{failed} of {len(calls)} requests failed, the last with {status}: {said}"
    return Trouble(InfraReason.MODEL_ENDPOINT, detail)


def trouble_of_agent(
    ended: Ended, calls: Sequence[ModelCall], events: Events
) -> Trouble | None:
    """Why the run says nothing about the configuration; None when it does.

    A time-out counts as the configuration's doing unless the endpoint is to blame.
    """
    if ended.stopped:
        return Trouble(InfraReason.DRAIN, "told to stop while the agent ran")
    if not ended.set_up:
        detail = f"the agent never started: {ended.last_line}"
        return Trouble(InfraReason.SANDBOX, detail)
    if trouble := endpoint_trouble(calls):
        return trouble
    if ended.timed_out and ended.waited >= STALLED_SECONDS:
        detail = f"the endpoint has owed an answer for {ended.waited:.0f} s"
        return Trouble(InfraReason.MODEL_ENDPOINT, detail)
    if ended.timed_out:
        return None
    if ended.excess:
        return Trouble(InfraReason.RUNNER_CRASH, f"the agent {ended.excess}")
    if ended.exit_code in {126, 127}:
        return Trouble(InfraReason.TOOL_MISSING, f"no agent: {ended.last_line}")
    told = "; ".join(events.errors) or ended.last_line
    if not calls:
        detail = f"the agent ended with {ended.exit_code} and asked no model: {told}"
        return Trouble(InfraReason.RUNNER_CRASH, detail[:500])
    if ended.exit_code not in {0, 1} or not events.session:
        detail = f"the agent ended with {ended.exit_code}: {told}"
        return Trouble(InfraReason.RUNNER_CRASH, detail[:500])
    if events.endpoint_failed:
        return Trouble(InfraReason.MODEL_ENDPOINT, told[:500])
    return None
