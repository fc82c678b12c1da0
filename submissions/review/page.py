"""What a maintainer sees of one submission before deciding."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.contrib.auth.models import User
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.functional import Promise
from pydantic import ValidationError

from leaderboard.models import Artifact, AuditEvent, EvaluationSnapshot
from leaderboard.passing.standings import is_by_pass_rate
from leaderboard.presenters.evaluation import EvaluationPage, evaluation_page
from leaderboard.presenters.pass_evaluation import pass_scopes
from leaderboard.presenters.passing import PassCells
from submissions.comparability import Difference, compared
from submissions.integrity.summary import SignalSummary, signals_of
from submissions.manifest import Manifest
from submissions.models import (
    Appeal,
    Message,
    Proposal,
    Submission,
    SubmissionEvent,
    SubmissionState,
)
from submissions.progress import Progress, progress_of
from submissions.review.appeals import open_appeal
from submissions.review.decisions import DECISIONS, last_act
from submissions.review.independence import (
    has_a_stake,
    may_withdraw,
    needs_second,
)
from submissions.review.labels import act_label
from submissions.review.overrulings import in_force
from submissions.snapshot_facts import facts_of
from submissions.transitions import RULES, Act, possible_acts

ARTIFACTS_SHOWN = 20


class PossibleAct(NamedTuple):
    """An act that the state allows; ``only_proposes`` where a second must confirm."""

    act: Act
    needs_reason: bool
    only_proposes: bool


class Record(NamedTuple):
    """One step of the submission or act on record, whoever did it."""

    at: datetime
    what: str | Promise
    actor: User | None
    reason: str


class ShownProposal(NamedTuple):
    proposal: Proposal
    label: str | Promise
    is_mine: bool


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """``fields`` is None where the kept manifest is of another version of the format.
    ``pass_scopes`` are figures where the benchmark ranks by pass rate, else empty.

    ``seen`` goes with every form: whoever decides on an older page is told.
    """

    submission: Submission
    state: SubmissionState
    seen: int
    is_own: bool
    acts: Sequence[PossibleAct]
    proposals: Sequence[ShownProposal]
    appeals: Sequence[Appeal]
    open_appeal: Appeal | None
    overruling_appeals: Sequence[Appeal]
    overruled: Sequence[Proposal]
    messages: Sequence[Message]
    manifest: str
    fields: Sequence[Difference] | None
    evaluation: EvaluationPage
    pass_scopes: Sequence[tuple[str, PassCells]]
    progress: Progress
    signals: SignalSummary
    artifacts: Page[Artifact]
    artifact_place: ArtifactPlace
    record: Sequence[Record]
    other_snapshots: Sequence[EvaluationSnapshot]


class ArtifactPlace(NamedTuple):
    """Which files are listed; empty means all."""

    run: str
    task: str

    @property
    def query(self) -> str:
        chosen = QueryDict(mutable=True)
        chosen.update({"run": self.run, "task": self.task})
        return chosen.urlencode()


def review_page(
    submission: Submission, query: QueryDict, *, reader: User
) -> ReviewPage:
    """Everything about ``submission``, in a fixed number of queries."""
    state = submission.shown_state
    place = ArtifactPlace(query.get("run", "")[:4], query.get("task", "")[:200])
    appeals = submission.appeals.select_related(
        "by",
        "answered_by",
        "decision__actor",
        "proposal__result__run",
        "proposal__result__task",
    )
    overruled = in_force(submission)
    messages = submission.messages.select_related("author")
    return ReviewPage(
        submission=submission,
        state=state,
        seen=last_act(submission),
        is_own=has_a_stake(reader, submission),
        acts=_acts(submission, state, reader=reader),
        proposals=_proposals(submission, reader),
        appeals=list(appeals),
        open_appeal=open_appeal(submission),
        overruling_appeals=[
            each.appeal
            for each in overruled
            if hasattr(each, "appeal") and not each.appeal.outcome
        ],
        overruled=overruled,
        messages=list(messages),
        manifest=json.dumps(submission.manifest, indent=2, ensure_ascii=False),
        fields=_fields(submission),
        evaluation=evaluation_page(submission.evaluation),
        pass_scopes=pass_scopes(submission.evaluation)
        if is_by_pass_rate(submission.snapshot)
        else [],
        progress=progress_of(submission),
        signals=signals_of(submission),
        artifacts=Paginator(_artifacts(submission, place), ARTIFACTS_SHOWN).get_page(
            query.get("files")
        ),
        artifact_place=place,
        record=_record(submission),
        other_snapshots=[
            each
            for each in EvaluationSnapshot.objects.listed()
            if each.pk != submission.snapshot_id
            and each.package_path
            and each.benchmark_id == submission.snapshot.benchmark_id
        ],
    )


def _acts(
    submission: Submission, state: SubmissionState, *, reader: User
) -> list[PossibleAct]:
    return [
        PossibleAct(
            act=act,
            needs_reason=RULES[act].needs_reason,
            only_proposes=needs_second(submission, RULES[act].second, by=reader),
        )
        for act in possible_acts(state)
        if act in DECISIONS
        and (act != Act.WITHDRAW or may_withdraw(reader, submission))
    ]


def _proposals(submission: Submission, reader: User) -> list[ShownProposal]:
    found = submission.proposals.filter(confirmed=None).select_related(
        "proposed_by", "result__run", "result__task"
    )
    return [
        ShownProposal(each, act_label(each.act), each.proposed_by_id == reader.pk)
        for each in found
    ]


def _fields(submission: Submission) -> list[Difference] | None:
    try:
        kept = json.dumps(submission.manifest)
        manifest = Manifest.model_validate_json(kept)
    except ValidationError:
        return None
    return compared(manifest, facts_of(submission.snapshot))


def _artifacts(submission: Submission, place: ArtifactPlace) -> QuerySet[Artifact]:
    found = Artifact.objects.filter(run__evaluation=submission.evaluation_id)
    if place.run.isdecimal():
        found = found.filter(run__number=int(place.run))
    if place.task:
        found = found.filter(task__slug__icontains=place.task)
    return found.select_related("run", "task").order_by(
        "run__number", "task__position", "task__slug", "name"
    )


def _record(submission: Submission) -> list[Record]:
    """Steps of the submission and acts on its evaluation, the newest first."""
    steps = SubmissionEvent.objects.filter(submission=submission)
    acts = AuditEvent.objects.about(submission.evaluation)
    found = [
        *(
            Record(each.at, each.label, each.actor, each.reason)
            for each in steps.select_related("actor")
        ),
        *(
            Record(each.at, each.act_label, each.actor, each.reason)
            for each in acts.select_related("actor")
        ),
    ]
    return sorted(found, key=lambda each: each.at, reverse=True)
