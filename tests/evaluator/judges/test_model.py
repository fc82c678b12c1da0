"""A model as judge: what it was asked and said is kept, and its spread is told."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from evaluator.agents.endpoint import HttpEndpoint
from evaluator.judges.base import Pair
from evaluator.judges.model import PROMPT, ModelJudge, spread_of

PAIR = Pair(b"\x89PNG reference", b"\xff\xd8\xff picture")


@contextmanager
def model(*answers: str, status: int = 200) -> Iterator[tuple[HttpEndpoint, list]]:
    """An endpoint of OpenAI's kind that gives ``answers`` in turn."""
    asked: list[dict] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked.append(
                json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            )
            content = answers[(len(asked) - 1) % len(answers)]
            said = {"choices": [{"message": {"content": content}}]}
            body = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield (
                HttpEndpoint(f"http://127.0.0.1:{server.server_port}/v1", "judge-1"),
                asked,
            )
        finally:
            server.shutdown()


def said(score, reason="The tray is missing.") -> str:
    return json.dumps({"score": score, "missing": ["tray"], "reason": reason})


def ask(endpoint, tmp_path, repeats=3):
    judge = ModelJudge(endpoint, repeats)
    return judge.judge(PAIR, scratch=tmp_path, deadline=time.monotonic() + 600)


def test_the_median_of_several_answers_counts_and_all_are_kept(tmp_path):
    with model(said(0.9), f"```json\n{said(0.5)}\n```", said(0.8)) as (endpoint, asked):
        found = ask(endpoint, tmp_path)
        version = ModelJudge(endpoint, 3).version

    assert found.millionths == 800_000
    assert found.detail["spread_millionths"] == 400_000
    assert found.detail["prompt"] == PROMPT
    assert [each["millionths"] for each in found.detail["answers"]] == [
        *(900_000, 500_000, 800_000)
    ]
    assert found.detail["answers"][0]["missing"] == ["tray"]
    assert version.endswith("x3")
    content = asked[0]["messages"][0]["content"]
    assert asked[0] == asked[2] and asked[0]["temperature"] == 0
    urls = [each["image_url"]["url"][:16] for each in content[1:]]
    assert urls == ["data:image/png;b", "data:image/jpeg;"]


@pytest.mark.parametrize(
    ("answer", "status", "reason"),
    [
        ("It looks fine.", 200, "no answer that can be read"),
        (said(1.2), 200, "a score of 1.2"),
        (said(True), 200, "a score of True"),
        (said("0.5"), 200, "no answer that can be read"),
        ("{}", 200, "no answer that can be read"),
        (said(0.5), 429, "status 429"),
    ],
)
def test_an_answer_that_says_nothing_is_no_score(tmp_path, answer, status, reason):
    with model(answer, status=status) as (endpoint, _):
        found = ask(endpoint, tmp_path, repeats=1)

    assert found.millionths is None
    assert reason in found.reason


def test_an_endpoint_that_is_down_is_no_score(tmp_path):
    with model(said(1)) as (endpoint, _):
        pass

    assert "judge-1" in ask(endpoint, tmp_path).reason


def test_a_calibration_tells_the_largest_spread(tmp_path):
    with model(said(0.9), said(0.9), said(0.7), said(0.75)) as (endpoint, _):
        found = [ask(endpoint, tmp_path, repeats=2) for _ in range(2)]

    assert spread_of(found) == (2, 4, 50_000, 0)
