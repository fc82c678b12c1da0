"""Where django-allauth behaves differently here: stages, user names, stored secrets."""

from __future__ import annotations

import base64
import hashlib

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.account.stages import EmailVerificationStage
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings
from django.contrib.auth.validators import ASCIIUsernameValidator
from django.http import HttpResponse
from django.utils.encoding import force_bytes

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


class TwoFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # untyped base
    """Keeps the secrets of authenticators encrypted: the database alone is no use."""

    def encrypt(self, text: str) -> str:
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return _cipher().decrypt(encrypted_text.encode()).decode()


def _cipher() -> MultiFernet:
    """The newest secret key encrypts; older ones in the fallbacks still decrypt."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    digests = (hashlib.sha256(b"authenticators:" + force_bytes(key)) for key in keys)
    return MultiFernet(
        [Fernet(base64.urlsafe_b64encode(each.digest())) for each in digests]
    )
