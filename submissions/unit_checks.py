"""Whether the task runs of an upload are those its snapshot asks for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from submissions.comparability import SnapshotFacts
from submissions.findings import LISTED_PER_CODE, Code, Findings
from submissions.formats import Shape
from submissions.formats.bundle import UnitFiles, UnitMembers
from submissions.formats.words import WORDS, Words

_NAMED = 12
_UNVERIFIED = (
    " This snapshot asks for them: if one of these task runs is completed, the whole "
    "result is unverified and not ranked."
)
_BUNDLE_WORDS = WORDS[Shape.BUNDLE]


def check_units(
    grouped: UnitMembers,
    snapshot: SnapshotFacts,
    *,
    findings: Findings,
    words: Words = _BUNDLE_WORDS,
) -> None:
    """Note foreign runs, foreign tasks and missing task runs, each kind grouped."""
    _check_run_numbers(grouped, snapshot, findings)
    _check_tasks(grouped, snapshot, findings)
    for run in range(1, snapshot.runs + 1):
        _check_run(run, grouped, snapshot, findings=findings, words=words)


def check_trajectories(
    units: Sequence[UnitFiles],
    *,
    asked_for: bool,
    findings: Findings,
    words: Words = _BUNDLE_WORDS,
) -> None:
    """Warn of task runs without a trajectory, and of runs that share one.

    ``asked_for`` says that the snapshot ranks no completed task run without one.
    """
    without: dict[int, list[str]] = defaultdict(list)
    runs_by_content: dict[tuple[str, str], list[int]] = defaultdict(list)
    for unit in units:
        if unit.trajectory is None:
            without[unit.run].append(unit.task)
        else:
            runs_by_content[unit.task, unit.trajectory.sha256].append(unit.run)
    for run, tasks in without.items():
        findings.warning(
            Code.TRAJECTORY_MISSING,
            f"runs/{run}",
            saw=f"no trajectory for {len(tasks)} tasks: {_listed(tasks)}",
            fix=words.no_trajectory + (_UNVERIFIED if asked_for else ""),
        )
    for (task, _), runs in runs_by_content.items():
        if len(runs) > 1:
            findings.warning(
                Code.TRAJECTORY_REPEATED,
                f"runs/{runs[0]}/{task}",
                saw=f"the same trajectory in the runs {', '.join(map(str, runs))}",
                fix="Check that the runs are independent and each has its own.",
            )


def _check_run_numbers(
    grouped: UnitMembers, snapshot: SnapshotFacts, findings: Findings
) -> None:
    for run in sorted({run for run, _ in grouped if run > snapshot.runs}):
        findings.error(
            Code.RUN_NUMBER,
            f"runs/{run}",
            saw=f"run {run}",
            fix=f"Number the runs 1 to {snapshot.runs}.",
        )


def _check_tasks(
    grouped: UnitMembers, snapshot: SnapshotFacts, findings: Findings
) -> None:
    runs_of: dict[str, list[int]] = defaultdict(list)
    for run, task in grouped:
        if task not in snapshot.task_slugs:
            runs_of[task].append(run)
    for index, (task, runs) in enumerate(sorted(runs_of.items())):
        # Similar names are costly to find, so only for what the report lists.
        listed = index < LISTED_PER_CODE
        close = get_close_matches(task, snapshot.task_slugs, n=1) if listed else []
        findings.error(
            Code.TASK_UNKNOWN,
            f"runs/{runs[0]}/{task}",
            saw=f"a task that snapshot {snapshot.benchmark_version} does not have, "
            f"in the runs {', '.join(map(str, runs))}",
            fix=f"Rename it to {close[0]}, or remove it." if close else "Remove it.",
        )


def _check_run(
    run: int,
    grouped: UnitMembers,
    snapshot: SnapshotFacts,
    *,
    findings: Findings,
    words: Words,
) -> None:
    missing = [
        task
        for task in snapshot.task_slugs
        if "final.patch" not in grouped.get((run, task), {})
    ]
    if missing:
        findings.error(
            Code.TASK_RUN_MISSING,
            f"runs/{run}",
            saw=f"{len(missing)} of {len(snapshot.task_slugs)} tasks without "
            f"{words.entry}: {_listed(missing)}",
            fix=words.missing,
        )


def _listed(tasks: Iterable[str]) -> str:
    names = list(tasks)
    rest = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {rest} more" if rest > 0 else "")
