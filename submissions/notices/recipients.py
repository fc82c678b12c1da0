"""From an event to those who are told of it: the channel ``event`` of the outbox."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from leaderboard.models import OutboxMessage
from leaderboard.outbox import Recipient, address
from submissions.models import Webhook
from submissions.notices.about import About, about
from submissions.notices.kinds import FOR_MAINTAINERS, FOR_SUBMITTERS, Kind
from submissions.notices.preferences import wants
from submissions.webhooks.payload import payload

EMAIL = "email"
WEBHOOK = "webhook"


def expand(event: OutboxMessage) -> str:
    """Write one message for each mail and webhook; those who want none get none."""
    subject = about(event)
    found = [*_mails(subject), *_webhooks(event, subject)]
    address(event, found)
    return f"{len(found)} recipients"


def _mails(subject: About) -> Iterator[Recipient]:
    """One mail a person, though they may be both submitter and maintainer."""
    addressed = set()
    for notices, people in (
        (FOR_SUBMITTERS, submitters(subject)),
        (FOR_MAINTAINERS, maintainers()),
    ):
        notice = notices.get(subject.kind)
        if notice is None:
            continue
        for user in people:
            known = user.pk in addressed or user.pk == subject.data.get("by")
            if not known and wants(user, notice.group):
                addressed.add(user.pk)
                yield Recipient(EMAIL, str(user.pk), subject.data)


def _webhooks(event: OutboxMessage, subject: About) -> Iterator[Recipient]:
    if not settings.OHB_WEBHOOKS:
        return
    if subject.kind == Kind.TEST:
        hooks: QuerySet[Webhook] = Webhook.objects.filter(pk=subject.data["webhook"])
    elif subject.kind in FOR_SUBMITTERS:
        hooks = webhooks_of(subject)
    else:
        return
    body = payload(event, subject)
    for hook in hooks:
        yield Recipient(WEBHOOK, str(hook.pk), body)


def submitters(subject: About) -> QuerySet[User]:
    """Whose it is: the members of the team as they are now, or the one person."""
    user, team = subject.owner
    mine = Q(memberships__team=team) if team is not None else Q(pk=user)
    return _people().filter(mine)


def maintainers() -> QuerySet[User]:
    return _people().filter(is_staff=True)


def webhooks_of(subject: About) -> QuerySet[Webhook]:
    user, team = subject.owner
    if team is not None:
        return Webhook.objects.filter(team=team)
    return Webhook.objects.filter(user=user)


def _people() -> QuerySet[User]:
    return get_user_model().objects.filter(is_active=True).order_by("pk")
