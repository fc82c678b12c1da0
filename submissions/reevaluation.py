"""Old submissions on another snapshot: evaluated beside the old rows, never over them.

Submitted patches were made by an agent that read certain statements and changed
certain base projects. Only a snapshot that has the same ones can take them; its checks,
scripts, SDK, toolchain and device may be others, which is what such an evaluation
shows. Of a configuration no work was submitted: its agent runs anew, on whatever tasks
there are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _
from pydantic import ValidationError

from evaluator.errors import NotPossibleError
from evaluator.models import AgentKind
from evaluator.offers import known_offers
from evaluator.services import UnitInput, start_evaluation
from leaderboard.models import (
    UNLISTED,
    Evaluation,
    EvaluationSnapshot,
    Provenance,
    Task,
    record,
)
from leaderboard.sentences import told
from submissions.acceptance import comparability_key_of, inputs_of, offer_of
from submissions.comparability import compare_with_snapshot
from submissions.followups import (
    linked_submission,
    note_event,
    original_of,
    require_nothing_runs,
    submitted_units,
)
from submissions.intake import takes_untrusted
from submissions.manifest import Manifest
from submissions.models import Submission
from submissions.offers import offer_findings
from submissions.review.decisions import require_maintainer
from submissions.sentences.records import REEVALUATED, REEVALUATION_OF
from submissions.snapshot_facts import facts_of

_NAMED = 5


def reevaluate(
    submission: Submission, snapshot: EvaluationSnapshot, *, by: User, reason: str
) -> Submission:
    """Evaluate what was submitted once more, on ``snapshot``: a maintainer's act.

    The agent of a configuration runs anew. The new submission stays with the submitter,
    counts for no quota, is linked to the original, and waits for a review of its own.
    Nothing of the old one changes. Raises ``NotPossibleError`` with a sentence that
    names all that is in the way.
    """
    require_maintainer(by)
    if not reason.strip():
        raise NotPossibleError(_("Give a reason; it is shown to the public."))
    with transaction.atomic():
        original = Submission.objects.select_for_update().get(
            pk=original_of(submission).pk
        )
        _require_snapshot(original, snapshot)
        require_nothing_runs(original)
        if not original.trusted and not takes_untrusted():
            raise NotPossibleError(
                _("This installation has no working sandbox, so it runs no such code.")
            )
        manifest = _manifest_on(original, snapshot)
        work = _work_for(original, snapshot, manifest)
        return _start(
            original, snapshot, manifest=manifest, work=work, by=by, reason=reason
        )


def changed_inputs(before: Iterable[Task], after: Iterable[Task]) -> list[str]:
    """Tasks of ``after`` that agents of ``before`` were not given as they are now."""
    given = {task.slug: _input(task) for task in before}
    return [task.slug for task in after if given.get(task.slug) != _input(task)]


def _input(task: Task) -> tuple[object, ...]:
    return task.statement, task.base_digest, task.bundle_name, task.build_paths


def _require_snapshot(original: Submission, snapshot: EvaluationSnapshot) -> None:
    if snapshot.status in UNLISTED:
        raise NotPossibleError(
            _("The snapshot was not opened yet; nothing is evaluated on it.")
        )
    if snapshot.benchmark_id != original.snapshot.benchmark_id:
        raise NotPossibleError(_("The snapshot belongs to another benchmark."))
    on_it = [original, *original.reruns.all()]
    if any(each.snapshot_id == snapshot.pk for each in on_it):
        raise NotPossibleError(
            _(
                "The files were evaluated on this snapshot already; run that "
                "submission again instead."
            )
        )
    if snapshot.run_count != original.evaluation.run_count:
        raise NotPossibleError(
            _("The snapshot asks for %(theirs)s runs; %(mine)s were submitted.")
            % {"theirs": snapshot.run_count, "mine": original.evaluation.run_count}
        )


def _manifest_on(original: Submission, snapshot: EvaluationSnapshot) -> Manifest:
    """What was stated, but for what the other snapshot sets by being another."""
    try:
        stated = Manifest.model_validate_json(json.dumps(original.manifest))
    except ValidationError:
        raise NotPossibleError(
            _("Its manifest is of a version of the format that is not read any more.")
        ) from None
    return stated.model_copy(
        update={
            "benchmark_version": snapshot.version,
            "task_snapshot_date": snapshot.task_snapshot_date,
            "evaluation_scripts": snapshot.evaluation_scripts,
        }
    )


def _work_for(
    original: Submission, snapshot: EvaluationSnapshot, manifest: Manifest
) -> dict[str, Any]:
    """What is done there, as arguments of ``start_evaluation``."""
    if manifest.mode == "configuration":
        _require_offer(manifest, snapshot)
        return {"agent": AgentKind.CONFIGURED, "inputs": inputs_of(manifest)}
    _require_inputs(original, snapshot)
    return {"units": _units_for(original, snapshot)}


def _require_offer(manifest: Manifest, snapshot: EvaluationSnapshot) -> None:
    wanted = offer_of(manifest)
    findings = list(offer_findings(wanted, known_offers(), snapshot=snapshot))
    if findings:
        found = " ".join(f"{told(each.saw)}. {told(each.fix)}" for each in findings)
        raise NotPossibleError(
            _("Its agent cannot be run anew on this snapshot: %(found)s")
            % {"found": found}
        )


def _require_inputs(original: Submission, snapshot: EvaluationSnapshot) -> None:
    changed = changed_inputs(original.snapshot.tasks.all(), snapshot.tasks.all())
    if changed:
        rest = len(changed) - _NAMED
        names = ", ".join(changed[:_NAMED]) + (f" (+{rest})" if rest > 0 else "")
        raise NotPossibleError(
            _(
                "The patches do not belong to these tasks of the snapshot, whose "
                "statement or base project is another: %(names)s."
            )
            % {"names": names}
        )


def _units_for(original: Submission, snapshot: EvaluationSnapshot) -> list[UnitInput]:
    """What was submitted for the tasks that the snapshot still has."""
    slugs = set(snapshot.tasks.values_list("slug", flat=True))
    return [
        unit for unit in submitted_units(original.evaluation) if unit.task_slug in slugs
    ]


def _start(
    original: Submission,
    snapshot: EvaluationSnapshot,
    *,
    manifest: Manifest,
    work: dict[str, Any],
    by: User,
    reason: str,
) -> Submission:
    first: Evaluation = original.evaluation
    evaluation = start_evaluation(
        snapshot=snapshot,
        configuration=first.configuration,
        provenance=Provenance.OFFICIAL,
        run_count=first.run_count,
        trusted=original.trusted,
        comparability_key=comparability_key_of(manifest, snapshot),
        **work,
        differing_fields=compare_with_snapshot(manifest, facts_of(snapshot)),
    )
    again = linked_submission(
        original,
        evaluation,
        owner=original.user,
        by=by,
        snapshot=snapshot,
        manifest=manifest.model_dump(mode="json"),
    )
    words = {"snapshot": snapshot, "reason": reason}
    of_first = REEVALUATION_OF(submission=original.pk, **words)
    note_event(again, by, of_first, first=True)
    note_event(original, by, REEVALUATED(submission=again.pk, **words))
    facts = {"evaluation": evaluation.pk, "snapshot": str(snapshot)}
    record("re-evaluate", first, by=by, reason=reason, after=facts)
    before = {"evaluation": first.pk, "snapshot": str(original.snapshot)}
    record("re-evaluate", evaluation, by=by, reason=reason, before=before)
    return again
