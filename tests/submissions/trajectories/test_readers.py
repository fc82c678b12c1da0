"""Every form of trajectory gives one list of steps, whatever it is made of."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.integrity import records
from submissions.integrity.records import read_window
from submissions.integrity.steps import step_of
from submissions.trajectories.shown import shown_step

SAMPLES = Path(__file__).parents[2] / "evaluator" / "samples" / "opencode"
ATIF = {
    "schema_version": "ATIF-v1.4",
    "agent": {"name": "deveco-code", "version": "1"},
    "steps": [
        {"step_id": 1, "source": "user", "message": "Add a component"},
        {
            "step_id": 2,
            "source": "agent",
            "timestamp": "2026-11-30T12:00:00Z",
            "message": "I write it.",
            "reasoning_content": "A new file will do.",
            "tool_calls": [
                {
                    "tool_call_id": "c1",
                    "function_name": "write",
                    "arguments": {"filePath": "Added.ets"},
                }
            ],
            "observation": {"results": [{"source_call_id": "c1", "content": "done"}]},
            "metrics": {"prompt_tokens": 1000, "completion_tokens": 280},
        },
    ],
    "final_metrics": {"total_steps": 2},
}
CHAT = [
    {"role": "user", "content": "Add a component"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "A new file will do."},
            {"type": "text", "text": "I write it."},
            {"type": "tool_use", "name": "write", "input": {"filePath": "Added.ets"}},
        ],
    },
]


def shown(value: Any, *, lines: bool = False) -> list[dict[str, Any]]:
    """The steps of a document, or of records that are lines, as a page has them."""
    text = "\n".join(map(json.dumps, value)) if lines else json.dumps(value)
    window = read_window(io.BytesIO(text.encode()), lines=lines, first=1, last=50)
    return [
        {
            "role": str(step.role),
            "tokens": step.step.tokens if step.step else None,
            "blocks": [
                (block.kind.value, block.name, "".join(p.text for p in block.pieces))
                for block in step.blocks
            ],
        }
        for step in (shown_step(each, (), hide=str) for each in window.records)
    ]


def test_atif_an_export_and_a_chat_give_the_same_kind_of_steps():
    export = json.loads((SAMPLES / "export.json").read_text())

    atif, chat, session = shown(ATIF), shown(CHAT), shown(export)

    assert [step["role"] for step in atif] == ["user", "agent"]
    assert atif[1]["tokens"] == 1280
    assert atif[1]["blocks"] == [
        ("thought", "", "A new file will do."),
        ("text", "", "I write it."),
        ("call", "write", "filePath: Added.ets"),
        ("answer", "", "done"),
    ]
    assert chat[1]["blocks"] == atif[1]["blocks"][:3]
    assert session[0]["blocks"] == [("text", "", '"Add a component"')]
    assert (session[1]["role"], session[1]["tokens"]) == ("agent", 1280)
    (call, answer) = session[1]["blocks"]
    assert call[:2] == ("call", "write")
    assert call[2].startswith("filePath: /srv/agent/workspace/Added.ets\ncontent: ")
    assert answer[2] == "Wrote file successfully."
    assert session[2]["blocks"] == [("text", "", "Done.")]


def test_lines_of_events_are_steps_with_their_times():
    events = [
        json.loads(line)
        for line in (SAMPLES / "run_format_json_pass.jsonl").read_text().splitlines()
    ]
    step = step_of(records.Record(2, events[1]))

    assert (step.source, round(step.at or 0)) == ("agent", 1796002154)
    assert [(call.tool, call.seconds) for call in step.calls] == [("write", 0.079)]
    assert shown(events, lines=True)[4]["blocks"] == [("text", "", "Done.")]


def test_a_window_numbers_lines_as_the_file_does_and_counts_the_rest():
    text = b'{"role": "user"}\n\n[1]\n{"role": "agent"}\n'

    window = read_window(io.BytesIO(text), lines=True, first=3, last=9)

    assert [(each.number, each.value) for each in window.records] == [
        (3, None),
        (4, {"role": "agent"}),
    ]
    assert (window.last, window.cut) == (4, False)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (b"{}\n" * 200, True),
        (b"\n" * 200, True),
        (b'{"steps": [' + b"{}," * 100_000 + b"{}]}", False),
        (b"[" * 300_000, False),
        (b'[{"a": "' + b"x" * 300_000 + b'"}]', False),
    ],
)
def test_no_file_costs_more_than_a_page_may(monkeypatch, text, lines):
    monkeypatch.setattr(records, "READ_LINES", 100)
    monkeypatch.setattr(records, "READ_MARKS", 1000)
    monkeypatch.setattr(records, "READ_BYTES", 200_000)
    stream = io.BytesIO(text)

    window = read_window(stream, lines=lines, first=1, last=25)

    assert window.cut
    assert stream.tell() <= 200_001


def test_deep_values_and_endless_texts_are_cut_and_never_fatal():
    deep: Any = "x"
    for _ in range(400):
        deep = [deep]
    calls = [{"function": {"name": "f", "arguments": {"deep": deep}}}] * 40
    step = shown([{"role": "agent", "content": "y" * 90_000, "tool_calls": calls}])[0]

    texts = [text for _, _, text in step["blocks"]]
    assert len(texts) == 24
    assert max(map(len, texts)) < 5_000
    assert sum(map(len, texts)) < 40_000


ODD: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([None, True, -1, 1e300, "", "x\x1b[31m\u202e", "agent", "text"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *(
                        "part",
                        "type",
                        "tool",
                        "state",
                        "input",
                        "output",
                        "time",
                        "start",
                    ),
                    *("role", "content", "info", "parts", "tool_calls", "function"),
                    *(
                        "step_id",
                        "message",
                        "observation",
                        "results",
                        "metrics",
                        "tokens",
                    ),
                    *("timestamp", "text", "reasoning", "arguments", "end", "created"),
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(value=st.dictionaries(st.sampled_from(["part", "role", "info"]), ODD) | ODD)
def test_no_record_is_too_odd_to_be_shown(value):
    record = records.Record(1, value if isinstance(value, dict) else None)

    for block in shown_step(record, (), hide=str).blocks:
        for piece in block.pieces:
            assert "\x1b" not in piece.text
            assert "\u202e" not in piece.text
