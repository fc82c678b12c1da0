"""A judge that asks a model, several times, and keeps all that was asked and said.

For people who want to know more than blocks tell; it is asked for by hand and counts
nowhere. What it is worth shows in how far its own answers lie apart: ``spread``.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from evaluator.agents.gateway import Endpoint, EndpointError
from evaluator.judges.base import MILLION, MOST_PICTURE_BYTES, Judgement, Pair

PROMPT = """\
You compare two screenshots of a mobile app. The first is the reference, the second is
what an app under test shows in its place. Judge layout, components, texts and colors.
Leave out what the system draws (clock, battery, signal) and how edges are smoothed.
Answer with one JSON object and nothing else:
{"score": <number from 0.0 (nothing alike) to 1.0 (the same screen)>,
 "missing": [<what the reference shows and the second does not>],
 "reason": "<one sentence>"}
"""
PROMPT_VERSION = "1"

_MOST_ANSWER_BYTES = 1024 * 1024


class Spread(NamedTuple):
    """How far answers on equal pictures lie apart; ``largest`` in millionths."""

    pairs: int
    answers: int
    largest: int
    unanswered: int


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """Asks ``endpoint`` ``repeats`` times a pair; the score is the median."""

    endpoint: Endpoint
    repeats: int = 3

    @property
    def name(self) -> str:
        return self.endpoint.model

    @property
    def version(self) -> str:
        digest = hashlib.sha256(PROMPT.encode()).hexdigest()[:12]
        return f"{PROMPT_VERSION}-{digest}x{self.repeats}"

    def judge(self, pair: Pair, *, scratch: Path, deadline: float) -> Judgement:
        """One answer that cannot be read leaves the pair without a score."""
        if max(len(pair.picture), len(pair.reference)) > MOST_PICTURE_BYTES:
            return Judgement(None, f"a picture of over {MOST_PICTURE_BYTES} bytes")
        body = self._request(pair)
        answers: list[dict[str, Any]] = []
        try:
            for _ in range(self.repeats):
                answers.append(_answer(self._ask(body)))
        except (EndpointError, ValueError) as error:
            detail = {"prompt": PROMPT, "answers": answers}
            return Judgement(None, f"{self.name}: {error}"[:500], detail)
        scores = [each["millionths"] for each in answers]
        return Judgement(
            round(median(scores)),
            str(answers[0]["reason"])[:500],
            {
                "prompt": PROMPT,
                "answers": answers,
                "spread_millionths": max(scores) - min(scores),
            },
        )

    def _request(self, pair: Pair) -> bytes:
        content: list[dict[str, Any]] = [{"type": "text", "text": PROMPT}]
        for data in (pair.reference, pair.picture):
            kind = "png" if data.startswith(b"\x89PNG") else "jpeg"
            url = f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
            content.append({"type": "image_url", "image_url": {"url": url}})
        return json.dumps(
            {
                "model": self.endpoint.model,
                "temperature": 0,
                "stream": False,
                "messages": [{"role": "user", "content": content}],
            }
        ).encode()

    def _ask(self, body: bytes) -> bytes:
        answer = self.endpoint.ask(body)
        said = b""
        for chunk in answer.body:
            said += chunk
            if len(said) > _MOST_ANSWER_BYTES:
                raise ValueError(f"an answer of over {_MOST_ANSWER_BYTES} bytes")
        if answer.status != 200:
            raise ValueError(f"status {answer.status}: {said[:200]!r}")
        return said


def spread_of(judgements: Sequence[Judgement]) -> Spread:
    """What a calibration found: the judgements of pairs, each asked several times."""
    answered = [each for each in judgements if each.millionths is not None]
    return Spread(
        pairs=len(judgements),
        answers=sum(len(each.detail["answers"]) for each in answered),
        largest=max((each.detail["spread_millionths"] for each in answered), default=0),
        unanswered=len(judgements) - len(answered),
    )


def _answer(said: bytes) -> dict[str, Any]:
    """Score, reason and what is missing; ValueError where the answer is another."""
    try:
        text = json.loads(said)["choices"][0]["message"]["content"]
        # Some models fence their JSON though they are told not to.
        found = json.loads(text[text.index("{") : text.rindex("}") + 1])
        score = found["score"]
        if isinstance(score, bool) or not 0 <= score <= 1:
            raise ValueError(f"a score of {score!r}")
        return {
            "millionths": round(score * MILLION),
            "reason": str(found.get("reason", "")),
            "missing": [str(each) for each in found.get("missing") or []][:50],
        }
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"no answer that can be read ({error})") from None
