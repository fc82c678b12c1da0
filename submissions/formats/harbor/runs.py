"""Which trial belongs to which run.

Harbor numbers no attempts. Three jobs of one attempt are three runs without doubt; the
attempts of one job become runs in the order in which they started, task by task, and
the range of such runs is labelled: another order would give another range.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from submissions.findings import Code, Findings
from submissions.formats.harbor.trials import Trial
from submissions.formats.places import Places
from submissions.formats.words import counted
from submissions.manifest import RunOrder

_NEVER = datetime.max.replace(tzinfo=UTC)
_NAMED = 5


@dataclass(slots=True)
class JobTrials:
    """The finished trials of one job by task; ``where`` is its folder."""

    where: str
    trials: dict[str, list[Trial]] = field(default_factory=lambda: defaultdict(list))

    @property
    def started_at(self) -> datetime:
        starts = (trial.started_at for trial in self.all())
        return min(starts, default=_NEVER)

    @property
    def most_attempts(self) -> int:
        return max(map(len, self.trials.values()), default=0)

    def all(self) -> Iterator[Trial]:
        for trials in self.trials.values():
            yield from trials


class Assigned(NamedTuple):
    """One task run and its trial."""

    run: int
    task: str
    trial: Trial


def assign_runs(
    jobs: Sequence[JobTrials],
    run_count: int | None,
    *,
    places: Places,
    findings: Findings,
) -> tuple[list[Assigned], RunOrder]:
    """Number the runs; ``run_count`` is None while the manifest is unknown."""
    if len(jobs) == 1 and (run_count or jobs[0].most_attempts) != 1:
        return _attempts(jobs[0], run_count, places, findings), (
            "assigned by start order"
        )
    if run_count is not None and len(jobs) != run_count:
        findings.error(
            Code.HARBOR_JOBS,
            "the jobs",
            saw=counted(len(jobs), "job"),
            fix=f"Give {run_count} jobs of one attempt a task, or one job of "
            f"{run_count} attempts.",
        )
    return list(_whole_jobs(jobs, places, findings)), "by start of the job"


def _whole_jobs(
    jobs: Sequence[JobTrials], places: Places, findings: Findings
) -> Iterator[Assigned]:
    ordered = sorted(jobs, key=lambda job: (job.started_at, job.where))
    for run, job in enumerate(ordered, start=1):
        places.note(f"runs/{run}", job.where)
        _refuse_more(job.where, job.trials, 1, findings)
        for task, trials in job.trials.items():
            yield Assigned(run, task, trials[0])


def _attempts(
    job: JobTrials, run_count: int | None, places: Places, findings: Findings
) -> list[Assigned]:
    most = run_count or job.most_attempts
    _refuse_more(job.where, job.trials, most, findings)
    for run in range(1, most + 1):
        places.note(f"runs/{run}", f"{job.where} (attempt {run} by start order)")
    findings.warning(
        Code.HARBOR_RUN_ORDER,
        job.where,
        saw=f"one job of {job.most_attempts} attempts, which Harbor does not number",
        fix="The attempts become runs in the order in which they started, and the "
        f"result is labelled so. Run {most} jobs of one attempt for runs of their own.",
    )
    found = []
    for task, trials in job.trials.items():
        in_order = sorted(trials, key=lambda each: (each.started_at, each.where))
        for run, trial in enumerate(in_order[:most], start=1):
            found.append(Assigned(run, task, trial))
    return found


def _refuse_more(
    where: str,
    trials: Mapping[str, list[Trial]],
    most: int,
    findings: Findings,
) -> None:
    over = [task for task, found in trials.items() if len(found) > most]
    if over:
        named = ", ".join(over[:_NAMED]) + (" and others" if over[_NAMED:] else "")
        findings.error(
            Code.HARBOR_JOBS,
            where,
            saw=f"more than {most} trials of {named}",
            fix=f"Give a job with {most} trials of each task; none may be chosen out "
            "of several.",
        )
