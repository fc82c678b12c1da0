"""Harbor jobs become runs; nothing that breaks comparability passes unnoticed."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from submissions.comparability import compare_with_snapshot
from submissions.findings import Code
from submissions.formats.usage import Usage
from submissions.validation import validate
from tests.submissions.corpus.contents import FACTS
from tests.submissions.harbor.jobs import (
    TASKS,
    hash_of,
    job,
    one_job_of_two,
    patch_of,
    trial,
    trial_config,
    two_jobs,
    upload,
)
from tests.submissions.harbor.real.running import UPLOAD
from tests.submissions.uploads import Checked, check_upload


@pytest.fixture
def check(tmp_path):
    def run(*jobs, facts=FACTS, **changes):
        return check_upload(upload(*jobs, **changes), tmp_path, facts=facts)

    return run


def alpha(number=1, **changes):
    return trial("alpha-task", number, **changes)


def with_alpha(*trials):
    """Two jobs, in the first of which the alpha task has the given trials."""
    return [job("run-1", *trials, trial("beta-task", 1)), two_jobs()[1]]


def failing(kind):
    return {"exception_type": kind, "exception_message": "", "policy": {}}


def test_two_jobs_of_one_attempt_are_two_runs(check):
    checked = check(*two_jobs())

    assert checked.report.findings == ()
    assert [(each.run, each.task) for each in checked.bundle.units] == [
        (run, task) for run in (1, 2) for task in TASKS
    ]
    for unit in checked.bundle.units:
        assert unit.final_patch.read() == patch_of(unit.task, unit.run)
        assert json.loads(unit.trajectory.read())["steps"]
    origin = checked.bundle.manifest.origin
    assert origin.format == "harbor"
    assert origin.run_order == "by start of the job"
    assert origin.deviations == []
    assert origin.remarks == ["submitter-reported: 4 passed of 4 trials"]


def test_tokens_are_input_with_output_and_time_is_the_agents_own(check):
    unit = check(*two_jobs()).unit(1, "alpha-task")

    assert unit.usage == Usage(total_tokens=1050, agent_ms=2500, repair_rounds=1)


def test_the_manifest_of_the_bundle_tells_where_it_came_from(check):
    checked = check(*two_jobs())

    stored = json.loads(checked.bundle.members[0].read())
    assert stored["origin"] == checked.bundle.manifest.origin.model_dump(mode="json")
    assert compare_with_snapshot(checked.bundle.manifest, FACTS) == []


def test_runs_are_numbered_by_the_start_of_their_jobs(check):
    late = job("a", *(trial(task, 2) for task in TASKS))
    early = job("b", *(trial(task, 1) for task in TASKS))

    checked = check(late, early)

    assert checked.unit(1, "alpha-task").final_patch.read() == patch_of("alpha-task", 1)
    assert checked.unit(2, "alpha-task").final_patch.read() == patch_of("alpha-task", 2)


def test_the_attempts_of_one_job_become_runs_by_start_order_and_are_labelled(check):
    trials = [alpha(1, at=500.0), alpha(2, at=20.0)]
    checked = check(
        job("both", *trials, trial("beta-task", 1), trial("beta-task", 2), attempts=2)
    )

    assert checked.warnings == {Code.HARBOR_RUN_ORDER}
    assert checked.unit(1, "alpha-task").final_patch.read() == patch_of("alpha-task", 2)
    assert checked.unit(2, "alpha-task").final_patch.read() == patch_of("alpha-task", 1)
    assert checked.bundle.manifest.origin.run_order == "assigned by start order"


def test_jobs_may_lie_in_the_folder_that_harbor_makes(check):
    files = {f"jobs/{name}": data for name, data in one_job_of_two().items()}

    checked = check(files)

    assert checked.report.ok
    assert checked.finding(Code.HARBOR_RUN_ORDER).where == "jobs/both"


def test_another_number_of_jobs_than_runs_is_refused(check):
    jobs = [job(f"j{n}", *(trial(task, n) for task in TASKS)) for n in (1, 2, 3)]

    finding = check(*jobs).finding(Code.HARBOR_JOBS)
    assert finding.saw == "3 jobs"
    assert "2 jobs of one attempt a task, or one job of 2 attempts" in finding.fix


def test_a_task_with_more_trials_than_runs_is_refused(check):
    checked = check(*with_alpha(alpha(1), alpha(7)))

    finding = checked.finding(Code.HARBOR_JOBS)
    assert finding.where == "run-1"
    assert "alpha-task" in finding.saw
    assert "chosen" in finding.fix


def test_a_missing_trial_is_told_with_the_job_it_lacks_in(check):
    checked = check(job("run-1", alpha()), two_jobs()[1])

    finding = checked.finding(Code.TASK_RUN_MISSING)
    assert finding.where == "run-1"
    assert "beta-task" in finding.saw
    assert "model.patch" in finding.saw


def test_a_trial_of_an_unknown_task_is_told_with_its_folder(check):
    checked = check(
        job("run-1", alpha(), trial("beta-task", 1), trial("gamma-task", 1)),
        two_jobs()[1],
    )

    assert checked.finding(Code.TASK_UNKNOWN).where == "run-1/gamma-task__0000001"


@pytest.mark.parametrize("name", ["other-bench/alpha-task", "corpus-bench/Not A Slug"])
def test_a_trial_of_another_benchmark_is_refused(check, name):
    checked = check(*with_alpha(alpha(task_name=name)))

    finding = checked.finding(Code.TASK_UNKNOWN)
    assert name in finding.saw
    assert finding.where == "run-1/alpha-task__0000001/result.json: task_name"


def test_a_missing_patch_is_a_missing_task_run_and_an_empty_one_is_no_change(check):
    bare = alpha()
    del bare["alpha-task__0000001/artifacts/logs/artifacts/model.patch"]

    assert check(*with_alpha(bare)).errors == {Code.TASK_RUN_MISSING}
    assert check(*with_alpha(alpha(patch=b""))).report.ok


def test_older_versions_keep_artifacts_one_folder_higher(check):
    files = alpha()
    patch = files.pop("alpha-task__0000001/artifacts/logs/artifacts/model.patch")
    files["alpha-task__0000001/artifacts/model.patch"] = patch

    assert check(*with_alpha(files)).unit(1, "alpha-task").final_patch.read() == patch


def test_a_first_patch_among_the_artifacts_is_taken_over(check):
    files = alpha()
    files["alpha-task__0000001/artifacts/logs/artifacts/first.patch"] = b"first\n"

    unit = check(*with_alpha(files)).unit(1, "alpha-task")
    assert unit.first_patch.read() == b"first\n"


@pytest.mark.parametrize("field", ["started_at", "finished_at"])
def test_a_trial_that_was_not_finished_is_refused(check, field):
    checked = check(*with_alpha(alpha(**{field: None})))

    assert Code.HARBOR_UNFINISHED in checked.errors


def test_a_trial_without_a_result_is_refused(check):
    files = alpha()
    del files["alpha-task__0000001/result.json"]

    finding = check(*with_alpha(files)).finding(Code.HARBOR_UNFINISHED)
    assert finding.where == "run-1/alpha-task__0000001"


@pytest.mark.parametrize(
    "changes",
    [{"finished_at": None}, {"stats": {"n_pending_trials": 1}}],
)
def test_a_job_that_was_not_finished_is_refused(check, changes):
    first = job("run-1", *(trial(task, 1) for task in TASKS), **changes)

    finding = check(first, two_jobs()[1]).finding(Code.HARBOR_UNFINISHED)
    assert finding.where == "run-1/result.json"


@pytest.mark.parametrize("data", [b"{", b"[]", b"\xff", b"[" * 100_000, b""])
def test_a_damaged_record_is_told_with_its_file(check, data):
    files = alpha()
    files["alpha-task__0000001/result.json"] = data

    finding = check(*with_alpha(files)).finding(Code.HARBOR_FILE)
    assert finding.where == "run-1/alpha-task__0000001/result.json"


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("timeout_multiplier", 2.0, "timeout_multiplier = 2.0"),
        ("agent_timeout_multiplier", 0.5, "agent_timeout_multiplier = 0.5"),
        ("agent__override_timeout_sec", 60, "agent.override_timeout_sec = 60"),
        ("agent__max_timeout_sec", 60, "agent.max_timeout_sec = 60"),
        ("agent__load_trajectory", "t.json", 'agent.load_trajectory = "t.json"'),
        ("environment__override_cpus", 8, "environment.override_cpus = 8"),
        ("verifier__disable", True, "verifier.disable = true"),
        ("extra_instructions", ["hint"], 'extra_instructions = "hint"'),
        (
            "override_error_policy",
            {"A": {}},
            "override_error_policy = an object with 1 fields",
        ),
    ],
)
def test_a_setting_out_of_the_ordinary_keeps_the_result_apart(check, name, value, told):
    config = trial_config("alpha-task", **{name: value})

    checked = check(*with_alpha(alpha(config=config)))

    field = name.replace("__", ".")
    where = checked.finding(Code.HARBOR_SETTING).where
    assert where == f"run-1/alpha-task__0000001/config.json: {field}"
    assert checked.report.ok
    assert checked.bundle.manifest.origin.deviations == [told]
    assert compare_with_snapshot(checked.bundle.manifest, FACTS) == [
        "origin.deviations"
    ]


def test_one_setting_of_all_trials_is_told_once(check):
    config = trial_config("alpha-task", timeout_multiplier=3)
    jobs = [
        job(f"run-{n}", *(trial(task, n, config=config) for task in TASKS))
        for n in (1, 2)
    ]

    assert check(*jobs).finding(Code.HARBOR_SETTING).saw == "3, in 4 trials"


def test_settings_are_looked_up_in_the_file_where_the_result_has_none(check):
    files = alpha(config=trial_config("alpha-task", timeout_multiplier=2))
    result = json.loads(files["alpha-task__0000001/result.json"])
    del result["config"]
    files["alpha-task__0000001/result.json"] = json.dumps(result).encode()

    assert Code.HARBOR_SETTING in check(*with_alpha(files)).warnings


def test_a_job_that_only_installed_the_agent_is_refused(check):
    config = trial_config("alpha-task", install_only=True)

    assert Code.HARBOR_SETTING in check(*with_alpha(alpha(config=config))).errors


@pytest.mark.parametrize(
    ("kind", "apart"),
    [
        ("AgentTimeoutError", False),
        ("RewardFileNotFoundError", False),
        ("ApiRateLimitError", True),
        ("RuntimeError", True),
    ],
)
def test_only_trouble_around_the_agent_keeps_the_result_apart(check, kind, apart):
    checked = check(*with_alpha(alpha(exception_info=failing(kind))))

    finding = checked.finding(Code.HARBOR_EXCEPTION)
    assert finding.severity == "warning"
    assert kind in finding.saw
    told = [f"1 trial ended by {kind}"] if apart else []
    assert checked.bundle.manifest.origin.deviations == told


def test_a_reward_is_never_taken_for_a_result(check):
    failed = {"rewards": {"reward": 0.0}}
    checked = check(
        *with_alpha(alpha(verifier_result=failed)),
    )
    missing = check(*with_alpha(alpha(verifier_result=None, reward_valid=False)))

    assert checked.report.findings == missing.report.findings == ()
    names = {each.name for each in checked.bundle.members}
    assert not [name for name in names if "reward" in name]
    assert checked.bundle.manifest.origin.remarks == [
        "submitter-reported: 3 passed of 4 trials"
    ]
    assert missing.bundle.manifest.origin.remarks == [
        "submitter-reported: 3 passed of 4 trials, 1 without a valid reward"
    ]


@pytest.mark.parametrize("data", [None, b"", b'{"steps": []}', b"not json"])
def test_a_claimed_pass_without_a_trajectory_is_told(check, data):
    files = alpha()
    if data is None:
        del files["alpha-task__0000001/agent/trajectory.json"]
    else:
        files["alpha-task__0000001/agent/trajectory.json"] = data

    checked = check(*with_alpha(files))

    assert checked.unit(1, "alpha-task").trajectory is None
    assert Code.TRAJECTORY_MISSING in checked.warnings


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "other", "version": "1.0"},
        {"name": "sample-agent", "version": "1.1"},
    ],
)
def test_trials_of_several_agents_are_refused(check, changes):
    info = {"model_info": {"name": "lab/sample-model"}, **changes}

    assert Code.HARBOR_AGENT in check(*with_alpha(alpha(agent_info=info))).errors


def test_a_job_of_several_agents_is_refused(check):
    files = two_jobs()
    files[0]["run-1/config.json"] = b'{"agents": [{}, {}]}'

    finding = check(*files).finding(Code.HARBOR_AGENT)
    assert finding.where == "run-1/config.json: agents"


@pytest.mark.parametrize("name", ["oracle", "nop"])
def test_the_agents_of_harbor_itself_are_refused(check, name):
    info = {"name": name, "version": "1.0"}
    jobs = [
        job(f"run-{n}", *(trial(task, n, agent_info=info) for task in TASKS))
        for n in (1, 2)
    ]

    assert Code.HARBOR_AGENT in check(*jobs).errors


def test_an_agent_that_the_manifest_does_not_name_is_told(check):
    checked = check(*two_jobs(), agent={"name": "Sample Agent", "version": "2.0"})

    finding = checked.finding(Code.HARBOR_AGENT)
    assert finding.severity == "warning"
    assert '"1.0"' in finding.saw
    assert '"2.0"' in finding.saw


def test_retries_are_told_and_kept(check):
    first = job("run-1", *(trial(task, 1) for task in TASKS), stats={"n_retries": 2})

    checked = check(first, two_jobs()[1])

    assert checked.warnings == {Code.HARBOR_RETRIES}
    assert "2 retried trials" in checked.bundle.manifest.origin.remarks


def test_a_job_without_its_record_is_told(check):
    files = two_jobs()
    del files[0]["run-1/result.json"]

    checked = check(*files)

    assert checked.finding(Code.HARBOR_FILE).where == "run-1/result.json"
    assert checked.report.ok


def test_a_regraded_trial_is_told_and_its_time_is_not_reported(check):
    source = {"action": "regrade", "type": "local", "trial_id": "elsewhere"}
    config = trial_config("alpha-task", source_trial=source)

    checked = check(*with_alpha(alpha(config=config, agent_execution=None)))

    assert Code.HARBOR_REGRADE in checked.warnings
    assert checked.unit(1, "alpha-task").usage.agent_ms is None
    assert "1 regraded trial" in checked.bundle.manifest.origin.remarks


def test_one_piece_of_work_cannot_be_two_runs(check):
    jobs = two_jobs()
    original = json.loads(jobs[1]["run-2/alpha-task__0000002/result.json"])["id"]
    source = {"action": "regrade", "type": "local", "trial_id": original}
    config = trial_config("alpha-task", source_trial=source)

    assert Code.HARBOR_REGRADE in check(*with_alpha(alpha(config=config))).errors
    copied = {name.replace("run-1/", "copy/"): data for name, data in jobs[0].items()}
    assert Code.HARBOR_REGRADE in check(jobs[0], copied).errors


def test_tasks_that_changed_between_runs_keep_the_result_apart(check):
    files = alpha()
    lock = {"task": {"digest": "sha256:" + "f" * 64}}
    files["alpha-task__0000001/lock.json"] = json.dumps(lock).encode()

    checked = check(*with_alpha(files))

    assert Code.HARBOR_DIGEST in checked.warnings
    assert checked.bundle.manifest.origin.deviations == [
        "another version of the task alpha-task"
    ]


def test_tasks_are_compared_with_those_of_the_snapshot_where_it_knows_them(check):
    right = {task: f"sha256:{hash_of(task, 0):064x}" for task in TASKS}
    wrong = {**right, "alpha-task": "sha256:" + "e" * 64}

    assert check(*two_jobs(), facts=replace(FACTS, task_digests=right)).report.ok
    checked = check(*two_jobs(), facts=replace(FACTS, task_digests=wrong))
    assert "the snapshot has" in checked.report.warnings[0].saw
    assert Code.HARBOR_DIGEST in checked.warnings


def test_the_steps_of_a_trial_are_summed_up_and_the_last_patch_counts(check):
    files = alpha()
    patch = files.pop("alpha-task__0000001/artifacts/logs/artifacts/model.patch")
    name = "alpha-task__0000001"
    result = json.loads(files[f"{name}/result.json"])
    step = {
        "agent_result": {"n_input_tokens": 10, "n_output_tokens": 1},
        "agent_execution": result["agent_execution"],
    }
    steps = [{"step_name": "one", **step}, {"step_name": "two", **step}]
    result |= {"agent_result": None, "agent_execution": None, "step_results": steps}
    files[f"{name}/result.json"] = json.dumps(result).encode()
    files[f"{name}/steps/one/artifacts/logs/artifacts/model.patch"] = b"early\n"
    files[f"{name}/steps/two/artifacts/logs/artifacts/model.patch"] = patch

    unit = check(*with_alpha(files)).unit(1, "alpha-task")

    assert unit.final_patch.read() == patch
    assert unit.usage == Usage(total_tokens=22, agent_ms=5001, repair_rounds=None)


@pytest.mark.parametrize(
    "account",
    [
        None,
        {},
        {"n_input_tokens": None, "n_output_tokens": 5},
        {"n_input_tokens": -1, "n_output_tokens": 5},
        {"n_input_tokens": True, "n_output_tokens": 5},
        {"n_input_tokens": "9", "n_output_tokens": 5},
    ],
)
def test_what_the_agent_did_not_count_is_not_reported(check, account):
    usage = check(*with_alpha(alpha(agent_result=account))).unit(1, "alpha-task").usage

    assert usage == Usage(total_tokens=None, agent_ms=2500, repair_rounds=None)


def test_a_span_that_ends_before_it_begins_is_not_reported(check):
    span = {"started_at": "2026-11-30T02:00:00Z", "finished_at": "2026-11-30T01:00:00Z"}

    unit = check(*with_alpha(alpha(agent_execution=span))).unit(1, "alpha-task")

    assert unit.usage.agent_ms is None


def test_findings_in_the_content_name_the_file_of_the_upload(check):
    key = "sk-" + "a1b2c3d4" * 5
    checked = check(*with_alpha(alpha(patch=f"one\n{key}\n".encode())))

    assert checked.finding(Code.SECRET).where == (
        "run-1/alpha-task__0000001/artifacts/logs/artifacts/model.patch, line 2"
    )


def test_legacy_records_without_versions_and_policies_are_read(check):
    files = alpha()
    name = "alpha-task__0000001/result.json"
    result = json.loads(files[name])
    for field in ("schema_version", "reward_valid", "step_results", "id"):
        del result[field]
    result["task_name"] = "alpha-task"
    files[name] = json.dumps(result).encode()

    assert check(*with_alpha(files)).report.ok


def test_what_nobody_reads_of_a_job_is_passed_over(check):
    files = two_jobs()
    files[0]["run-1/alpha-task__0000001/verifier/huge.bin"] = b"\0" * 1000
    files[0]["run-1/.sources/1/alpha-task__0000001/result.json"] = b"not read"

    checked = check(*files)

    assert checked.report.ok
    assert not [each for each in checked.bundle.members if "huge" in each.name]


@pytest.mark.parametrize(
    "name",
    [
        "run-1/../../etc/passwd",
        "run-1/alpha-task__0000001/../../x",
        "run-1/./x",
        "run-1\\x",
        "run-1/a\\b",
        "run-1/a\x01b",
        "run-1/ü",
        "/run-1/x",
        "elsewhere/x",
        "jobs/elsewhere/x",
        "runs/1/result.json",
        "notes.txt",
    ],
)
def test_a_hostile_or_foreign_name_among_jobs_is_refused(tmp_path, name):
    files = upload(*two_jobs())

    checked = check_upload({**files, name: b"x"}, tmp_path)

    assert checked.errors == {Code.MEMBER_NAME}
    assert not list(tmp_path.rglob("passwd"))


def test_the_manifest_is_asked_for_as_in_every_upload(tmp_path):
    files = upload(*two_jobs())
    del files["manifest.json"]

    assert check_upload(files, tmp_path).errors == {Code.MANIFEST_MISSING}


def test_jobs_of_the_real_harbor_are_read(tmp_path):
    checked = Checked(
        *validate(
            UPLOAD,
            spool=tmp_path / "spool",
            snapshot_for=lambda benchmark, version: FACTS,
            known_versions=["1.10"],
        )
    )

    assert checked.report.ok, checked.report
    assert "ProviderHangsUpError" in checked.finding(Code.HARBOR_EXCEPTION).saw
    assert checked.unit(1, "beta-task").final_patch.size_bytes == 0
    last = checked.unit(2, "beta-task")
    assert b"+changed\n" in last.final_patch.read()
    assert (last.usage.total_tokens, last.usage.repair_rounds) == (1050, 2)
    assert last.trajectory is not None
    assert checked.bundle.manifest.origin.deviations == [
        "1 trial ended by ProviderHangsUpError",
        # Its instruction was another one in the second job.
        "another version of the task beta-task",
    ]


def test_a_record_that_is_far_too_large_is_not_loaded(check):
    files = alpha()
    files["alpha-task__0000001/result.json"] = b"[" + b"{}," * 1_500_000 + b"{}]"

    finding = check(*with_alpha(files)).finding(Code.HARBOR_FILE)
    assert "at most 4194304 bytes" in finding.saw


def test_a_long_trajectory_is_taken_over_as_it_is(check):
    files = alpha()
    long = b'{"steps": [' + b'{"message": "' + b"x" * 5_000_000 + b'"}]}'
    files["alpha-task__0000001/agent/trajectory.json"] = long

    checked = check(*with_alpha(files))

    assert checked.unit(1, "alpha-task").trajectory.size_bytes == len(long)
