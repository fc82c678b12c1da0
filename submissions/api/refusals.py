"""Refused uploads as problem details."""

from __future__ import annotations

from http import HTTPStatus
from math import ceil

from django.contrib.auth.models import User
from django.utils import timezone

from leaderboard.api.problems import Problem, ProblemItem
from submissions.accounts import quota
from submissions.findings import Code, Finding, Report
from submissions.intake import Receipt
from submissions.models import UploadSession


class OverQuotaError(Problem):
    """A sound bundle that may not be submitted now."""

    def __init__(self, report: Report, own: quota.Quota) -> None:
        errors = [_item(each) for each in report.errors]
        super().__init__(
            "The bundle is sound, but there is no quota left for it now. "
            "No submission was made; an upload in parts waits until it expires.",
            status_code=HTTPStatus.TOO_MANY_REQUESTS,
            errors=errors,
            extensions=_warnings(report),
        )
        if any(each["code"] == Code.QUOTA_MONTH for each in errors):
            # DRF makes Retry-After of it.
            self.wait = ceil((own.resets_at - timezone.now()).total_seconds())


class UnacceptedWarningsError(Problem):
    """A sound bundle with warnings that nobody has ticked yet."""

    def __init__(self, report: Report, kept: UploadSession | None) -> None:
        count = len(report.warnings)
        again = f"upload={kept.pk}" if kept else "the same bundle"
        super().__init__(
            f"The bundle can be submitted, but it has {count} "
            f"{'warning' if count == 1 else 'warnings'} that you have not accepted.",
            status_code=HTTPStatus.UNPROCESSABLE_ENTITY,
            errors=[
                {
                    "code": Code.WARNINGS_UNACCEPTED.value,
                    "where": "accept_warnings",
                    "saw": ", ".join(sorted({each.code for each in report.warnings})),
                    "fix": f"Read the warnings. To submit all the same, send {again} "
                    "with accept_warnings=true (ohbench: --accept-warnings).",
                }
            ],
            extensions={
                **_warnings(report),
                "upload": str(kept.pk) if kept else None,
            },
        )


def refused(
    receipt: Receipt, user: User, *, kept: UploadSession | None = None
) -> Problem:
    """What stands against an upload; ``kept`` is where it waits for a tick."""
    if receipt.awaits_tick:
        return UnacceptedWarningsError(receipt.report, kept)
    if receipt.over_quota:
        return OverQuotaError(receipt.report, quota.quota_of(user))
    errors = [_item(each) for each in receipt.report.errors]
    count = len(errors)
    return Problem(
        f"The bundle has {count} {'error' if count == 1 else 'errors'}. "
        "Nothing of it was stored.",
        errors=errors,
        extensions=_warnings(receipt.report),
    )


def _warnings(report: Report) -> dict[str, list[ProblemItem]]:
    return {"warnings": [_item(each) for each in report.warnings]}


def _item(finding: Finding) -> ProblemItem:
    return {
        "code": finding.code.value,
        "where": finding.where,
        "saw": finding.saw,
        "fix": finding.fix,
    }
