"""Whether a configuration can be run here, and in what words it is told if not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from evaluator.agents.offer import Offer
from evaluator.agents.providers import is_scripted
from leaderboard.models import EvaluationSnapshot
from submissions.findings import Code, Finding, plain

_AGENT = "manifest.json: agent"
_MODEL = "manifest.json: model"


def offer_findings(
    wanted: Offer, known: Sequence[Offer], *, snapshot: EvaluationSnapshot
) -> Iterator[Finding]:
    """What speaks against running ``wanted`` with what workers offer; at most two."""
    if is_scripted(wanted.model) and not snapshot.device_profile_simulated:
        yield Finding(
            Code.SCRIPTED_MODEL,
            f"{_MODEL}.identifier",
            f"{plain(wanted.model)}, which follows a script",
            "Name a real model: scripts are for snapshots with a simulated device.",
        )
    same_agent = [each for each in known if each[:2] == wanted[:2]]
    if not same_agent:
        yield Finding(
            Code.AGENT_NOT_OFFERED,
            _AGENT,
            f"{plain(wanted.agent)} {plain(wanted.version)}, which no worker runs",
            f"Name one that is run here: {_listed(_agents(known))}. Or run it yourself "
            'and hand in the work, with mode "workspaces".',
        )
    offered = same_agent or known
    if not any(each[2:] == wanted[2:] for each in offered):
        yield Finding(
            Code.MODEL_NOT_OFFERED,
            _MODEL,
            f"{plain(wanted.model)} of {plain(wanted.provider)}, for which no worker "
            "has a key",
            f"Name one that can be asked here: {_listed(_models(offered))}. Or ask the "
            "operator for it; keys are never sent in a bundle.",
        )


def _agents(offers: Iterable[Offer]) -> list[str]:
    return sorted({f"{each.agent} {each.version}" for each in offers})


def _models(offers: Iterable[Offer]) -> list[str]:
    return sorted({f"{each.model} of {each.provider}" for each in offers})


def _listed(names: Sequence[str]) -> str:
    return "; ".join(names) or "none at present"
