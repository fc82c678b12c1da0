"""Refused uploads as problem details."""

from __future__ import annotations

from http import HTTPStatus
from math import ceil

from django.contrib.auth.models import User
from django.utils import timezone

from leaderboard.api.problems import Problem, ProblemItem
from submissions.accounts import quota
from submissions.findings import Code, Finding
from submissions.intake import Receipt


class OverQuotaError(Problem):
    """A sound bundle that may not be submitted now."""

    def __init__(self, errors: list[ProblemItem], own: quota.Quota) -> None:
        super().__init__(
            "The bundle is sound, but there is no quota left for it now. "
            "Nothing of it was stored.",
            status_code=HTTPStatus.TOO_MANY_REQUESTS,
            errors=errors,
        )
        if any(each["code"] == Code.QUOTA_MONTH for each in errors):
            # DRF makes Retry-After of it.
            self.wait = ceil((own.resets_at - timezone.now()).total_seconds())


def refused(receipt: Receipt, user: User) -> Problem:
    errors = [_item(each) for each in receipt.report.errors]
    if receipt.over_quota:
        return OverQuotaError(errors, quota.quota_of(user))
    count = len(errors)
    return Problem(
        f"The bundle has {count} {'error' if count == 1 else 'errors'}. "
        "Nothing of it was stored.",
        errors=errors,
    )


def _item(finding: Finding) -> ProblemItem:
    return {
        "code": finding.code.value,
        "where": finding.where,
        "saw": finding.saw,
        "fix": finding.fix,
    }
