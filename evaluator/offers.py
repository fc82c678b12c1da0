"""Which agents can be run here, with which models; and which the workers offer.

An offer names an agent with its version and a model with its provider, in the words of
manifests. A configuration's jobs are leased by workers with exactly that offer alone.
"""

from __future__ import annotations

import logging
import threading
from functools import cache
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.utils import timezone

from evaluator.agents.endpoint import HttpEndpoint
from evaluator.agents.gateway import Endpoint
from evaluator.agents.offer import Offer
from evaluator.agents.programs import NoAgentError, find_program, search_tool_missing
from evaluator.agents.providers import Provider, ProvidersError, read_providers
from evaluator.agents.scripted import ScriptedEndpoint, ScriptError
from evaluator.capability import sandbox_isolates, worker_sandbox
from evaluator.models import Job, Worker
from evaluator.toolchains.deveco import AgentProgram, DevecoAgent
from evaluator.toolchains.registry import ToolchainMissingError
from leaderboard.config.env import env_text

logger = logging.getLogger(__name__)


class Agents(NamedTuple):
    """What this machine has: an agent, providers, and what stands in the way."""

    program: AgentProgram | None = None
    providers: tuple[Provider, ...] = ()
    faults: tuple[str, ...] = ()


@cache
def own_agents() -> Agents:
    """Looked up once in a process; without OHB_MODEL_PROVIDERS there is nothing."""
    if not settings.OHB_MODEL_PROVIDERS:
        return Agents()
    faults: list[str] = []
    program: AgentProgram | None = None
    providers: tuple[Provider, ...] = ()
    try:
        providers = read_providers(
            Path(settings.OHB_MODEL_PROVIDERS),
            variable=lambda name: env_text(name, default=""),
        )
    except ProvidersError as error:
        faults.append(f"OHB_MODEL_PROVIDERS: {error}")
    try:
        program = find_program(settings.OHB_AGENT)
    except NoAgentError as error:
        faults.append(str(error))
    else:
        faults += filter(None, [search_tool_missing(program)])
    for fault in faults:
        logger.error("no agents are run here: %s", fault)
    return Agents(program, providers, tuple(faults))


def own_offers() -> list[Offer]:
    """What this process can run; real models only behind a sandbox that holds."""
    program, providers, faults = own_agents()
    if program is None or faults:
        return []
    return [
        Offer(program.name, program.version, provider.name, model)
        for provider in providers
        if provider.scripted or sandbox_isolates()
        for model in provider.models
    ]


def known_offers() -> list[Offer]:
    """What this process or any living worker can run, each once, in order."""
    found = set(own_offers())
    for worker in Worker.objects.living(timezone.now()):
        found |= {Offer(*each) for each in worker.capabilities.get("offers", [])}
    return sorted(found)


def agent_for(job: Job, *, stop: threading.Event) -> DevecoAgent:
    """The agent that ``job`` asks for; raises if this worker does not have it."""
    program, providers, _ = own_agents()
    wanted = job.inputs["offer"]
    for offer in own_offers():
        if str(offer) == wanted and program is not None:
            provider = next(
                each
                for each in providers
                if each.name == offer.provider and offer.model in each.models
            )
            return DevecoAgent(
                program=program,
                endpoint=_endpoint(provider, offer.model),
                sandbox=worker_sandbox(),
                parameters=job.inputs.get("run_parameters", {}),
                options=provider.options or {},
                secret=provider.key,
                stop=stop,
            )
    raise ToolchainMissingError(f"This worker does not offer {wanted}.")


def endpoint_of(provider: str, model: str) -> Endpoint:
    """A model of OHB_MODEL_PROVIDERS by name, whatever agent there is to use it."""
    found = own_agents()
    for each in found.providers:
        if each.name == provider and model in each.models:
            return _endpoint(each, model)
    known = [f"{each.name}: {', '.join(each.models)}" for each in found.providers]
    raise ToolchainMissingError(
        f"OHB_MODEL_PROVIDERS has no {model!r} of {provider!r}. "
        f"Known: {'; '.join(known) or 'none'}."
    )


def _endpoint(provider: Provider, model: str) -> Endpoint:
    if provider.script is None:
        return HttpEndpoint(provider.base_url, model, key=provider.key)
    try:
        return ScriptedEndpoint.from_file(provider.script, model=model)
    except ScriptError as error:
        raise ToolchainMissingError(str(error)) from None
