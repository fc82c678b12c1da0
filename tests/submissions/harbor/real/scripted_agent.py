"""A Harbor agent that follows a script: edits a file, does nothing, or breaks."""

from __future__ import annotations

import json
from typing import Any

from harbor.agents.base import BaseAgent
from harbor.environments.base import BaseEnvironment
from harbor.models.agent.context import AgentContext


class ProviderHangsUpError(Exception):
    """Stands for trouble around the agent."""


class ScriptedAgent(BaseAgent):
    @staticmethod
    def name() -> str:
        return "scripted"

    def version(self) -> str:
        return "1.0"

    async def setup(self, environment: BaseEnvironment) -> None:
        """Nothing to install."""

    async def run(
        self, instruction: str, environment: BaseEnvironment, context: AgentContext
    ) -> None:
        if "edit" in instruction:
            await environment.exec("cd /app && echo changed >> page.ets")
        context.n_input_tokens = 1000
        context.n_cache_tokens = 900
        context.n_output_tokens = 50
        context.metadata = {"compile_repair_iterations": 2}
        trajectory: dict[str, Any] = {
            "schema_version": "ATIF-v1.8",
            "session_id": str(self.logs_dir),
            "agent": {"name": "scripted", "version": "1.0"},
            "steps": [{"step_id": 1, "source": "user", "message": instruction}],
        }
        (self.logs_dir / "trajectory.json").write_text(json.dumps(trajectory))
        if "hang up" in instruction:
            raise ProviderHangsUpError("the provider closed the stream")
