"""Mail to one person, in their language: the channel ``email`` of the outbox."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.models import OutboxMessage
from leaderboard.plain_text import visible
from submissions.models import Submission
from submissions.notices.about import About, about
from submissions.notices.kinds import FOR_MAINTAINERS, FOR_SUBMITTERS, Kind, Notice
from submissions.notices.preferences import preference_of, wants
from submissions.notices.recipients import submitters


def send(message: OutboxMessage) -> str:
    """Send one mail; whoever no longer wants it, or may not read it, gets none.

    The ``Message-ID`` follows from the key: a second copy is dropped by most servers,
    and shown as the same by most readers of mail.
    """
    user = get_user_model().objects.filter(pk=message.target, is_active=True).first()
    to = address_of(user) if user is not None else ""
    if user is None or not to:
        return "not sent: no active user with a verified address"
    subject = about(message)
    notice = _notice_for(user, subject)
    if notice is None:
        return "not sent: not for this person any more"
    host = urlsplit(settings.PUBLIC_URL).hostname or "localhost"
    with translation.override(preference_of(user).language):
        EmailMessage(
            subject=_subject(notice, subject),
            body=_body(notice, subject),
            to=[to],
            headers={
                "Message-ID": f"<{message.public_id}@{host}>",
                "Auto-Submitted": "auto-generated",
            },
        ).send()
    return "sent"


def address_of(user: User) -> str:
    """The verified address; accounts made by the operator may have one without proof.

    Empty where there is none.
    """
    known = EmailAddress.objects.filter(user=user).order_by("-primary", "pk")
    if not known.exists():
        return user.email
    verified = known.filter(verified=True).first()
    return verified.email if verified is not None else ""


def _notice_for(user: User, subject: About) -> Notice | None:
    """How ``user`` is told of it now, as a submitter or as a maintainer."""
    mine = submitters(subject).filter(pk=user.pk).exists()
    as_submitter = FOR_SUBMITTERS.get(subject.kind) if mine else None
    as_maintainer = FOR_MAINTAINERS.get(subject.kind) if user.is_staff else None
    for notice in (as_submitter, as_maintainer):
        if notice is not None and wants(user, notice.group):
            return notice
    return None


def _subject(notice: Notice, subject: About) -> str:
    told = f"{notice.subject}: {subject.name}" if subject.name else notice.subject
    return f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{told}"


def _body(notice: Notice, subject: About) -> str:
    """Plain text: what happened, to what, what was written, where to look."""
    parts = [str(notice.sentence)]
    if subject.submission is not None:
        parts.append(_facts(subject.submission, subject.name))
    elif subject.name:
        parts.append(subject.name)
    if subject.kind == Kind.REFUSED:
        parts.append(_errors(subject.data))
    if subject.text:
        parts.append(_quoted(subject.text))
    parts.append(subject.url)
    settings_url = f"{settings.PUBLIC_URL}{reverse('notifications')}"
    parts.append(
        "-- \n"
        + _("You get this because of your account. Choose what you get: %(url)s")
        % {"url": settings_url}
    )
    return "\n\n".join(parts) + "\n"


def _facts(submission: Submission, name: str) -> str:
    rows = [
        (_("Configuration"), name),
        (_("Snapshot"), str(submission.snapshot)),
        (_("State"), str(submission.shown_state.label)),
        (_("Identifier"), str(submission.pk)),
    ]
    return "\n".join(f"{label}: {value}" for label, value in rows)


def _errors(data: dict[str, Any]) -> str:
    listed, count = data["errors"], int(data["error_count"])
    head = ngettext("%(count)s error:", "%(count)s errors:", count) % {"count": count}
    lines = [head]
    for error in listed:
        lines.append(f"* {visible(error['where'])}: {visible(error['saw'])}")
        lines.append(f"  {visible(error['fix'])}")
    if count > len(listed):
        lines.append("…")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    """What somebody wrote, marked as such line by line."""
    return "\n".join(f"> {visible(line)}" for line in text.splitlines())
