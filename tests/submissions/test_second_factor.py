"""Staff sets up a second factor before anything else."""

from __future__ import annotations

import re

import pytest
from django.core import mail
from django.test import Client

from submissions.models import Scope
from tests.factories import PASSWORD, UserFactory
from tests.submissions.test_accounts import totp
from tests.tokens import api_client

pytestmark = pytest.mark.django_db
SET_UP = "/account/two-factor/totp/activate/"


@pytest.fixture(autouse=True)
def required(settings):
    settings.OHB_STAFF_SECOND_FACTOR = True


@pytest.fixture
def boss():
    return UserFactory(is_staff=True, is_superuser=True, email="")


def signed_in(user) -> Client:
    client = Client()
    client.post("/login/", {"login": user.username, "password": PASSWORD})
    return client


def set_up(client: Client) -> None:
    page = client.get(SET_UP).content.decode()
    secret = re.search(r'id="authenticator_secret" value="([A-Z2-7]+)"', page)[1]
    assert client.post(SET_UP, {"code": totp(secret)}).status_code == 302


@pytest.mark.parametrize(
    "path",
    ["/", "/admin/", "/admin/auth/user/", "/submissions/", "/submit/", "/e/1/"],
)
@pytest.mark.parametrize("method", ["get", "post"])
def test_staff_without_one_is_led_to_set_one_up(method, path, boss):
    client = signed_in(boss)

    answer = getattr(client, method)(path)

    assert (answer.status_code, answer["Location"]) == (302, SET_UP)
    page = client.get(SET_UP)
    assert page.status_code == 200
    assert "Maintainers need a second factor." in page.content.decode()


def test_with_one_everything_is_open(boss):
    client = signed_in(boss)

    set_up(client)

    assert client.get("/admin/").status_code == 200
    assert client.get("/submissions/").status_code == 200


def test_giving_it_up_closes_everything_again(boss):
    client = signed_in(boss)
    set_up(client)

    assert client.post("/account/two-factor/totp/deactivate/").status_code == 302

    assert client.get("/admin/")["Location"] == SET_UP


@pytest.mark.parametrize("path", ["/account/", "/account/two-factor/", "/healthz"])
def test_what_leads_there_stays_open(path, boss):
    assert signed_in(boss).get(path).status_code == 200


def test_staff_without_one_can_sign_out(boss):
    client = signed_in(boss)

    client.post("/logout/")

    assert client.get("/account/").status_code == 302


def test_staff_without_one_makes_no_token(boss):
    client = signed_in(boss)

    answer = client.post("/account/tokens/", {"name": "x", "scopes": ["maintain"]})

    assert answer["Location"] == SET_UP
    assert not boss.auth_token_set.exists()


def test_the_tokens_of_staff_without_one_do_not_work(boss):
    token = api_client(boss, Scope.READ)

    refused = token.get("/api/v1/submissions/")

    assert refused.status_code == 401
    assert "second factor" in refused.json()["detail"]
    set_up(signed_in(boss))
    assert token.get("/api/v1/submissions/").status_code == 200


def test_others_are_asked_for_nothing():
    user = UserFactory(email="")
    client = signed_in(user)

    assert client.get("/submissions/").status_code == 200
    assert api_client(user).get("/api/v1/submissions/").status_code == 200


def test_an_operator_may_do_without(boss, settings):
    settings.OHB_STAFF_SECOND_FACTOR = False

    assert signed_in(boss).get("/admin/").status_code == 200


def test_it_is_required_unless_the_operator_says_otherwise():
    from leaderboard.config import settings

    assert settings.OHB_STAFF_SECOND_FACTOR is True


def test_a_new_token_is_told_to_its_owner_by_mail(user):
    from allauth.account.models import EmailAddress

    EmailAddress.objects.create(
        user=user, email=user.email, verified=True, primary=True
    )
    client = signed_in(user)

    client.post(
        "/account/tokens/",
        {"name": "nightly <script>", "scopes": ["read"], "days": "30"},
    )

    (message,) = mail.outbox
    assert message.to == [user.email]
    assert "nightly <script>" in message.body
    assert "ohb_" not in message.body
