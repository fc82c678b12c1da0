"""Looks through a submission and keeps what the rules saw.

Begun after acceptance and again after scoring, in the background; evaluations neither
wait for it nor end with it. Doing it twice gives the same rows.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from submissions.integrity.catalogue import RULES, Code
from submissions.integrity.looking import Found, found_in
from submissions.models import (
    IntegrityScan,
    IntegritySignal,
    Severity,
    Submission,
    SubmissionQuerySet,
)

logger = logging.getLogger(__name__)

# A scan that has not ended by then has died with its process.
GIVEN_UP_AFTER = timedelta(minutes=30)
MOST_TRIES = 3
_SEVERITIES = {
    Code.PATCH_REFUSED: Severity.REFUSE,
    Code.PATCH_RESTORED: Severity.RESTORE,
}


def due() -> SubmissionQuerySet:
    """Submissions that nobody has looked through as things stand, the oldest first."""
    dead = timezone.now() - GIVEN_UP_AFTER
    scan = "integrity_scan"
    outdated = Q(**{f"{scan}__rules__lt": RULES}) | Q(
        **{f"{scan}__scored": False, "evaluation__scored_at__isnull": False}
    )
    unfinished = Q(**{f"{scan}__finished_at": None})
    again = unfinished & Q(
        **{f"{scan}__started_at__lt": dead, f"{scan}__tries__lt": MOST_TRIES}
    )
    return Submission.objects.filter(
        Q(**{scan: None}) | (outdated & ~unfinished) | again
    ).order_by("created_at")


def look_at(submission: Submission) -> IntegrityScan | None:
    """Look through a submission; None while another process is at it.

    Trouble of ours ends in the scan's row and in the log, not in an exception.
    """
    scan = _begin(submission)
    if scan is None:
        return None
    try:
        looked_at: Counter[str] = Counter()
        found = list(found_in(submission, looked_at))
    except Exception as error:
        logger.exception("submission %s could not be looked through", submission.pk)
        IntegrityScan.objects.filter(pk=scan.pk, started_at=scan.started_at).update(
            trouble=f"{type(error).__name__}: {error}"[:500]
        )
    else:
        _keep(scan, found, looked_at)
    scan.refresh_from_db()
    return scan


def _begin(submission: Submission) -> IntegrityScan | None:
    now = timezone.now()
    with transaction.atomic():
        evaluation = submission.evaluation
        evaluation.refresh_from_db(fields=["scored_at"])
        scored = evaluation.scored_at is not None
        scan, created = IntegrityScan.objects.select_for_update().get_or_create(
            submission=submission,
            defaults={"rules": RULES, "started_at": now, "scored": scored},
        )
        if not created and _is_at_work(scan, now):
            return None
        news = scan.finished_at is not None or scan.scored != scored
        scan.tries = 1 if created or news else scan.tries + 1
        scan.rules, scan.scored, scan.started_at = RULES, scored, now
        scan.finished_at, scan.trouble = None, ""
        scan.save()
    return scan


def _is_at_work(scan: IntegrityScan, now: datetime) -> bool:
    return (
        scan.finished_at is None
        and not scan.trouble
        and scan.started_at > now - GIVEN_UP_AFTER
    )


def _keep(
    scan: IntegrityScan, found: Iterable[Found], looked_at: Mapping[str, int]
) -> None:
    """Write the rows, unless a later scan has begun meanwhile."""
    with transaction.atomic():
        same = IntegrityScan.objects.select_for_update().filter(
            pk=scan.pk, started_at=scan.started_at
        )
        if not same.exists():
            return
        rows = {each.fingerprint: _row(scan, each) for each in found}
        old = IntegritySignal.objects.filter(submission=scan.submission_id)
        gone = old.exclude(fingerprint__in=list(rows))
        gone.filter(verdicts=None).delete()
        gone.update(current=False)
        IntegritySignal.objects.bulk_create(
            rows.values(),
            update_conflicts=True,
            unique_fields=["submission", "fingerprint"],
            update_fields=["severity", "score", "occurrences", "current", "twin"],
        )
        same.update(finished_at=timezone.now(), looked_at=dict(looked_at))


def _row(scan: IntegrityScan, found: Found) -> IntegritySignal:
    seen = found.counted.sighting
    return IntegritySignal(
        submission_id=scan.submission_id,
        code=seen.code,
        severity=_SEVERITIES.get(seen.code, Severity.FLAG),
        score=seen.score,
        run_number=found.run,
        task=found.task,
        file=found.file,
        position=seen.position,
        occurrences=found.counted.occurrences,
        seen=seen.seen,
        twin_id=found.twin,
        fingerprint=found.fingerprint,
    )
