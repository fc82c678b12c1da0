"""Finished jobs of Harbor, read without Harbor.

Patches, trajectories, tokens and the agent's time are taken over; rewards are not, for
the evaluation happens here. What breaks comparability is kept with the bundle.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from submissions.findings import Code, Findings, plain
from submissions.formats.harbor.checks import (
    check_agents,
    check_claims,
    check_digests,
    check_exceptions,
    check_job_result,
    check_regrades,
    check_settings,
    claims,
)
from submissions.formats.harbor.documents import read_document
from submissions.formats.harbor.layout import JobFiles, jobs_in
from submissions.formats.harbor.runs import Assigned, JobTrials, assign_runs
from submissions.formats.harbor.trials import Trial, read_trial
from submissions.formats.native import (
    Converted,
    NativeFiles,
    Sources,
    is_unit,
    task_of,
    unknown_task,
)
from submissions.manifest import Origin

_MOST_NOTES = 50


def convert_harbor(
    sources: Sources, files: NativeFiles, *, findings: Findings
) -> Converted:
    """Make a bundle of Harbor jobs; everything wrong with them is noted."""
    remarks: list[str] = []
    jobs = []
    for job_files in jobs_in(sources.members):
        remarks += _check_job(job_files, sources, findings)
        jobs.append(_read_job(job_files, sources, findings))
    trials = [trial for job in jobs for trial in job.all()]
    assigned, order = assign_runs(
        jobs, sources.run_count, places=files.places, findings=findings
    )
    check_agents(trials, sources.stated, findings=findings)
    check_claims(trials, findings=findings)
    deviations = [
        *check_settings(trials, findings=findings),
        *check_exceptions(trials, findings=findings),
        *check_digests(assigned, sources.task_digests, findings=findings),
    ]
    remarks += check_regrades(trials, findings=findings)
    remarks.append(claims(trials))
    for task_run in assigned:
        _write(task_run, files, sources)
    origin = Origin(
        format="harbor",
        run_order=order,
        deviations=deviations[:_MOST_NOTES],
        remarks=[plain(each, limit=190) for each in remarks[:_MOST_NOTES]],
    )
    return Converted(files.members, files.places, origin)


def _check_job(job: JobFiles, sources: Sources, findings: Findings) -> list[str]:
    where = sources.name(job.folder)
    config = read_document(
        job.records.get("config.json"), where=f"{where}/config.json", findings=findings
    )
    if config is not None and len(config.parts("agents")) > 1:
        findings.error(
            Code.HARBOR_AGENT,
            f"{where}/config.json: agents",
            saw=f"{len(config.parts('agents'))} agents in one job",
            fix="Run a job for each agent and submit each configuration on its own.",
        )
    if "result.json" not in job.records:
        findings.warning(
            Code.HARBOR_FILE,
            f"{where}/result.json",
            saw="no such file, so nobody knows of retries",
            fix="Upload the folder of the job as Harbor wrote it.",
        )
        return ["no record of retries"]
    result = read_document(
        job.records["result.json"], where=f"{where}/result.json", findings=findings
    )
    if result is None:
        return []
    return check_job_result(result, where=f"{where}/result.json", findings=findings)


def _read_job(job: JobFiles, sources: Sources, findings: Findings) -> JobTrials:
    found = JobTrials(sources.name(job.folder))
    for trial in _trials(job, sources, findings):
        task = task_of(
            trial.task_name,
            benchmark=sources.benchmark,
        )
        if task is None or not is_unit(1, task):
            unknown_task(
                findings,
                f"{trial.where}/result.json: task_name",
                trial.task_name,
                "Submit trials of the tasks of the snapshot only.",
            )
            continue
        found.trials[task].append(trial)
    return found


def _trials(job: JobFiles, sources: Sources, findings: Findings) -> Iterator[Trial]:
    for _, trial_files in sorted(job.trials.items()):
        trial = read_trial(trial_files, sources, findings=findings)
        if trial is not None:
            yield trial


def _write(task_run: Assigned, files: NativeFiles, sources: Sources) -> None:
    run, task, trial = task_run
    files.places.note(f"runs/{run}/{task}", trial.where)
    carried = {
        "final.patch": trial.patch,
        "first.patch": trial.first_patch,
        "trajectory.json": trial.trajectory,
    }
    for name, member in carried.items():
        if member is not None:
            place = sources.name(member.name)
            files.carry(run, task, file=name, member=member, place=place)
    usage = {
        "total_tokens": trial.total_tokens,
        "agent_seconds": None if trial.agent_ms is None else trial.agent_ms / 1000,
        "repair_rounds": trial.repair_rounds,
    }
    reported = {name: value for name, value in usage.items() if value is not None}
    if reported:
        files.write(
            run,
            task,
            file="usage.json",
            data=(json.dumps(reported) + "\n").encode(),
            place=f"{trial.where}/result.json: agent_result",
        )
