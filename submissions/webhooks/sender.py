"""The channel ``webhook`` of the outbox: one signed POST. Runs in workers alone."""

from __future__ import annotations

import json
import time

from django.conf import settings

from leaderboard import __version__
from leaderboard.models import OutboxMessage
from leaderboard.outbox import NotDeliveredError
from submissions.accounts.sealing import unseal
from submissions.models import Submission, Webhook
from submissions.webhooks.addresses import TargetError, target_of
from submissions.webhooks.client import post
from submissions.webhooks.signing import signature

PURPOSE = "webhooks"


def send(message: OutboxMessage) -> str:
    """Send one message; what was revoked or is no longer its owner's gets none."""
    if not settings.OHB_WEBHOOKS:
        return "not sent: webhooks are switched off"
    hook = Webhook.objects.select_related("user").filter(pk=message.target).first()
    if hook is None:
        return "not sent: revoked"
    if not _may_tell(hook, message):
        return "not sent: it belongs to somebody else now"
    body = json.dumps(message.data, ensure_ascii=False, sort_keys=True).encode()
    timestamp = int(time.time())
    signed = signature(
        unseal(hook.sealed_secret, purpose=PURPOSE),
        message_id=message.public_id,
        timestamp=timestamp,
        body=body,
    )
    try:
        target = target_of(hook.url)
    except TargetError as error:
        raise NotDeliveredError(f"not sent: {error}") from None
    status = post(
        target,
        body,
        {
            "Content-Type": "application/json",
            "User-Agent": f"openharmony-bench/{__version__}",
            "Idempotency-Key": message.public_id,
            "webhook-id": message.public_id,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": signed,
        },
    )
    return f"answered {status}"


def _may_tell(hook: Webhook, message: OutboxMessage) -> bool:
    """Whether the owner may still read what it is about."""
    if hook.user is not None and not hook.user.is_active:
        return False
    about = message.data.get("submission")
    if about is None:
        return True
    mine = Submission.objects.filter(pk=about["id"])
    if hook.team_id is not None:
        return mine.filter(team=hook.team_id).exists()
    return mine.filter(user=hook.user_id, team=None).exists()
