"""Everything that `manage.py doctor` looks at, as one report."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluator import serving
from evaluator.capability import worker_sandbox
from evaluator.doctor.devices import SeenDevice, look_at_all
from evaluator.doctor.snapshots import Match, match_all
from evaluator.doctor.tools import Tool, find_all
from evaluator.offers import own_agents, own_offers
from evaluator.sandbox import ProbeResult, SandboxUnavailableError, probe
from evaluator.toolchains.hvigor import MAX_PATH_LENGTH
from leaderboard import outbox

GIB = 1024**3
FREE_BYTES_WANTED = 2 * GIB
# What a scratch folder and a base project add to the path of the work folder.
_ROOM_FOR_NAMES = 60


@dataclass(frozen=True, slots=True)
class SandboxState:
    """``gaps`` are probes that are known not to hold, ``open`` those that must."""

    description: str
    isolates: bool
    gaps: tuple[str, ...] = ()
    probes: tuple[ProbeResult, ...] = ()
    open: tuple[ProbeResult, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """``faults`` keep this worker from doing its work; ``remarks`` do not.

    ``offers`` are the agents with their models that configurations can be run with.
    """

    pools: tuple[str, ...]
    slots: int
    tools: tuple[Tool, ...]
    devices: tuple[SeenDevice, ...]
    snapshots: tuple[Match, ...]
    sandbox: SandboxState | None
    free_bytes: int
    outbox: outbox.Backlog
    faults: tuple[str, ...]
    offers: tuple[str, ...] = ()
    remarks: tuple[str, ...] = field(default_factory=tuple)

    def as_json(self) -> dict[str, Any]:
        """Plain values; a snapshot says whether it matches, a report if it is ready."""
        plain = asdict(self)
        plain["outbox"] = self.outbox._asdict()
        plain["ready"] = not self.faults
        plain["snapshots"] = [
            {
                "version": match.version,
                "matches": match.ok,
                "fields": [each._asdict() for each in match.fields],
            }
            for match in self.snapshots
        ]
        if self.sandbox is not None:
            for name in ("probes", "open"):
                results: Sequence[ProbeResult] = getattr(self.sandbox, name)
                plain["sandbox"][name] = [asdict(each) for each in results]
        return plain


def examine(*, probes: bool) -> Report:
    """Look at this machine; ``probes`` also tries the ways out of the sandbox."""
    tools = find_all()
    seen = look_at_all()
    matches = match_all(tools, seen)
    faults = [*serving.missing_here(), *own_agents().faults]
    sandbox = _look_at_sandbox(faults, probes=probes)
    folder = Path(settings.DATA_DIR)
    free = shutil.disk_usage(folder).free
    if free < FREE_BYTES_WANTED:
        faults.append(f"{folder} has {free / GIB:.1f} GiB free; 2 GiB are wanted.")
    faults += _paths()
    broken = [each for each in seen if each.fault]
    faults += [f"{each.serial}: {each.fault}" for each in broken]
    backlog = outbox.backlog()
    return Report(
        pools=tuple(settings.OHB_WORKER_POOLS),
        slots=settings.OHB_WORKER_SLOTS,
        tools=tuple(tools),
        devices=tuple(seen),
        snapshots=tuple(matches),
        sandbox=sandbox,
        free_bytes=free,
        outbox=backlog,
        faults=tuple(faults),
        offers=tuple(map(str, own_offers())),
        remarks=tuple(_remarks(seen, matches, backlog)),
    )


def _look_at_sandbox(faults: list[str], *, probes: bool) -> SandboxState | None:
    try:
        found = worker_sandbox()
    except SandboxUnavailableError as error:
        faults.append(str(error))
        return None
    results = tuple(probe(found)) if probes else ()
    unshut = [each for each in results if not each.ok and each.name not in found.gaps]
    faults += [f"sandbox: {each.name}: {each.detail}" for each in unshut]
    return SandboxState(
        found.describe(), found.isolates, found.gaps, results, tuple(unshut)
    )


def _paths() -> list[str]:
    work = str(settings.WORK_DIR)
    short = len(work) + _ROOM_FOR_NAMES <= MAX_PATH_LENGTH
    if short and work.isascii() and " " not in work:
        return []
    return [
        f"{work!r} is no short ASCII path without spaces, which hvigor and xdevice "
        "need: choose another OHB_DATA_DIR."
    ]


def _remarks(
    seen: Sequence[SeenDevice], matches: Sequence[Match], backlog: outbox.Backlog
) -> list[str]:
    remarks = []
    slots: int = settings.OHB_WORKER_SLOTS
    if seen and len(seen) < slots:
        remarks.append(
            f"{slots} slots share {len(seen)} devices: checks wait "
            "for each other. Set OHB_WORKER_SLOTS to the number of devices."
        )
    remarks += [
        f"{each.serial} is out of use: {each.suspect}" for each in seen if each.suspect
    ]
    if matches and not any(each.ok for each in matches):
        remarks.append("This worker matches none of the snapshots that it holds.")
    if backlog.dead:
        remarks.append(
            f"{backlog.dead} messages were given up: `manage.py deliver --dead`."
        )
    return remarks
