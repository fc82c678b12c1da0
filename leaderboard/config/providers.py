"""Signing in through GitHub or OpenID Connect, each where its client is named."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured


@dataclass(slots=True)
class Providers:
    """Settings that follow from the configured providers; empty without any.

    ``origins`` are where the browser is sent to sign in.
    """

    apps: list[str] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    origins: list[str] = field(default_factory=list)


def providers(
    *, github: tuple[str, str], oidc: tuple[str, str], oidc_url: str, oidc_name: str
) -> Providers:
    """``github`` and ``oidc`` are pairs of client id and secret."""
    found = Providers()
    if _is_configured("OHB_GITHUB", *github):
        found.apps.append("allauth.socialaccount.providers.github")
        found.origins.append("https://github.com")
        found.settings["github"] = {
            "APPS": [{"client_id": github[0], "secret": github[1]}],
            "SCOPE": ["read:user", "user:email"],
        }
    if _is_configured("OHB_OIDC", *oidc):
        origin = urlsplit(oidc_url)
        if origin.scheme not in {"https", "http"} or not origin.hostname:
            raise ImproperlyConfigured(
                f"OHB_OIDC_URL is {oidc_url!r}. Give the address of the provider, "
                "such as https://login.example.org/realms/bench."
            )
        found.apps.append("allauth.socialaccount.providers.openid_connect")
        found.origins.append(f"{origin.scheme}://{origin.netloc}")
        found.settings["openid_connect"] = {
            "OAUTH_PKCE_ENABLED": True,
            "APPS": [
                {
                    "provider_id": "oidc",
                    "name": oidc_name,
                    "client_id": oidc[0],
                    "secret": oidc[1],
                    "settings": {"server_url": oidc_url},
                }
            ],
        }
    return found


def _is_configured(name: str, client_id: str, secret: str) -> bool:
    if bool(client_id) != bool(secret):
        raise ImproperlyConfigured(
            f"{name}_CLIENT_ID and {name}_SECRET go together. Set both, or neither."
        )
    return bool(client_id)
