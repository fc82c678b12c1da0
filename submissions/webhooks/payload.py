"""The body of a webhook: ids, states and addresses, no results and no names of users.

Whoever wants more asks the API, with a token.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.urls import reverse
from django.utils import translation

from leaderboard.models import OutboxMessage
from submissions.models import Submission

if TYPE_CHECKING:
    from submissions.notices.about import About


def payload(event: OutboxMessage, subject: About) -> dict[str, Any]:
    """What is sent for ``event``; made once, so that every try sends the same bytes.

    States are those of the moment in which it is made.
    """
    found: dict[str, Any] = {
        "event_id": event.public_id,
        "type": event.kind,
        "created_at": event.created_at.isoformat(),
    }
    submission = subject.submission
    # Addresses in the default language, whoever runs this.
    with translation.override(settings.LANGUAGE_CODE):
        if submission is not None:
            found |= _submission(submission)
        if subject.text:
            found["text"] = subject.text
        if "errors" in subject.data:
            found["errors"] = subject.data["errors"]
            found["error_count"] = subject.data["error_count"]
    return found


def _submission(submission: Submission) -> dict[str, Any]:
    evaluation = submission.evaluation
    configuration = evaluation.configuration
    site = settings.PUBLIC_URL
    return {
        "submission": {
            "id": str(submission.pk),
            "state": submission.shown_state.value,
            "url": f"{site}{submission.get_absolute_url()}",
            "api_url": f"{site}{reverse('api-submission', args=[submission.pk])}",
            "team": submission.team.slug if submission.team else None,
        },
        "evaluation": {
            "id": evaluation.pk,
            "visibility": evaluation.shown_visibility.value,
            "url": f"{site}{evaluation.get_absolute_url()}",
        },
        "configuration": {
            "model": configuration.model,
            "provider": configuration.provider,
            "agent": configuration.agent_name,
            "agent_version": configuration.agent_version,
        },
        "snapshot": submission.snapshot.version,
    }
