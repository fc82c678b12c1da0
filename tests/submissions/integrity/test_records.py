"""Reading trajectories piece by piece."""

from __future__ import annotations

import io
import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.integrity import records
from submissions.integrity.records import RECORD_BYTES, read_records
from submissions.integrity.steps import step_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
# Small values in the places where records of every kind have something.
SMALL = st.sampled_from(
    [
        None,
        1,
        -1.5,
        "x",
        "2026-11-02",
        [],
        {},
        ["x"],
        [{}],
        [{"tool": []}],
        {"tool": {}},
        {"role": "user"},
        [{"tool_call_id": {}}],
        {"results": [{"source_call_id": []}]},
        {"tool": "t", "state": {"input": "[", "output": 3}},
        {"tokens": {"total": True}},
        float("nan"),
        10**400,
        {"content": [{"type": "tool_result", "content": 7}]},
    ]
)

FIELDS = (
    *("part", "step_id", "observation", "role", "content", "parts", "info"),
    *("tool_calls", "timestamp", "time", "metrics", "message", "tokens"),
)


def read(data: bytes, *, lines: bool = False) -> list:
    return [each.value for each in read_records(io.BytesIO(data), lines=lines)]


@given(
    items=st.lists(st.dictionaries(st.text(), JSON), max_size=5),
    indent=st.sampled_from([None, 1]),
    chunk=st.integers(1, 40),
)
def test_a_document_gives_the_objects_of_its_list_whatever_the_pieces(
    items, indent, chunk
):
    document = {"schema": 'a "b" {[', "agent": {"x": [{}]}, "steps": items}
    text = json.dumps(document, indent=indent).encode()
    splitter = records._Splitter()
    found = [
        json.loads(each)
        for at in range(0, len(text), chunk)
        for each in splitter.feed(text[at : at + chunk])
    ]

    assert found == items
    assert read(json.dumps(items, indent=indent).encode()) == items
    assert read(text) == items


def test_lines_keep_their_numbers_and_bad_ones_are_told():
    data = b'{"a": 1}\n\nno json\n[1]\n{"b": 2}'

    found = list(read_records(io.BytesIO(data), lines=True))

    assert [(each.number, each.value) for each in found] == [
        (1, {"a": 1}),
        (3, None),
        (4, None),
        (5, {"b": 2}),
    ]


@pytest.mark.parametrize("data", [b'[{"a": 1}, {"b":', b'{"steps": [{"a": 1}, {"b"'])
def test_a_document_that_breaks_off_ends_in_an_unreadable_record(data):
    assert read(data) == [{"a": 1}, None]


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b"]]]}}}", b'"', b"[" * 100_000, b'{"a":' * 100_000]
)
def test_what_is_no_trajectory_has_no_records(data):
    assert [each for each in read(data) if each is not None] == []


def test_nesting_without_end_is_unreadable():
    deep = b"[" * 200_000 + b"]" * 200_000

    assert read(b'{"a": ' + deep + b"}\n", lines=True) == [None]
    assert read(b'[{"a": ' + deep + b"}]") == [None]


@pytest.mark.parametrize("lines", [True, False])
def test_a_record_that_is_too_long_is_skipped_and_never_held(lines):
    long = b'{"text": "' + b"x" * (3 * RECORD_BYTES) + b'"}'
    data = b'{"a": 1}\n' + long + b'\n{"b": 2}\n'
    if not lines:
        data = b"[" + data.strip().replace(b"\n", b",") + b"]"
    stream = io.BytesIO(data)
    tracemalloc.start()

    found = [each.value for each in read_records(stream, lines=lines)]

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == [{"a": 1}, None, {"b": 2}]
    assert peak < 2.5 * RECORD_BYTES


def step(value: dict):
    [record] = read_records(io.BytesIO(json.dumps(value).encode()), lines=True)
    return step_of(record)


def test_events_of_deveco_become_steps():
    found = step(
        {
            "type": "tool_use",
            "timestamp": 1793520940175,
            "part": {
                "type": "tool",
                "tool": "bash",
                "state": {
                    "status": "completed",
                    "input": {"command": "ls"},
                    "output": "entry",
                },
            },
        }
    )
    [call] = found.calls
    assert (call.tool, call.arguments, call.output) == (
        "bash",
        {"command": "ls"},
        "entry",
    )
    assert (found.source, found.at) == ("agent", 1793520940.175)
    assert found.outputs == ("entry",)


def test_steps_of_atif_become_steps():
    found = step(
        {
            "step_id": 4,
            "timestamp": "2026-11-02T10:00:00Z",
            "source": "agent",
            "message": "I look.",
            "tool_calls": [
                {
                    "tool_call_id": "c1",
                    "function_name": "bash",
                    "arguments": {"cmd": "ls"},
                }
            ],
            "observation": {"results": [{"source_call_id": "c1", "content": "entry"}]},
            "metrics": {"prompt_tokens": 100, "completion_tokens": 20},
        }
    )
    [call] = found.calls
    assert (call.arguments, call.output) == ({"cmd": "ls"}, "entry")
    assert (found.tokens, found.texts, found.outputs) == (120, ("I look.",), ("entry",))


@pytest.mark.parametrize(
    "value",
    [
        {
            "role": "assistant",
            "tool_calls": [
                {"function": {"name": "bash", "arguments": '{"command": "ls"}'}}
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "name": "bash", "input": {"command": "ls"}}
            ],
        },
        {
            "info": {"role": "assistant", "time": {"created": 1793520940175}},
            "parts": [
                {"type": "tool", "tool": "bash", "state": {"input": {"command": "ls"}}}
            ],
        },
    ],
)
def test_chat_messages_become_steps(value):
    found = step(value)

    [call] = found.calls
    assert (found.source, call.tool) == ("agent", "bash")
    assert call.arguments == {"command": "ls"}


def test_answers_of_tools_in_a_chat_are_outputs():
    assert step({"role": "tool", "content": "entry"}).outputs == ("entry",)
    parts = [{"type": "tool_result", "content": "entry"}]
    assert step({"role": "user", "content": parts}).outputs == ("entry",)


@given(value=st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS, SMALL)))
def test_no_record_is_too_odd(value):
    assert step(value).number == 1
