"""Who sees which signals and how much of them, and each with its addresses.

Maintainers see all. Those whose submission it is see what a curator confirmed, with the
reason. Everybody who may read the evaluation sees that, too, with the public note
instead of the reason, and without what the rule quotes from the hidden.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from urllib.parse import urlencode

from django.contrib.auth.models import AnonymousUser, User
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from leaderboard.models import Artifact, Evaluation
from leaderboard.presenters.viewer import is_text
from submissions.integrity.briefs import name_in_bundle
from submissions.integrity.catalogue import KINDS, Code
from submissions.integrity.places import audit_url, trajectory_url
from submissions.models import Decision, IntegritySignal, Submission
from submissions.review.independence import is_of_the_team

# They may quote the reference or the checks.
_QUOTES_HIDDEN = (Code.LEAKED_TEXT, Code.REFERENCE_COMMENT, Code.CHECK_RESULTS)
# They name another evaluation, which may not be public.
_NAMES_OTHERS = (Code.PATCH_REPEATED, Code.PATCH_SIMILAR)
_OF_REFERENCE = (Code.REFERENCE_SIMILAR, Code.REFERENCE_COMMENT)

FileUrls = Mapping[tuple[int, int, str], str]


class Sight(Enum):
    PUBLIC = auto()
    TEAM = auto()
    ALL = auto()


@dataclass(frozen=True, slots=True)
class ShownSignal:
    """One row with links to its task run, its file, its step, its twin in another
    evaluation and its reference, "" where there is none.

    ``signal.seen`` is what the reader may see of it. A task run has no page before the
    evaluation is scored.
    """

    signal: IntegritySignal
    label: str | Promise
    decision: str | None
    decision_label: str | Promise
    judged_because: str
    public_note: str
    task_run_url: str
    artifact_url: str
    step_url: str
    twin_url: str
    reference_url: str
    audit_url: str

    @property
    def counted_in_lines(self) -> bool:
        return self.signal.file.endswith(".jsonl")


def sight_of(reader: User | AnonymousUser, evaluation: Evaluation) -> Sight:
    """How much ``reader``, who may read the evaluation, sees of its signals."""
    if isinstance(reader, User) and reader.is_active:
        if reader.is_staff:
            return Sight.ALL
        found = Submission.objects.filter(evaluation=evaluation).first()
        if found is not None and is_of_the_team(reader, found):
            return Sight.TEAM
    return Sight.PUBLIC


def signals_in(artifact: Artifact, *, sight: Sight) -> list[ShownSignal]:
    """The signals that speak of this file, in the order of their places."""
    evaluation = artifact.run.evaluation
    found = IntegritySignal.objects.filter(
        submission__evaluation=evaluation,
        run_number=artifact.run.number,
        task=artifact.task,
        file=name_in_bundle(artifact.name, run_here=evaluation.run_here),
    )
    rows = found if sight == Sight.ALL else found.confirmed()
    each_row = rows.with_decision().with_places().order_by("position", "pk")
    return [
        shown(
            seen_by(sight, row),
            evaluation,
            {(artifact.run.number, artifact.task_id, row.file): ""},
            sight=sight,
        )
        for row in each_row
    ]


def seen_by(sight: Sight, row: IntegritySignal) -> IntegritySignal:
    """``row`` with no more in it than such a reader may see; it is not to be saved."""
    if sight == Sight.ALL:
        return row
    row.twin = None
    if row.code in _NAMES_OTHERS:
        exact = row.code == Code.PATCH_REPEATED
        row.seen = (
            f"{'the very' if exact else 'nearly the'} patch of an unrelated "
            "configuration"
        )
    if sight == Sight.PUBLIC:
        if row.code in _QUOTES_HIDDEN:
            row.seen = _("It quotes what is hidden, and so is not shown.")
        row.judged_because = ""  # type: ignore[attr-defined]  # with_decision() sets it
    return row


def file_urls(evaluation: Evaluation) -> dict[tuple[int, int, str], str]:
    """Addresses of files by run, task and their name in a bundle."""
    artifacts = Artifact.objects.kept().filter(run__evaluation=evaluation)
    return {
        (each.run.number, each.task_id, name): file_url(each, evaluation)
        for each in artifacts.select_related("run", "task")
        if (name := name_in_bundle(each.name, run_here=evaluation.run_here))
    }


def file_url(artifact: Artifact, evaluation: Evaluation) -> str:
    """Where the file is shown; the file itself while its task run has no page."""
    if evaluation.scored_at is None or not is_text(artifact.name):
        return artifact.get_absolute_url()
    place = [evaluation.pk, artifact.run.number, artifact.task.slug]
    query = urlencode({"file": artifact.name})
    return f"{reverse('task-run', args=place)}?{query}#viewer"


def shown(
    row: IntegritySignal,
    evaluation: Evaluation,
    urls: FileUrls,
    *,
    sight: Sight = Sight.PUBLIC,
) -> ShownSignal:
    """A row of ``with_decision()`` with the addresses of what it speaks of."""
    decision: str | None = getattr(row, "decision", None)
    task_run_url = step_url = ""
    twin = row.twin
    file = (row.run_number or 0, row.task_id or 0, row.file)
    if row.run_number and row.task:
        place = (evaluation.pk, row.run_number, row.task.slug)
        if evaluation.scored_at:
            task_run_url = reverse("task-run", args=place)
        if row.file.startswith("trajectory.") and file in urls:
            step_url = trajectory_url(*place, step=row.position)
    return ShownSignal(
        signal=row,
        label=KINDS[Code(row.code)].label if row.code in set(Code) else row.code,
        decision=decision,
        decision_label=Decision(decision).label if decision else "",
        judged_because=getattr(row, "judged_because", None) or "",
        public_note=getattr(row, "public_note", None) or "",
        task_run_url=task_run_url,
        artifact_url=urls.get(file, ""),
        step_url=step_url,
        twin_url=file_url(twin, twin.run.evaluation) if twin else "",
        reference_url=_reference_url(row, evaluation) if sight == Sight.ALL else "",
        audit_url=audit_url(evaluation.pk, row.pk),
    )


def _reference_url(row: IntegritySignal, evaluation: Evaluation) -> str:
    """Where maintainers read the reference patch."""
    if row.code not in _OF_REFERENCE or row.task is None:
        return ""
    snapshot = evaluation.snapshot
    place = [snapshot.benchmark.slug, snapshot.version, row.task.slug]
    return reverse("curation-task", args=place)
