"""Signing up and in, and what belongs to an account. Only what is used has a URL.

The pages are django-allauth's under its own names, which its code looks up; ``login``
and ``logout`` are second names of the same addresses.
"""

from __future__ import annotations

from allauth.account import views as account
from allauth.mfa.base import views as two_factor
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as totp
from allauth.socialaccount import views as social
from allauth.urls import build_provider_urlpatterns
from csp.decorators import csp_update
from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path, re_path

from submissions.views import notifications, teams, tokens, webhooks
from submissions.views.account import overview

# A browser applies form-action to where a form's answer sends it, too.
_to_providers = csp_update({"form-action": settings.OHB_PROVIDER_ORIGINS})

_password_reset: list[URLPattern | URLResolver] = [
    path("", account.password_reset, name="account_reset_password"),
    path("done/", account.password_reset_done, name="account_reset_password_done"),
    re_path(
        r"^key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        account.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path(
        "key/done/",
        account.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
]

_two_factor: list[URLPattern | URLResolver] = [
    path("", two_factor.index, name="mfa_index"),
    path("authenticate/", two_factor.authenticate, name="mfa_authenticate"),
    path("reauthenticate/", two_factor.reauthenticate, name="mfa_reauthenticate"),
    path("totp/activate/", totp.activate_totp, name="mfa_activate_totp"),
    path("totp/deactivate/", totp.deactivate_totp, name="mfa_deactivate_totp"),
    path("codes/", codes.view_recovery_codes, name="mfa_view_recovery_codes"),
    path(
        "codes/generate/",
        codes.generate_recovery_codes,
        name="mfa_generate_recovery_codes",
    ),
    path(
        "codes/download/",
        codes.download_recovery_codes,
        name="mfa_download_recovery_codes",
    ),
]

_reauthenticate: list[URLPattern | URLResolver] = [
    path("", account.reauthenticate, name="account_reauthenticate"),
    path(
        "code/",
        account.request_reauthentication_code,
        name="account_request_reauthentication_code",
    ),
    path(
        "code/confirm/",
        account.confirm_reauthentication_code,
        name="account_confirm_reauthentication_code",
    ),
]

_providers: list[URLPattern | URLResolver] = [
    path("", _to_providers(social.connections), name="socialaccount_connections"),
    path("signup/", social.signup, name="socialaccount_signup"),
    path(
        "cancelled/",
        social.login_cancelled,
        name="socialaccount_login_cancelled",
    ),
    path("error/", social.login_error, name="socialaccount_login_error"),
    *build_provider_urlpatterns(),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("login/", _to_providers(account.login), name="account_login"),
    path("login/", _to_providers(account.login), name="login"),
    path("logout/", account.logout, name="account_logout"),
    path("logout/", account.logout, name="logout"),
    path("signup/", _to_providers(account.signup), name="account_signup"),
    path("account/", overview, name="account"),
    path("account/tokens/", tokens.token_list, name="token-list"),
    path("account/tokens/revoke/", tokens.revoke, name="token-revoke"),
    path("account/notifications/", notifications.notifications, name="notifications"),
    path("account/webhooks/", webhooks.webhook_list, name="webhook-list"),
    path("account/webhooks/<uuid:hook>/", webhooks.webhook, name="webhook"),
    path("account/webhooks/<uuid:hook>/test/", webhooks.test, name="webhook-test"),
    path(
        "account/webhooks/<uuid:hook>/revoke/", webhooks.revoke, name="webhook-revoke"
    ),
    path("teams/", teams.team_list, name="team-list"),
    path("join/<str:invitation>/", teams.join, name="team-join"),
    path("teams/<slug:slug>/", teams.team, name="team"),
    path("teams/<slug:slug>/invitation/", teams.invitation, name="team-invitation"),
    path("teams/<slug:slug>/leave/", teams.leave, name="team-leave"),
    path("teams/<slug:slug>/member/", teams.member, name="team-member"),
    path("account/inactive/", account.account_inactive, name="account_inactive"),
    path("account/email/", account.email, name="account_email"),
    path(
        "account/email/sent/",
        account.email_verification_sent,
        name="account_email_verification_sent",
    ),
    path(
        "account/email/confirm/<str:key>/",
        account.confirm_email,
        name="account_confirm_email",
    ),
    path(
        "account/password/change/",
        account.password_change,
        name="account_change_password",
    ),
    path("account/password/set/", account.password_set, name="account_set_password"),
    path("account/password/reset/", include(_password_reset)),
    path("account/reauthenticate/", include(_reauthenticate)),
    path("account/two-factor/", include(_two_factor)),
]
if settings.SOCIALACCOUNT_PROVIDERS:
    urlpatterns.append(path("account/providers/", include(_providers)))
