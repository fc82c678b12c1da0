"""The release of hidden files: from then on everybody may read them."""

from __future__ import annotations

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.curation.errors import CurationError
from leaderboard.models import UNLISTED, EvaluationSnapshot, record


def why_not_released(snapshot: EvaluationSnapshot) -> list[str]:
    """What forbids the release now, in sentences."""
    if snapshot.artifacts_released_at is not None:
        return [_("The hidden files are public already.")]
    if snapshot.status in UNLISTED:
        return [_("The snapshot is not open yet.")]
    if not snapshot.package_path:
        return [_("Its tasks are not held here.")]
    return []


def release_artifacts(
    snapshot: EvaluationSnapshot, *, by: AbstractBaseUser | None, reason: str
) -> None:
    """Make checks and references public, for good; raises CurationError."""
    with transaction.atomic():
        found = EvaluationSnapshot.objects.select_for_update().get(pk=snapshot.pk)
        reasons = why_not_released(found)
        if not reason.strip():
            reasons.append(_("Give a reason; it stays on record."))
        if reasons:
            raise CurationError("\n".join(reasons))
        found.artifacts_released_at = timezone.now()
        found.save(update_fields=["artifacts_released_at"])
        record("release artifacts", found, by=by, reason=reason)
    snapshot.refresh_from_db()
