"""Making, trying and revoking webhooks."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard import outbox
from leaderboard.models import OutboxMessage
from submissions.accounts.sealing import seal
from submissions.models import Team, Webhook
from submissions.notices.kinds import Kind
from submissions.notices.recipients import WEBHOOK
from submissions.webhooks.addresses import target_of
from submissions.webhooks.sender import PURPOSE
from submissions.webhooks.signing import new_secret

MOST = 5
SHOWN = 20


class WebhookError(ValueError):
    """What was asked cannot be done; the text is for people."""


def create(user: User, team: Team | None, url: str) -> tuple[Webhook, str]:
    """Make a webhook; the second value is its secret, which nobody can read again.

    That ``user`` owns ``team`` is checked by the caller. Raises ``TargetError`` when
    the URL may not be asked for.
    """
    target_of(url)
    owner = {"team": team} if team is not None else {"user_id": user.pk}
    secret = new_secret()
    with transaction.atomic():
        if Webhook.objects.filter(**owner).count() >= MOST:
            raise WebhookError(
                _("There are %(count)s webhooks already; revoke one first.")
                % {"count": MOST}
            )
        hook = Webhook.objects.create(
            **owner, url=url, sealed_secret=seal(secret, purpose=PURPOSE)
        )
    return hook, secret


def try_out(hook: Webhook) -> None:
    """Send a message that means nothing; once a minute at most, however often asked."""
    minute = timezone.now().strftime("%Y%m%d%H%M")
    with transaction.atomic():
        outbox.tell(
            Kind.TEST.value,
            key=f"{Kind.TEST.value}/{hook.pk}/{minute}",
            data={"webhook": str(hook.pk)},
        )


def deliveries_of(hook: Webhook) -> QuerySet[OutboxMessage]:
    """What it was sent lately, the newest first."""
    mine = OutboxMessage.objects.filter(channel=WEBHOOK, target=str(hook.pk))
    return mine.order_by("-created_at", "-pk")[:SHOWN]
