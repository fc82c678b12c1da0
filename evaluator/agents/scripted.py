"""A model that is none: it answers from a script, for demonstrations and tests.

A script is a list of conversations; the first whose ``when`` stands in the first
message is followed. Its ``turns`` answer the user's messages in order, each a list of
tool calls and at last a text. Tokens are counted as a quarter of the characters, which
is what the word says and nothing measured.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.agents.gateway import Answer

_CHARACTERS_PER_TOKEN = 4
_LAST_WORDS = "This is the end of the script."


class ScriptError(Exception):
    """A script cannot be followed; the message says where."""


@dataclass(frozen=True, slots=True)
class ScriptedEndpoint:
    """Follows ``conversations``; between requests nothing is remembered."""

    model: str
    conversations: Sequence[Mapping[str, Any]]

    @classmethod
    def from_file(cls, path: Path, *, model: str) -> ScriptedEndpoint:
        try:
            script = json.loads(path.read_text("utf-8"))
            conversations = script["conversations"]
            for each in conversations:
                if not isinstance(each["when"], str) or not each["turns"]:
                    raise ValueError("a conversation has when (a text) and turns")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ScriptError(f"{path}: {error}") from None
        return cls(model, conversations)

    def ask(self, body: bytes) -> Answer:
        request = json.loads(body)
        messages = request["messages"]
        content, finish = self._reply(messages)
        told = json.dumps(messages, ensure_ascii=False)
        usage = {
            "prompt_tokens": len(told) // _CHARACTERS_PER_TOKEN,
            "completion_tokens": len(json.dumps(content)) // _CHARACTERS_PER_TOKEN,
        }
        usage["total_tokens"] = sum(usage.values())
        base = {"object": "chat.completion.chunk", "created": 0, "model": self.model}
        base["id"] = "scripted"
        choices = [
            [{"index": 0, "delta": content, "finish_reason": None}],
            [{"index": 0, "delta": {}, "finish_reason": finish}],
        ]
        chunks = [{**base, "choices": each} for each in choices]
        chunks.append({**base, "choices": [], "usage": usage})
        return Answer(200, {"Content-Type": "text/event-stream"}, _stream(chunks))

    def _reply(self, messages: list[dict[str, Any]]) -> tuple[dict[str, Any], str]:
        """What comes next: the calls of a step, or the text that ends a turn."""
        asked = [n for n, each in enumerate(messages) if each["role"] == "user"]
        first = json.dumps(messages[asked[0]], ensure_ascii=False) if asked else ""
        turns: Sequence[Sequence[Any]] = next(
            (each["turns"] for each in self.conversations if each["when"] in first), []
        )
        turn = turns[len(asked) - 1] if 0 < len(asked) <= len(turns) else [_LAST_WORDS]
        since = messages[asked[-1] :] if asked else []
        done = sum(each["role"] == "assistant" for each in since)
        step = turn[done] if done < len(turn) else _LAST_WORDS
        if isinstance(step, str):
            return {"role": "assistant", "content": step}, "stop"
        call = {
            "index": 0,
            "id": f"call_{len(messages)}",
            "type": "function",
            "function": {
                "name": step["tool"],
                "arguments": json.dumps(step["arguments"]),
            },
        }
        return {"role": "assistant", "tool_calls": [call]}, "tool_calls"


def _stream(chunks: Sequence[Mapping[str, Any]]) -> Iterator[bytes]:
    for chunk in chunks:
        yield b"data: " + json.dumps(chunk).encode() + b"\n\n"
    yield b"data: [DONE]\n\n"
