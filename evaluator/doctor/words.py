"""The report as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluator.doctor.devices import SeenDevice
from evaluator.doctor.meeting import Step
from evaluator.doctor.report import GIB, Report, SandboxState
from evaluator.doctor.snapshots import Match
from evaluator.toolchains.needs import Comparison

_MARKS = {True: "same", False: "DIFFERS", None: "open"}


def of_report(report: Report) -> Iterator[str]:
    """One fact a line; names first, so that it can be searched."""
    yield f"pools      {', '.join(report.pools)}; {report.slots} slots"
    for tool in report.tools:
        yield f"{tool.name:10} {tool.path or '-'} {tool.version or ''}".rstrip()
    for offer in report.offers:
        yield f"agent      {offer}"
    for device in report.devices:
        yield _device(device)
    if not report.snapshots:
        yield "snapshots  none is held here"
    for match in report.snapshots:
        yield from _match(match)
    yield f"disk       {report.free_bytes / GIB:.1f} GiB free"
    if report.sandbox is not None:
        yield from _sandbox(report.sandbox)
    box = report.outbox
    since = f", the oldest since {box.oldest_waiting:%Y-%m-%d %H:%M}" if box[3] else ""
    yield (
        f"outbox     {box.waiting} to send{since}, {box.dead} given up, "
        f"{box.sent} sent and kept"
    )
    for remark in report.remarks:
        yield f"note       {remark}"


def of_step(step: Step) -> str:
    word = "ok" if step.ok else "FAILED"
    return f"  {word:7} {step.name} ({step.seconds:.0f} s): {step.detail}"


def fault(step: Step) -> str:
    return f"first meeting: {step.name}: {step.detail}"


def _device(device: SeenDevice) -> str:
    facts = device.facts
    size = "x".join(map(str, facts.resolution)) if facts.resolution else "?"
    told = (
        device.fault
        or f"{facts.model or '?'}, API {facts.api_level or '?'}, {size}, "
        f"{facts.software or '?'}"
    )
    suspect = f" (out of use: {device.suspect})" if device.suspect else ""
    return f"device     {device.serial} {told}{suspect}"


def _match(match: Match) -> Iterator[str]:
    word = "matches" if match.ok else "does not match"
    yield f"snapshot   {match.version} {word}"
    yield from _fields(match.fields)


def _fields(fields: Sequence[Comparison]) -> Iterator[str]:
    for each in fields:
        mark = _MARKS[each.ok]
        yield f"  {mark:8} {each.field}: {each.wanted} wanted, {each.found} found"


def _sandbox(state: SandboxState) -> Iterator[str]:
    yield f"sandbox    {state.description}"
    if not state.isolates:
        yield (
            "           Only bundles of this repository and of staff are built here. "
            "Install bubblewrap for the rest."
        )
    for each in state.probes:
        word = "ok" if each.ok else "GAP" if each.name in state.gaps else "OPEN"
        yield f"  {word:5} {each.name}: {each.detail}"
