"""Pages of accounts, teams and tokens in a real browser."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from django.core.cache import cache
from django.utils import timezone
from playwright.sync_api import Browser, Page

from leaderboard.models import MessageState, OutboxMessage
from submissions.models import Webhook
from tests.e2e.test_browser import (
    violations,
)
from tests.factories import PASSWORD, TeamFactory, UserFactory
from tests.tokens import token_for

pytestmark = [pytest.mark.browser]
HOOK = UUID("22222222-2222-4222-8222-222222222222")
OUTSIDE = ["/login/", "/signup/", "/account/password/reset/"]
INSIDE = [
    "/account/",
    "/account/tokens/",
    "/account/notifications/",
    "/account/webhooks/",
    f"/account/webhooks/{HOOK}/",
    "/account/email/",
    "/account/password/change/",
    "/account/two-factor/",
    "/account/two-factor/totp/activate/",
    "/teams/",
    "/teams/blue-herons/",
    "/submit/",
]


@pytest.fixture
def ada(committed_db) -> Any:
    cache.clear()
    user = UserFactory(username="ada", email="")
    TeamFactory(
        name="Blue Herons", slug="blue-herons", owner=user, members=[UserFactory()]
    )
    token_for(user)
    Webhook.objects.create(pk=HOOK, user=user, url="https://ci.example.org/" + "x" * 80)
    for place, state in enumerate(MessageState):
        OutboxMessage.objects.create(
            key=f"evaluation.scored/{place}",
            channel="webhook",
            kind="evaluation.scored",
            target=str(HOOK),
            state=state,
            lease_until=timezone.now() if state == MessageState.SENDING else None,
            last_error="answered 503: " + "busy " * 20,
            available_at=timezone.now(),
            created_at=timezone.now(),
        )
    return user


def sign_in(page: Page, url: str) -> None:
    page.goto(f"{url}/login/")
    page.fill("#id_login", "ada")
    page.fill("#id_password", PASSWORD)
    page.press("#id_password", "Enter")
    page.wait_for_url("**/submissions/")


@pytest.mark.parametrize(
    ("width", "prefix", "theme"),
    [(1280, "", "light"), (390, "/zh-hans", "dark"), (320, "", "dark")],
)
def test_pages_of_accounts_are_accessible_and_fit(
    browser: Browser,
    live_server,
    ada,
    width,
    prefix,
    theme,
):
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=theme
    )
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "console",
        lambda message: (
            errors.append(message.text)
            if message.type in {"error", "warning"}
            else None
        ),
    )
    for path in [*OUTSIDE, *INSIDE]:
        if path == INSIDE[0]:
            sign_in(page, live_server.url)
        page.goto(f"{live_server.url}{prefix}{path}")
        assert page.url.endswith(path)
        assert violations(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    context.close()

    assert errors == []


def test_a_token_is_made_with_the_keyboard_alone(
    browser: Browser,
    live_server,
    ada,
):
    context = browser.new_context()
    page = context.new_page()
    sign_in(page, live_server.url)
    page.goto(f"{live_server.url}/account/tokens/")

    page.focus("#id_name")
    page.keyboard.type("laptop")
    page.keyboard.press("Enter")

    page.wait_for_selector("code.token")
    assert page.inner_text("code.token").startswith("ohb_")
    context.close()
