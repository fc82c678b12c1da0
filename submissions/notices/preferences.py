"""What a person wants by mail, and in which language."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import translation

from submissions.models import MailPreference
from submissions.notices.kinds import Group


def preference_of(user: User) -> MailPreference:
    """What ``user`` chose, or the defaults, which are not written down."""
    found = MailPreference.objects.filter(user=user).first()
    return found or MailPreference(user=user)


def wants(user: User, group: Group) -> bool:
    return bool(getattr(preference_of(user), group.value))


def remember_language(user: User) -> None:
    """Take the language of this request for mail, where none was chosen yet."""
    language = translation.get_language()
    if language in dict(settings.LANGUAGES):
        MailPreference.objects.get_or_create(user=user, defaults={"language": language})
