"""How many submissions a person and a team may still make.

Two limits hold for both: submissions in a calendar month, and evaluations at a time.
A person's count has all their submissions in it, a team's those of all its members.
What costs nothing is said by ``SubmissionQuerySet.costing``; maintainers have no limit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone

from submissions.findings import Code, Finding
from submissions.models import Submission, SubmissionQuerySet, Team


@dataclass(frozen=True, slots=True)
class Quota:
    """What one person or ``team`` has used; ``resets_at`` has the zone of the site."""

    team: Team | None
    limit: int
    used: int
    resets_at: datetime
    running_limit: int
    running: int

    @property
    def left(self) -> int:
        """Submissions that may still be made this month; never below 0."""
        return max(0, self.limit - self.used)

    @property
    def reset_text(self) -> str:
        """When the count begins anew, with its zone: ``2026-12-01 00:00 UTC``."""
        return f"{self.resets_at:%Y-%m-%d %H:%M %Z}"


def is_unlimited(user: User) -> bool:
    return user.is_staff


def quota_of(user: User) -> Quota:
    return _quota(Submission.objects.filter(user=user.pk), None)


def quota_of_team(team: Team) -> Quota:
    return _quota(Submission.objects.filter(team=team), team)


def quotas_of(user: User) -> list[Quota]:
    """The person's own, then that of each team."""
    teams = Team.objects.of(user)
    return [quota_of(user), *(quota_of_team(team) for team in teams)]


def lock(user: User, team: Team | None) -> None:
    """Make others wait who submit for the same person or team; in a transaction.

    The person comes first everywhere, so that two of a team cannot wait in a circle.
    """
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if team is not None:
        Team.objects.select_for_update(no_key=True).get(pk=team.pk)


def refusals(user: User, team: Team | None) -> list[Finding]:
    """What speaks against another submission now; nothing for maintainers."""
    if is_unlimited(user):
        return []
    quotas = [quota_of(user)]
    if team is not None:
        quotas.append(quota_of_team(team))
    return list(_exceeded(quotas))


def _quota(submissions: SubmissionQuerySet, team: Team | None) -> Quota:
    now = timezone.localtime()
    month = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    following = (month.year, month.month + 1) if month.month < 12 else (now.year + 1, 1)
    counted = submissions.costing()
    return Quota(
        team=team,
        limit=settings.OHB_QUOTA_PER_MONTH,
        used=counted.filter(created_at__gte=month).count(),
        resets_at=month.replace(year=following[0], month=following[1]),
        running_limit=settings.OHB_RUNNING_LIMIT,
        running=counted.running().count(),
    )


def _exceeded(quotas: Sequence[Quota]) -> Iterator[Finding]:
    for quota in quotas:
        whose = f"the quota of team {quota.team}" if quota.team else "your quota"
        if not quota.left:
            yield Finding(
                Code.QUOTA_MONTH,
                whose,
                f"{quota.used} of {quota.limit} submissions of this month are used",
                f"Submit again from {quota.reset_text} on. Checks are never counted.",
            )
        if quota.running >= quota.running_limit:
            yield Finding(
                Code.QUOTA_RUNNING,
                whose,
                f"{quota.running} of {quota.running_limit} evaluations are running",
                "Wait until one is finished, or cancel it.",
            )
