"""What an agent may ask through its gateway, what it never sees, what is noted."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from evaluator.agents.endpoint import HttpEndpoint
from evaluator.agents.gateway import COMPLETIONS, Gateway, open_gateway
from evaluator.agents.verdicts import endpoint_trouble
from tests.evaluator.agents.endpoints import fake_lab, script, scripted

KEY = "sk-canary-7f3a"
MODEL = "scripted-test"
MODEL_SAYS = scripted(script(["Hello."]))


def ask(gateway: Gateway, *, path: str = COMPLETIONS, **changes: Any) -> httpx.Response:
    """One request as an agent would send it, over the gateway's socket."""
    token = changes.pop("token", gateway.token)
    body = {"model": MODEL, "messages": [{"role": "user", "content": "x"}], **changes}
    transport = httpx.HTTPTransport(uds=str(gateway.socket))
    with httpx.Client(transport=transport, base_url="http://model") as client:
        headers = {"Authorization": f"Bearer {token}"}
        return client.post(path, json=body, headers=headers)


def test_an_answer_comes_through_with_the_key_added_on_the_way():
    with fake_lab(MODEL_SAYS) as lab:
        endpoint = HttpEndpoint(lab.base_url, MODEL, key=KEY)
        with open_gateway(endpoint) as gateway:
            answer = ask(gateway)

    assert answer.status_code == 200
    assert '"content": "Hello."' in answer.text
    assert lab.keys == [f"Bearer {KEY}"]
    assert [call.status for call in gateway.calls] == [200]
    assert gateway.total_tokens() == gateway.calls[0].tokens
    assert gateway.total_tokens() > 0
    assert endpoint_trouble(gateway.calls) is None
    assert not gateway.socket.parent.exists()


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"token": "another"}, 403),
        ({"model": "a-stronger-one"}, 403),
        ({"model": None}, 403),
        ({"path": "/v1/files"}, 403),
        ({"path": "/v1/chat/completions/../models"}, 403),
    ],
)
def test_nothing_but_its_own_model_is_let_through(changes: dict[str, Any], status: int):
    with fake_lab(MODEL_SAYS) as lab:
        endpoint = HttpEndpoint(lab.base_url, MODEL, key=KEY)
        with open_gateway(endpoint) as gateway:
            assert ask(gateway, **changes).status_code == status

    assert lab.asked == []
    assert gateway.calls == []


def test_a_request_that_is_no_json_is_refused():
    with open_gateway(MODEL_SAYS) as gateway:
        transport = httpx.HTTPTransport(uds=str(gateway.socket))
        headers = {"Authorization": f"Bearer {gateway.token}"}
        with httpx.Client(transport=transport, base_url="http://model") as client:
            for content in (b"{", b"[]", b"[" * 100_000):
                answer = client.post(COMPLETIONS, content=content, headers=headers)
                assert answer.status_code == 400
            assert client.get("/v1/models", headers=headers).status_code == 403


@pytest.mark.parametrize("status", [401, 429, 500])
def test_a_failing_endpoint_is_noted_and_its_echo_of_the_key_is_cut(status: int):
    with fake_lab(MODEL_SAYS, status=status, headers={"Retry-After": "7"}) as lab:
        endpoint = HttpEndpoint(lab.base_url, MODEL, key=KEY)
        with open_gateway(endpoint) as gateway:
            answer = ask(gateway)

    assert answer.status_code == status
    assert answer.headers["retry-after"] == "7"
    assert "[redacted]" in answer.text
    assert KEY not in answer.text
    trouble = endpoint_trouble(gateway.calls)
    assert trouble is not None
    assert f"status {status}" in trouble.detail
    assert KEY not in trouble.detail


def test_an_endpoint_that_is_not_there_is_noted():
    endpoint = HttpEndpoint("http://127.0.0.1:1/v1", MODEL, key=KEY)
    with open_gateway(endpoint) as gateway:
        answer = ask(gateway)

    assert answer.status_code == 502
    trouble = endpoint_trouble(gateway.calls)
    assert trouble is not None
    assert "no answer: ConnectError" in trouble.detail


def test_an_answer_that_breaks_off_is_noted():
    with fake_lab(MODEL_SAYS, status=0) as lab:
        endpoint = HttpEndpoint(lab.base_url, MODEL)
        with open_gateway(endpoint) as gateway:
            ask(gateway)

    assert [call.status for call in gateway.calls] == [None]


def test_tokens_that_an_answer_does_not_tell_make_the_sum_unknown():
    class Silent:
        model = MODEL

        def ask(self, body: bytes) -> Any:
            answer = MODEL_SAYS.ask(body)
            told = [each for each in answer.body if b"usage" not in each]
            return type(answer)(200, answer.headers, iter(told))

    with open_gateway(Silent()) as gateway:
        assert ask(gateway).status_code == 200

    assert gateway.total_tokens() is None


def test_a_script_is_followed_turn_by_turn_and_step_by_step():
    model = scripted(
        script(["other"], when="Other task"),
        script(
            [{"tool": "write", "arguments": {"filePath": "a"}}, "Done."],
            ["Mended."],
            when="Some task",
        ),
    )

    def reply(*messages: tuple[str, str]) -> dict[str, Any]:
        listed = [{"role": role, "content": text} for role, text in messages]
        body = json.dumps({"model": MODEL, "messages": listed}).encode()
        first = next(iter(model.ask(body).body))
        chunk = json.loads(first.removeprefix(b"data: "))
        return chunk["choices"][0]["delta"]

    system, task = ("system", "Be brief."), ("user", "# Some task")
    written = reply(system, task)["tool_calls"][0]["function"]
    assert written == {"name": "write", "arguments": '{"filePath": "a"}'}
    done = [system, task, ("assistant", ""), ("tool", "ok")]
    assert reply(*done)["content"] == "Done."
    again = [*done, ("assistant", "Done."), ("user", "It does not build.")]
    assert reply(*again)["content"] == "Mended."
    assert "end of the script" in reply(*again, ("assistant", "x"))["content"]
    assert "end of the script" in reply(("user", "Unknown"))["content"]
