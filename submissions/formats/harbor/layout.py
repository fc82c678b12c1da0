"""Which files of an upload belong to which job and trial."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from submissions.archive import Member
from submissions.archive.shapes import HARBOR_FILE


@dataclass(slots=True)
class TrialFiles:
    """The files of one trial by their names inside its folder."""

    folder: str
    files: dict[str, Member] = field(default_factory=dict)

    def artifact(self, name: str, *, steps: Iterable[str] = ()) -> Member | None:
        """A collected file; that of the last step that has it, where there are steps.

        Harbor mirrors the path of the container, older versions did not.
        """
        return self.first_of(
            [f"artifacts/logs/artifacts/{name}", f"artifacts/{name}"], steps=steps
        )

    def trajectory(self, *, steps: Iterable[str] = ()) -> Member | None:
        return self.first_of(["agent/trajectory.json"], steps=steps)

    def first_of(self, names: list[str], *, steps: Iterable[str]) -> Member | None:
        folders = ["", *(f"steps/{step}/" for step in reversed(list(steps)))]
        candidates = (f"{folder}{name}" for folder in folders for name in names)
        return next(
            (self.files[each] for each in candidates if each in self.files), None
        )


@dataclass(slots=True)
class JobFiles:
    """The records of one job, and its trials by folder."""

    folder: str
    records: dict[str, Member] = field(default_factory=dict)
    trials: dict[str, TrialFiles] = field(default_factory=dict)


def jobs_in(members: Iterable[Member]) -> list[JobFiles]:
    """The jobs of an upload with their trials, by name."""
    jobs: dict[str, JobFiles] = {}
    for member in members:
        match = HARBOR_FILE.fullmatch(member.name)
        if match is None:
            continue
        job = jobs.setdefault(match["job"], JobFiles(match["job"]))
        if match["record"]:
            job.records[match["record"]] = member
        else:
            folder = f"{match['job']}/{match['trial']}"
            trial = job.trials.setdefault(match["trial"], TrialFiles(folder))
            trial.files[match["file"]] = member
    return [jobs[name] for name in sorted(jobs)]
