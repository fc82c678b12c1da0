"""What is known of each task of a snapshot, and what it still lacks.

The rules are those of the paper, section 2.4: two curators, a base that fails every
F-point but its regression checks, and a reference that passes all of them in two runs.
Where a task brings wrong patches along, each has to fail the F-points that it is made
to fail.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.curation.words import proof_told
from leaderboard.models import (
    CuratorVerdict,
    EvaluationSnapshot,
    Opinion,
    ProofKind,
    Task,
    TaskProof,
)

APPROVALS_NEEDED = 2
BASE_RUNS_NEEDED = 1
REFERENCE_RUNS_NEEDED = 2


@dataclass(frozen=True, slots=True)
class TaskState:
    """One task: the words of curators on it as it is now, and the proofs that count."""

    task: Task
    approvals: Sequence[CuratorVerdict]
    refusals: Sequence[CuratorVerdict]
    proofs: Sequence[TaskProof]

    def proofs_of(self, kind: ProofKind) -> list[TaskProof]:
        return [proof for proof in self.proofs if proof.kind == kind]

    @property
    def base_held(self) -> int:
        """Runs of the unchanged base that passed regression checks and nothing else."""
        return sum(proof.holds for proof in self.proofs_of(ProofKind.BASE))

    @property
    def reference_held(self) -> int:
        """Runs of the reference that passed every F-point."""
        return sum(proof.holds for proof in self.proofs_of(ProofKind.REFERENCE))

    @property
    def wrong_held(self) -> int:
        """Wrong patches that failed every F-point that they are made to fail."""
        return sum(proof.holds for proof in self.proofs_of(ProofKind.WRONG))

    @property
    def base_completed(self) -> bool:
        """Whether the unchanged base completed the task in a run."""
        proofs = self.proofs_of(ProofKind.BASE)
        return any(each.verdicts and all(each.verdicts.values()) for each in proofs)

    @property
    def reference_completed(self) -> bool:
        """Whether the reference completed the task every time, and often enough."""
        proofs = self.proofs_of(ProofKind.REFERENCE)
        enough = self.reference_held >= REFERENCE_RUNS_NEEDED
        return enough and all(each.holds for each in proofs)

    @property
    def flaky_points(self) -> list[str]:
        """F-points on which two runs of the same thing disagree."""
        found: set[str] = set()
        for kind in (ProofKind.BASE, ProofKind.REFERENCE):
            proofs = self.proofs_of(kind)
            names = {name for proof in proofs for name in proof.verdicts}
            found |= {
                name
                for name in names
                if len({proof.verdicts.get(name) for proof in proofs}) > 1
            }
        return sorted(found)

    @property
    def approved(self) -> bool:
        return len(self.approvals) >= APPROVALS_NEEDED and not self.refusals

    @property
    def proved(self) -> bool:
        return not self.lacking_proofs()

    def missing(self) -> list[str]:
        """What keeps the task out, in sentences; empty if nothing does."""
        return [*self.lacking_approvals(), *self.lacking_proofs()]

    def lacking_approvals(self) -> list[str]:
        found = [
            _("%(curator)s refused it: %(reason)s")
            % {"curator": each.curator, "reason": each.reason}
            for each in self.refusals
        ]
        if len(self.approvals) < APPROVALS_NEEDED:
            found.append(
                ngettext(
                    "approved by %(given)s of %(needed)s curator",
                    "approved by %(given)s of %(needed)s curators",
                    APPROVALS_NEEDED,
                )
                % {"given": len(self.approvals), "needed": APPROVALS_NEEDED}
            )
        return found

    def lacking_proofs(self) -> list[str]:
        found = [
            _("%(kind)s, run %(run)s: %(found)s")
            % {
                "kind": proof.get_kind_display(),
                "run": proof.run_number,
                "found": proof_told(proof.found),
            }
            for proof in self.proofs
            if not proof.holds
        ]
        if self.flaky_points:
            points = ", ".join(self.flaky_points)
            found.append(_("flaky: runs disagree on %(points)s") % {"points": points})
        for kind, held, needed in (
            (ProofKind.BASE, self.base_held, BASE_RUNS_NEEDED),
            (ProofKind.REFERENCE, self.reference_held, REFERENCE_RUNS_NEEDED),
            (ProofKind.WRONG, self.wrong_held, len(self.task.wrong_patches)),
        ):
            if held < needed:
                found.append(
                    _("%(kind)s: proved in %(held)s of %(needed)s runs")
                    % {"kind": kind.label, "held": held, "needed": needed}
                )
        return found


def task_states(snapshot: EvaluationSnapshot) -> list[TaskState]:
    """The state of every task, in the order of the catalogue; three queries."""
    tasks = list(snapshot.tasks.all())
    digests = {task.digest for task in tasks if task.digest}
    standing = _standing_verdicts(digests, until=snapshot.opened_at)
    proofs: dict[int, list[TaskProof]] = {}
    rows = TaskProof.objects.filter(task__snapshot=snapshot, set_aside="")
    for proof in rows.order_by("kind", "pk"):
        proofs.setdefault(proof.task_id, []).append(proof)
    return [
        TaskState(
            task=task,
            approvals=_of(standing, task, Opinion.APPROVED),
            refusals=_of(standing, task, Opinion.REFUSED),
            proofs=[p for p in proofs.get(task.pk, ()) if p.digest == task.digest],
        )
        for task in tasks
    ]


def missing_for(states: Sequence[TaskState]) -> list[str]:
    """What the tasks lack, one sentence a fault, with the task in front."""
    return [f"{each.task.slug}: {fault}" for each in states for fault in each.missing()]


def _standing_verdicts(
    digests: set[str], *, until: datetime | None
) -> dict[tuple[str, str], dict[str, CuratorVerdict]]:
    """The last word of each curator up to ``until``, by task and digest."""
    found: dict[tuple[str, str], dict[str, CuratorVerdict]] = {}
    verdicts = CuratorVerdict.objects.filter(digest__in=digests)
    if until is not None:
        verdicts = verdicts.filter(at__lte=until)
    for verdict in verdicts.order_by("pk"):
        place = (verdict.slug, verdict.digest)
        found.setdefault(place, {})[verdict.curator.casefold()] = verdict
    return found


def _of(
    standing: dict[tuple[str, str], dict[str, CuratorVerdict]],
    task: Task,
    opinion: Opinion,
) -> list[CuratorVerdict]:
    words = standing.get((task.slug, task.digest), {})
    return [each for each in words.values() if each.opinion == opinion]
