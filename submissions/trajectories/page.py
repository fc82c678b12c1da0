"""The trajectory of one task run in pages of steps, for those who may read the run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.contrib.auth.models import AnonymousUser, User
from django.http import QueryDict

from evaluator.toolchains.hidden_lines import hiding
from leaderboard.blobs import BlobMissingError, open_blob
from leaderboard.models import Artifact, Run, Task
from leaderboard.presenters.ordering import href
from leaderboard.snapshots import PackageNotHeldError, task_folder
from submissions.integrity.briefs import name_in_bundle
from submissions.integrity.looking import TRAJECTORIES
from submissions.integrity.places import PAGE_STEPS, step_page
from submissions.integrity.records import Window, read_window
from submissions.integrity.sight import ShownSignal, Sight, sight_of, signals_in
from submissions.trajectories.shown import ShownStep, shown_step

_MAX_DIGITS = 9
_NEAR = 2


class PageLink(NamedTuple):
    """Steps ``first`` to ``last``."""

    first: int
    last: int
    href: str
    current: bool


@dataclass(frozen=True, slots=True)
class TrajectoryPage:
    """``missing`` where the bytes are gone; ``cut`` where not all of it can be shown.

    ``signals`` are those of the whole trajectory that the reader may see; the ones
    without a step speak of all of it.
    """

    run: Run
    task: Task
    artifact: Artifact
    missing: bool
    cut: bool
    last: int
    steps: Sequence[ShownStep]
    pages: Sequence[PageLink]
    signals: Sequence[ShownSignal]
    counted_in_lines: bool
    for_maintainers: bool


def trajectory_of(run: Run, task: Task) -> Artifact | None:
    """The kept trajectory of a task run: what was submitted, or what was run here."""
    run_here = run.evaluation.run_here
    for each in Artifact.objects.kept().filter(run=run, task=task):
        if name_in_bundle(each.name, run_here=run_here) in TRAJECTORIES:
            # Both are at hand, with what was read with them.
            each.run, each.task = run, task
            return each
    return None


def trajectory_page(
    artifact: Artifact, query: QueryDict, *, reader: User | AnonymousUser
) -> TrajectoryPage:
    """``?page=`` chooses the steps; the last page if there are fewer."""
    lines = artifact.name.endswith(".jsonl")
    sight = sight_of(reader, artifact.run.evaluation)
    signals = signals_in(artifact, sight=sight)
    number = _number(query.get("page", "")) or 1
    missing = False
    window = Window([], 0, cut=False)
    try:
        window = _window(artifact, number, lines=lines)
        last_page = max(1, step_page(window.last))
        if number > last_page:
            number = last_page
            window = _window(artifact, number, lines=lines)
    except BlobMissingError:
        missing = True
    return TrajectoryPage(
        run=artifact.run,
        task=artifact.task,
        artifact=artifact,
        missing=missing,
        cut=window.cut,
        last=window.last,
        steps=_steps(window, signals, hide=_hide(artifact.task, sight)),
        pages=_pages(query, number, last=window.last),
        signals=signals,
        counted_in_lines=lines,
        for_maintainers=sight == Sight.ALL,
    )


def _window(artifact: Artifact, page: int, *, lines: bool) -> Window:
    first = (page - 1) * PAGE_STEPS + 1
    with open_blob(artifact.sha256) as stream:
        return read_window(
            stream, lines=lines, first=first, last=first + PAGE_STEPS - 1
        )


def _steps(
    window: Window, signals: Sequence[ShownSignal], *, hide: Callable[[str], str]
) -> list[ShownStep]:
    at: dict[int, list[ShownSignal]] = defaultdict(list)
    for each in signals:
        if each.signal.position:
            at[each.signal.position].append(each)
    return [
        shown_step(record, at.get(record.number, ()), hide=hide)
        for record in window.records
    ]


def _hide(task: Task, sight: Sight) -> Callable[[str], str]:
    """Maintainers may read the checks; for everybody else a quoted line stays hidden.

    Where the package is not held here, nobody knows the lines.
    """
    if sight == Sight.ALL:
        return str
    try:
        return hiding(task_folder(task) / "checks")
    except PackageNotHeldError:
        return str


def _pages(query: QueryDict, current: int, *, last: int) -> list[PageLink]:
    """The first and the last page, and those around the current one."""
    count = step_page(last)
    if count <= 1:
        return []
    near = {1, count, *range(current - _NEAR, current + _NEAR + 1)}
    return [
        PageLink(
            first=(page - 1) * PAGE_STEPS + 1,
            last=min(page * PAGE_STEPS, last),
            href=href(query, page=str(page) if page > 1 else None) + "#steps",
            current=page == current,
        )
        for page in sorted(near)
        if 1 <= page <= count
    ]


def step_address(query: QueryDict) -> str:
    """Where ``?step=`` leads: its page, and there to the step; "" without a number."""
    number = _number(query.get("step", ""))
    if not number:
        return ""
    page = step_page(number)
    return f"{href(query, step=None, page=str(page))}#step-{number}"


def _number(text: str) -> int:
    """A number from 1 as an address may carry it; 0 for anything else."""
    if text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS:
        return int(text)
    return 0
