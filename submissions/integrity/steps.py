"""One shape for the records of every kind of trajectory.

Read are the event lines of ``deveco run --format json``, Harbor's ATIF steps, and chat
messages in the two common forms (``tool_calls``; content parts), exported DevEco
sessions among them. What a record does not carry is None or empty.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from submissions.integrity.records import Record

# So much of a long text is looked at, half of it at the beginning and half at the end.
LOOKED_AT = 256 * 1024
_LATEST_MS = 1e14
# Parts of a message beside what it says: reasoning, marks of the session, calls.
# Tuples, because what stands for a type may be a list, which no set can look for.
_THOUGHTS = ("reasoning", "thinking")
_CALLS = ("tool", "tool_use", "tool-call", "tool_call")
_ANSWERS = ("tool_result", "tool-result")
_BOOKKEEPING = ("step-start", "step-finish", "snapshot", "patch", "redacted_thinking")


@dataclass(frozen=True, slots=True)
class Call:
    """One use of a tool; ``output`` is None where the record does not hold it.

    ``seconds`` is how long it took, where that is told.
    """

    tool: str
    arguments: Mapping[str, Any]
    output: str | None = None
    failed: bool = False
    seconds: float | None = None

    def texts(self) -> Iterator[str]:
        """Every text among the arguments."""
        yield from _texts(self.arguments)


@dataclass(frozen=True, slots=True)
class Step:
    """One record; ``source`` is system, user, agent, tool or "".

    ``at`` is in seconds since 1970. ``outputs`` are answers of tools, also those of
    ``calls``. ``tokens`` is what this step used, input and output. ``thoughts`` is
    reasoning that a model showed; ``seconds`` is how long the step took.
    """

    number: int
    source: str = ""
    at: float | None = None
    texts: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    outputs: tuple[str, ...] = ()
    tokens: int | None = None
    thoughts: tuple[str, ...] = ()
    seconds: float | None = None


def step_of(record: Record) -> Step:
    """The step in a record that could be read; unknown forms keep their texts."""
    value = record.value or {}
    if isinstance(value.get("part"), dict):
        return _event(record.number, value)
    if "step_id" in value or isinstance(value.get("observation"), dict):
        return _atif(record.number, value)
    info = value.get("info")
    if isinstance(info, dict) and isinstance(value.get("parts"), list):
        return _message(record.number, {**info, "content": value["parts"]})
    if "role" in value:
        return _message(record.number, value)
    return Step(record.number, at=_moment(value), texts=tuple(_texts(value)))


def _event(number: int, value: Mapping[str, Any]) -> Step:
    part = value["part"]
    calls = tuple(_calls([part]))
    text = part.get("text")
    said = (looked_at(text),) if isinstance(text, str) else ()
    thought = part.get("type") in _THOUGHTS
    return Step(
        number,
        source="agent",
        at=_moment(value),
        texts=() if thought else said,
        thoughts=said if thought else (),
        seconds=_duration(part.get("time")),
        calls=calls,
        outputs=_outputs(calls),
        tokens=_count(_dict(part.get("tokens")).get("total")),
    )


def _atif(number: int, value: Mapping[str, Any]) -> Step:
    results = _dicts(_dict(value.get("observation")).get("results"))
    answers = {
        str(each.get("source_call_id")): _joined(each.get("content"))
        for each in results
    }
    calls = tuple(
        Call(
            str(each.get("function_name") or ""),
            _arguments(each.get("arguments")),
            answers.get(str(each.get("tool_call_id"))),
        )
        for each in _dicts(value.get("tool_calls"))
    )
    metrics = _dict(value.get("metrics"))
    used = [
        _count(metrics.get(name)) for name in ("prompt_tokens", "completion_tokens")
    ]
    known = [each for each in used if each is not None]
    return Step(
        number,
        source=str(value.get("source") or ""),
        at=_moment(value),
        texts=(_said(value.get("message")),),
        thoughts=_thoughts(value),
        calls=calls,
        outputs=tuple(answers.values()),
        tokens=sum(known) if len(known) == len(used) else None,
    )


def _message(number: int, value: Mapping[str, Any]) -> Step:
    role = str(value.get("role"))
    parts = _dicts(value.get("content"))
    calls = (*_calls(parts), *_chat_calls(value))
    answers = [_joined(each.get("content")) for each in parts if _is_answer(each)]
    said = _said(value.get("content"))
    return Step(
        number,
        source={"assistant": "agent", "model": "agent"}.get(role, role),
        at=_moment(value),
        thoughts=_thoughts(value),
        seconds=_duration(value.get("time")),
        texts=(said,) if role != "tool" else (),
        calls=calls,
        outputs=(*_outputs(calls), *answers, *((said,) if role == "tool" else ())),
        tokens=_count(_dict(value.get("tokens")).get("total")),
    )


def _chat_calls(value: Mapping[str, Any]) -> Iterator[Call]:
    for each in _dicts(value.get("tool_calls")):
        function = _dict(each.get("function"))
        yield Call(str(function.get("name")), _arguments(function.get("arguments")))


def _calls(parts: Iterable[Mapping[str, Any]]) -> Iterator[Call]:
    """Calls among the parts of an event or a message."""
    for part in parts:
        state = _dict(part.get("state"))
        if "tool" in part and state:
            failed = state.get("status") == "error"
            output = state.get("error") if failed else state.get("output")
            yield Call(
                str(part["tool"]),
                _arguments(state.get("input")),
                looked_at(output) if isinstance(output, str) else None,
                failed,
                _duration(state.get("time")),
            )
        elif part.get("type") == "tool_use":
            yield Call(str(part.get("name")), _arguments(part.get("input")))


def _outputs(calls: Iterable[Call]) -> tuple[str, ...]:
    return tuple(call.output for call in calls if call.output is not None)


def _is_answer(part: Mapping[str, Any]) -> bool:
    return part.get("type") in _ANSWERS


def _said(content: object) -> str:
    """What a message says; of its parts, those that are nothing else."""
    if not isinstance(content, list):
        return _joined(content)
    return looked_at("\n".join(text for part in content for text in _said_by(part)))


def _said_by(part: object) -> Iterator[str]:
    if not isinstance(part, dict):
        yield from _texts(part)
        return
    kind = part.get("type")
    if kind not in (*_THOUGHTS, *_CALLS, *_ANSWERS, *_BOOKKEEPING):
        yield from _texts(part.get("text") if kind == "text" else part)


def _thoughts(value: Mapping[str, Any]) -> tuple[str, ...]:
    """Reasoning beside what is said, or in parts of its own."""
    parts = [
        each for each in _dicts(value.get("content")) if each.get("type") in _THOUGHTS
    ]
    told = [each.get("text", each.get("thinking")) for each in parts]
    told += [value.get(name) for name in ("reasoning_content", "reasoning")]
    return tuple(looked_at(each) for each in told if isinstance(each, str) and each)


def _arguments(value: object) -> Mapping[str, Any]:
    """Arguments as an object; some write them as the text of one."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {"text": value}
    return value if isinstance(value, dict) else {"value": value}


def _joined(value: object) -> str:
    return looked_at("\n".join(_texts(value)))


def _texts(value: object) -> Iterator[str]:
    """Every text in a value of JSON, in order."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield looked_at(each)
        elif isinstance(each, dict):
            waiting += reversed(list(each.values()))
        elif isinstance(each, list):
            waiting += reversed(each)


def looked_at(text: str) -> str:
    """``text`` itself, or both of its ends where it is very long."""
    if len(text) <= LOOKED_AT:
        return text
    return f"{text[: LOOKED_AT // 2]}\n{text[-LOOKED_AT // 2 :]}"


def _moment(value: Mapping[str, Any]) -> float | None:
    """Seconds since 1970 out of what stands for the time of a record."""
    given = value.get("timestamp", value.get("time"))
    if isinstance(given, dict):
        given = given.get("created", given.get("start"))
    if isinstance(given, str):
        try:
            return datetime.fromisoformat(given).timestamp()
        except (ValueError, OverflowError, OSError):
            return None
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    if not 0 <= given < _LATEST_MS:
        return None
    return given / 1000 if given > 1e11 else float(given)


def _duration(value: object) -> float | None:
    """Seconds between the two ends of a time in milliseconds."""
    times = _dict(value)
    begin = times.get("start", times.get("created"))
    end = times.get("end", times.get("completed"))
    if isinstance(begin, int | float) and isinstance(end, int | float):
        # Compared first: whole numbers have no end, and such a time would be too large.
        return (end - begin) / 1000 if 0 <= begin <= end < _LATEST_MS else None
    return None


def _dict(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: object) -> list[Mapping[str, Any]]:
    each = value if isinstance(value, list) else []
    return [item for item in each if isinstance(item, dict)]


def _count(value: object) -> int | None:
    return value if type(value) is int and value >= 0 else None
