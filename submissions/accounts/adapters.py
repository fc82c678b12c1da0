"""Where django-allauth behaves differently here: stages, user names, stored secrets."""

from __future__ import annotations

import logging
import time
from typing import Any

from allauth.account import app_settings
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.internal.flows.login import get_authentication_records
from allauth.account.models import EmailAddress
from allauth.account.stages import EmailVerificationStage
from allauth.core.internal import ratelimit
from allauth.mfa.adapter import DefaultMFAAdapter
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.validators import ASCIIUsernameValidator
from django.http import HttpRequest, HttpResponse

from submissions.accounts.sealing import seal, unseal
from submissions.notices.preferences import remember_language

logger = logging.getLogger(__name__)

# Letters of other alphabets look alike, and names are what team mates know.
USERNAME_VALIDATORS = [ASCIIUsernameValidator()]

_STAGE = f"{EmailVerificationStage.__module__}.{EmailVerificationStage.__qualname__}"
_OWN_STAGE = f"{__name__}.AddressStage"


class AddressStage(EmailVerificationStage):  # type: ignore[misc]  # untyped base
    """Lets in only who has proved an e-mail address, or was never asked for one.

    Signing up always records an address. An account without a record was made by the
    operator (``createsuperuser``, the admin, the demo), who vouches for it.
    """

    def handle(self) -> tuple[HttpResponse | None, bool]:
        login = self.login
        if login.signup or EmailAddress.objects.filter(user=login.user).exists():
            answer: tuple[HttpResponse | None, bool] = super().handle()
            return answer
        return None, True


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # untyped base
    def get_login_stages(self) -> list[str]:
        stages: list[str] = super().get_login_stages()
        return [_OWN_STAGE if path == _STAGE else path for path in stages]

    def save_user(self, request: HttpRequest, user: User, form: Any, **kw: Any) -> User:
        """Mail comes in the language in which somebody signed up."""
        saved: User = super().save_user(request, user, form, **kw)
        if saved.pk is not None:
            remember_language(saved)
        return saved

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count the try for all names and addresses together as well.

        Many addresses that try one name each stay below every other limit. What those
        limits stop is not counted, so that one address cannot close the door for all.
        """
        super().pre_authenticate(request, **credentials)
        in_all = ratelimit.consume(
            request,
            app="allauth.account",
            action="login_failed_in_all",
            config={"login_failed_in_all": settings.OHB_FAILED_LOGINS_IN_ALL},
            key="everybody",
        )
        if not in_all:
            logger.error("Too many failed logins of all together; none is looked at.")
            raise self.validation_error("too_many_login_attempts")
        # allauth takes back what a login that works has counted.
        self._login_failed_rl_usage.usage.extend(in_all.usage)

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Not right after signing in: the password was given a moment ago."""
        required: bool = super().is_reauthentication_required(app=app, **kwargs)
        return required and not self._proved_lately()

    def _proved_lately(self) -> bool:
        oldest = time.time() - app_settings.REAUTHENTICATION_TIMEOUT
        records = get_authentication_records(self.request, self.request.user)
        return any(
            record["at"] > oldest
            and record["method"] in app_settings.REAUTHENTICATION_METHODS
            for record in records
        )


class TwoFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # untyped base
    """Keeps the secrets of authenticators encrypted: the database alone is no use."""

    def encrypt(self, text: str) -> str:
        return seal(text, purpose="authenticators")

    def decrypt(self, encrypted_text: str) -> str:
        return unseal(encrypted_text, purpose="authenticators")
