"""What else speaks against a set of trials, or has to be told with its result.

Each check notes its findings and returns what is to be kept with the bundle.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from submissions.findings import Code, Findings, plain, shown
from submissions.formats.harbor.documents import Document
from submissions.formats.harbor.runs import Assigned
from submissions.formats.harbor.settings import Setting
from submissions.formats.harbor.trials import AgentIdentity, Trial
from submissions.formats.words import counted
from submissions.manifest_fields import Stated

# The configuration's own doing.
MODEL_OUTCOMES = frozenset(
    {
        "AgentTimeoutError",
        "NonZeroAgentExitCodeError",
        "ContextWindowExceededError",
        "ContextLengthExceededError",
        "OutputTokenExceededError",
        "OutputLengthExceededError",
        "AgentSafetyRefusalError",
        "ContentPolicyViolationError",
    }
)
# Trouble of the submitter's verifier, whose word does not count here.
AFTER_THE_AGENT = frozenset(
    {
        "VerifierTimeoutError",
        "RewardFileNotFoundError",
        "RewardFileEmptyError",
        "VerifierOutputParseError",
        "AddTestsDirError",
        "DownloadVerifierDirError",
    }
)
# Harbor's own agents: one applies the solution, the other does nothing.
_NOT_AGENTS = frozenset({"oracle", "nop"})
_NAMED = 5


def check_job_result(result: Document, *, where: str, findings: Findings) -> list[str]:
    """Whether a job came to its end, and how often it started trials anew."""
    waiting = sum(
        result.count("stats", name) or 0
        for name in ("n_running_trials", "n_pending_trials", "n_cancelled_trials")
    )
    if result.moment("finished_at") is None or waiting:
        findings.error(
            Code.HARBOR_UNFINISHED,
            where,
            saw=f"{counted(waiting, 'trial')} to go"
            if waiting
            else "a job that was not finished",
            fix="Finish the job first (harbor job resume goes on where it ended).",
        )
    retries = result.count("stats", "n_retries") or 0
    if not retries:
        return []
    findings.warning(
        Code.HARBOR_RETRIES,
        f"{where}: stats.n_retries",
        saw=f"{counted(retries, 'trial')} deleted and started again",
        fix="Say in the notes of the manifest what went wrong; tokens and time of the "
        "deleted trials are lost. Better run with --max-retries 0.",
    )
    return [counted(retries, "retried trial")]


def check_agents(
    trials: Sequence[Trial], stated: Stated, *, findings: Findings
) -> None:
    """All trials must come from one configuration, and it must be the manifest's."""
    first_of: dict[AgentIdentity, Trial] = {}
    for trial in trials:
        first_of.setdefault(trial.agent, trial)
        if len(first_of) > _NAMED:
            break
    identities = list(first_of)
    for identity in identities[1:]:
        findings.error(
            Code.HARBOR_AGENT,
            f"{first_of[identity].where}/result.json: agent_info",
            saw=f"{_told(identity)} beside {_told(identities[0])}",
            fix="Submit each configuration on its own.",
        )
    if not identities:
        return
    where = f"{first_of[identities[0]].where}/result.json: agent_info"
    agent = identities[0]
    if agent.name in _NOT_AGENTS:
        findings.error(
            Code.HARBOR_AGENT,
            where,
            saw=f"Harbor's own agent {shown(agent.name)}",
            fix="Submit the work of a coding agent.",
        )
    else:
        _compare(agent, stated, where=where, findings=findings)


def _compare(
    agent: AgentIdentity, stated: Stated, *, where: str, findings: Findings
) -> None:
    model = agent.model and agent.model.rpartition("/")[2]
    own = stated.get("model.identifier")
    pairs = [
        ("version", "agent.version", agent.version, stated.get("agent.version")),
        ("model_info.name", "model.identifier", model, own and own.rpartition("/")[2]),
    ]
    for name, field, saw, expected in pairs:
        if saw is not None and expected is not None and saw != expected:
            findings.warning(
                Code.HARBOR_AGENT,
                f"{where}.{name}",
                saw=f"{shown(saw)}, and the manifest says {shown(expected)}",
                fix=f"Correct {field} in manifest.json if it is a slip.",
            )


def _told(agent: AgentIdentity) -> str:
    return " ".join(plain(part) for part in agent if part) or "no agent"


def check_settings(trials: Iterable[Trial], *, findings: Findings) -> list[str]:
    """Note every setting out of the ordinary once; return them in words."""
    found: dict[Setting, list[Trial]] = {}
    for trial in trials:
        if trial.install_only:
            findings.error(
                Code.HARBOR_SETTING,
                f"{trial.where}/config.json: install_only",
                saw="true, so the agent did no work",
                fix="Run the job without --install-only.",
            )
        for setting in trial.settings:
            found.setdefault(setting, []).append(trial)
    for setting, where in found.items():
        findings.warning(
            Code.HARBOR_SETTING,
            f"{where[0].where}/config.json: {setting.name}",
            saw=f"{setting.value}, in {counted(len(where), 'trial')}",
            fix="Run the job with the default; as it stands the results are shown "
            "apart and not ranked with the snapshot's.",
        )
    return [plain(f"{each.name} = {each.value}", limit=190) for each in found]


def check_exceptions(trials: Iterable[Trial], *, findings: Findings) -> list[str]:
    """Note how trials ended early; return the kinds that were not the agent's doing.

    An unknown kind counts as trouble: Harbor would call its reward valid, but a
    provider that hangs up is no failure of the model.
    """
    by_kind: dict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        for kind in trial.exceptions:
            by_kind[kind].append(trial)
    trouble = []
    for kind, found in sorted(by_kind.items()):
        fix = "Nothing, if that is how the agent ended: its patch counts as it is."
        if kind in AFTER_THE_AGENT:
            fix = "Nothing: the patch is checked here anew."
        elif kind not in MODEL_OUTCOMES:
            trouble.append(
                plain(f"{counted(len(found), 'trial')} ended by {kind}", limit=190)
            )
            fix = (
                "Run these tasks again: this looks like trouble around the agent. As "
                "it stands the results are shown apart and not ranked."
            )
        findings.warning(
            Code.HARBOR_EXCEPTION,
            f"{found[0].where}/result.json: exception_info",
            saw=f"{plain(kind)} in {counted(len(found), 'trial')}: {_tasks(found)}",
            fix=fix,
        )
    return trouble


def check_regrades(trials: Sequence[Trial], *, findings: Findings) -> list[str]:
    """The same work of an agent may count once only; return what is to be told."""
    work: dict[str, Trial] = {}
    regraded = [trial for trial in trials if trial.source_trial is not None]
    for trial in trials:
        key = trial.source_trial or trial.trial_id
        if key is None or key == "unknown":
            continue
        if key in work:
            findings.error(
                Code.HARBOR_REGRADE,
                trial.where,
                saw=f"the same work of the agent as in {work[key].where}",
                fix="Give each run trials of its own; a regraded trial is no new one.",
            )
        work.setdefault(key, trial)
    if not regraded:
        return []
    findings.warning(
        Code.HARBOR_REGRADE,
        regraded[0].where,
        saw=f"{counted(len(regraded), 'trial')} graded again, without the agent's time",
        fix="Upload the original jobs instead: verification is repeated here anyway.",
    )
    return [counted(len(regraded), "regraded trial")]


def check_digests(
    assigned: Iterable[Assigned],
    expected: Mapping[str, str],
    *,
    findings: Findings,
) -> list[str]:
    """Whether all trials of a task had the same task, and the snapshot's one."""
    deviating = []
    first: dict[str, Trial] = {}
    for _, task, trial in assigned:
        if trial.digest is None:
            continue
        wanted = expected.get(task) or first.setdefault(task, trial).digest
        if trial.digest != wanted:
            whose = "the snapshot" if task in expected else first[task].where
            findings.warning(
                Code.HARBOR_DIGEST,
                f"{trial.where}/lock.json: task.digest",
                saw=f"{shown(trial.digest)}, and {whose} has {shown(wanted)}",
                fix="Run the task as the snapshot has it; as it stands the results "
                "are shown apart and not ranked.",
            )
            if task not in deviating:
                deviating.append(task)
    return [f"another version of the task {task}" for task in deviating[:10]]


def claims(trials: Sequence[Trial]) -> str:
    """What the submitter's own verifier said, for reviewers; never a result."""
    counts = Counter(trial.claim for trial in trials)
    told = (
        f"submitter-reported: {counts[True]} passed of {counted(len(trials), 'trial')}"
    )
    return told + (f", {counts[None]} without a valid reward" if counts[None] else "")


def check_claims(trials: Iterable[Trial], *, findings: Findings) -> None:
    """A pass that is claimed needs a trajectory to be looked at."""
    bare = [trial for trial in trials if trial.claim and trial.trajectory is None]
    if bare:
        findings.warning(
            Code.TRAJECTORY_MISSING,
            bare[0].where,
            saw="a reward of 1 without agent/trajectory.json in "
            f"{counted(len(bare), 'trial')}: {_tasks(bare)}",
            fix="Add the trajectories: where the snapshot asks for them, a task run "
            "that is completed without one makes the result unverified.",
        )


def _tasks(trials: Sequence[Trial]) -> str:
    names = list(dict.fromkeys(plain(trial.task_name) for trial in trials))
    rest = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {rest} more" if rest > 0 else "")
