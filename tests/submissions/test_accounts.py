"""Accounts: signing up and in, second factors, limits, and what providers change."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import re
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import User
from django.core import mail
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from leaderboard.config import env
from leaderboard.config.providers import providers
from scripts.demo_data import ensure_users
from tests.factories import PASSWORD, UserFactory
from tests.migrated import migrated_database

pytestmark = pytest.mark.django_db
SIGN_UP = {
    "email": "ada@example.org",
    "username": "ada",
    "password1": "a horse of many batteries",
}


@pytest.fixture(autouse=True)
def fresh_limits():
    cache.clear()


def sign_in(client: Client, name: str, password: str = PASSWORD):
    return client.post("/login/", {"login": name, "password": password})


def is_signed_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


def link_in(message: mail.EmailMessage) -> str:
    return re.search(r"https?://[^/\s]+(/\S+)", message.body)[1]


def totp(secret: str, *, ahead: int = 0) -> str:
    """The code of RFC 6238 for now, or ``ahead`` steps later."""
    counter = struct.pack(">Q", int(time.time()) // 30 + ahead)
    digest = hmac.new(base64.b32decode(secret), counter, hashlib.sha1).digest()
    place = digest[-1] & 15
    value = struct.unpack(">I", digest[place : place + 4])[0] & 0x7FFFFFFF
    return f"{value % 10**6:06}"


def test_an_account_works_once_its_address_is_proved(client):
    answer = client.post("/signup/", SIGN_UP)

    assert answer.status_code == 302
    assert not is_signed_in(client)
    assert not is_signed_in(_after(sign_in, Client(), "ada", SIGN_UP["password1"]))
    (message, *_) = mail.outbox
    assert message.to == ["ada@example.org"]
    assert message.subject.startswith("[OpenHarmony Bench]")
    link = link_in(message)
    assert client.get(link).status_code == 200
    assert not EmailAddress.objects.get().verified
    client.post(link)
    assert EmailAddress.objects.get().verified
    assert is_signed_in(_after(sign_in, Client(), "ada", SIGN_UP["password1"]))


def _after(act, client: Client, *arguments: str) -> Client:
    act(client, *arguments)
    return client


def test_a_closed_site_takes_nobody_in(client, settings):
    settings.ACCOUNT_SIGNUP_ENABLED = False

    client.post("/signup/", SIGN_UP)

    assert not User.objects.exists()
    assert not mail.outbox


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("email", "no address"),
        ("username", "ab"),
        ("username", "аdа"),  # Cyrillic
        ("password1", "short"),
        ("password1", "password"),
    ],
)
def test_a_bad_sign_up_says_what_is_wrong_at_the_field(client, field, value):
    answer = client.post("/signup/", {**SIGN_UP, field: value})

    html = answer.content.decode()
    assert answer.status_code == 200
    assert f'id="id_{field}-about"' in html
    assert 'aria-invalid="true"' in html
    assert not User.objects.exists()


def test_a_taken_address_is_told_to_its_owner_only(client):
    owner = UserFactory(username="owner", email="ada@example.org")
    EmailAddress.objects.create(user=owner, email=owner.email, verified=True)
    fresh = Client().post("/signup/", {**SIGN_UP, "email": "other@example.org"})
    mail.outbox.clear()

    answer = client.post("/signup/", {**SIGN_UP, "username": "adb"})

    assert (answer.status_code, answer["Location"]) == (
        fresh.status_code,
        fresh["Location"],
    )
    assert User.objects.filter(email="ada@example.org").get() == owner
    assert [message.to for message in mail.outbox] == [["ada@example.org"]]


def test_name_and_address_both_sign_in(client):
    user = UserFactory()
    EmailAddress.objects.create(
        user=user, email=user.email, verified=True, primary=True
    )

    assert is_signed_in(_after(sign_in, Client(), user.username))
    assert is_signed_in(_after(sign_in, Client(), user.email))


def test_an_account_made_by_the_operator_needs_no_proof(client):
    user = UserFactory(email="")

    answer = sign_in(client, user.username)

    assert answer["Location"] == "/submissions/"
    assert is_signed_in(client)


def test_the_users_of_the_demo_sign_in():
    passwords = ensure_users()

    for name in ("demo", "maintainer"):
        assert is_signed_in(_after(sign_in, Client(), name, passwords[name]))


def test_an_unknown_name_and_a_wrong_password_get_the_same_answer(client):
    user = UserFactory()

    wrong = sign_in(Client(), user.username, "wrong")
    unknown = sign_in(Client(), "nobody-here", "wrong")

    assert _shape(wrong, user.username) == _shape(unknown, "nobody-here")


def _shape(answer, name: str) -> tuple[int, str]:
    html = answer.content.decode().replace(name, "NAME")
    return answer.status_code, re.sub(r'value="\w{64}"', "", html)


def test_guessing_a_password_is_stopped(client):
    user = UserFactory()

    answers = [sign_in(Client(), user.username, f"guess {n}") for n in range(11)]

    assert "Too many failed" in answers[-1].content.decode()
    assert "Too many failed" not in answers[9].content.decode()
    assert not is_signed_in(_after(sign_in, client, user.username))


def test_one_address_cannot_try_names_for_ever(client):
    answers = [sign_in(client, f"name-{n}", "guess") for n in range(31)]

    assert answers[-1].status_code == 429
    assert "Wait a few minutes" in answers[-1].content.decode()


def test_a_forgotten_password_is_replaced_through_the_mail(client):
    user = UserFactory()

    client.post("/account/password/reset/", {"email": user.email})
    link = link_in(mail.outbox[0])
    form = client.get(link, follow=True).request["PATH_INFO"]
    client.post(form, {"password1": "another long word", "password2": ""})
    answer = client.post(
        form, {"password1": "another long word", "password2": "another long word"}
    )

    assert answer.status_code == 302
    user.refresh_from_db()
    assert user.check_password("another long word")
    assert any("password" in message.subject.lower() for message in mail.outbox[1:])


def test_the_answer_to_a_reset_does_not_tell_whether_there_is_an_account(client):
    user = UserFactory()

    known = client.post("/account/password/reset/", {"email": user.email})
    unknown = client.post("/account/password/reset/", {"email": "no@example.org"})

    assert (known.status_code, known["Location"]) == (
        unknown.status_code,
        unknown["Location"],
    )


@pytest.fixture
def with_totp(client):
    """A user with an authenticator app; the client is theirs and signed in."""
    user = UserFactory(email="")
    sign_in(client, user.username)
    page = client.get("/account/two-factor/totp/activate/").content.decode()
    secret = re.search(r'id="authenticator_secret" value="([A-Z2-7]+)"', page)[1]
    client.post("/account/two-factor/totp/activate/", {"code": totp(secret)})
    assert user.authenticator_set.count() == 2
    return user, secret


def test_a_second_factor_is_asked_for_after_the_password(with_totp):
    user, secret = with_totp
    client = Client()

    answer = sign_in(client, user.username)
    assert answer["Location"] == "/account/two-factor/authenticate/"
    assert not is_signed_in(client)
    client.post(answer["Location"], {"code": "000000"})
    assert not is_signed_in(client)
    client.post(answer["Location"], {"code": totp(secret, ahead=1)})
    assert is_signed_in(client)


def test_a_recovery_code_stands_in_for_the_app_once(client, with_totp):
    user, _secret = with_totp
    page = client.get("/account/two-factor/codes/download/").content.decode()
    code = page.split()[0]

    for expected in (True, False):
        other = Client()
        sign_in(other, user.username)
        other.post("/account/two-factor/authenticate/", {"code": code})
        assert is_signed_in(other) is expected


def test_secrets_of_authenticators_are_encrypted(with_totp):
    _user, secret = with_totp

    stored = json.dumps(list(Authenticator.objects.values_list("data", flat=True)))

    assert secret not in stored


def test_an_older_secret_key_still_opens_authenticators(with_totp, settings):
    user, secret = with_totp
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "a new one"

    client = Client()
    sign_in(client, user.username)
    client.post("/account/two-factor/authenticate/", {"code": totp(secret, ahead=1)})

    assert is_signed_in(client)


def test_a_change_of_the_address_asks_for_the_password_in_an_old_session(user):
    client = Client()
    client.force_login(user)

    answer = client.post(
        "/account/email/", {"action_add": "1", "email": "new@example.org"}
    )

    assert answer["Location"].startswith("/account/reauthenticate/")
    assert not EmailAddress.objects.filter(email="new@example.org").exists()


def test_the_admin_has_no_form_of_its_own(client, maintainer, user):
    answer = client.get("/admin/login/?next=/admin/")

    assert answer["Location"].startswith("/login/")
    sign_in(client, maintainer.username)
    assert client.get("/admin/").status_code == 200
    client.force_login(user)
    assert client.get("/admin/login/").status_code == 403


PAGES = [
    "/login/",
    "/signup/",
    "/account/",
    "/account/email/",
    "/account/password/change/",
    "/account/password/reset/",
    "/account/password/reset/done/",
    "/account/reauthenticate/",
    "/account/two-factor/",
    "/account/two-factor/totp/activate/",
    "/account/tokens/",
    "/teams/",
    "/logout/",
]


@pytest.mark.parametrize("path", PAGES)
def test_pages_of_accounts_run_no_script_but_ours(path):
    client = Client()
    if path not in {"/login/", "/signup/", "/account/password/reset/"}:
        sign_in(client, UserFactory(email="").username)

    answer = client.get(path)

    html = answer.content.decode()
    assert answer.status_code == 200
    assert "OpenHarmony Bench</title>" in html
    assert set(re.findall(r"<script[^>]*>", html)) == {
        '<script src="/static/js/theme.js">'
    }
    assert not re.search(r'\son\w+="|style="', html)
    policy = answer["Content-Security-Policy"]
    assert "script-src 'self';" in f"{policy};"
    assert "form-action 'self';" in f"{policy};"


@pytest.mark.parametrize("path", PAGES)
def test_pages_of_accounts_are_chinese_too(path):
    client = Client()
    if path not in {"/login/", "/signup/", "/account/password/reset/"}:
        sign_in(client, UserFactory(email="").username)

    html = client.get(f"/zh-hans{path}").content.decode()

    assert '<html lang="zh-Hans">' in html
    main = html[html.index("<main") : html.index("</main>")]
    main = re.sub(r"<(code|pre)\b.*?</\1>", "", main, flags=re.S)
    assert not re.findall(r">\s*([A-Z][a-z]+(?: [a-z]+)+[^<]*)<", main)


def test_the_login_page_offers_no_provider_that_is_not_configured(client):
    html = client.get("/login/").content.decode()

    assert "Or sign in with" not in html
    assert client.get("/account/providers/").status_code == 404


def run_with(tmp_path: Path, code: str, **variables: str) -> str:
    """Run ``code`` in a project of its own, configured by ``variables``."""
    prelude = (
        "import django; django.setup()\n"
        "from django.test import Client\n"
        "client = Client(SERVER_NAME='localhost')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", prelude + code],
        cwd=settings.BASE_DIR,
        env={
            "PATH": os.environ["PATH"],
            "DJANGO_SETTINGS_MODULE": "leaderboard.config.settings",
            "OHB_DEBUG": "1",
            "OHB_DATA_DIR": str(tmp_path),
            "DATABASE_URL": migrated_database(tmp_path / "site.sqlite3"),
            **variables,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_providers_are_offered_where_they_are_configured(tmp_path):
    printed = run_with(
        tmp_path,
        "page = client.get('/login/')\n"
        "print('GitHub' in page.content.decode())\n"
        "print('House of Keys' in client.get('/signup/').content.decode())\n"
        "print(page['Content-Security-Policy'])\n"
        "print(client.get('/methodology/')['Content-Security-Policy'])\n"
        "print(client.post('/account/providers/github/login/')['Location'])\n",
        OHB_GITHUB_CLIENT_ID="the-client",
        OHB_GITHUB_SECRET="the-secret",
        OHB_OIDC_URL="https://login.example.org/realms/bench",
        OHB_OIDC_NAME="House of Keys",
        OHB_OIDC_CLIENT_ID="bench",
        OHB_OIDC_SECRET="secret",
    )

    github, oidc, policy, elsewhere, target = printed.splitlines()
    assert (github, oidc) == ("True", "True")
    _before, _name, targets = policy.partition("form-action 'self' ")
    allowed = set(targets.partition(";")[0].split())
    assert allowed == {"https://github.com", "https://login.example.org"}
    assert "github.com" not in elsewhere
    assert target.startswith("https://github.com/login/oauth/authorize?")
    assert "client_id=the-client" in target
    assert "the-secret" not in target


def test_a_provider_needs_both_parts_and_an_address():
    with pytest.raises(ImproperlyConfigured, match="OHB_GITHUB_CLIENT_ID"):
        providers(github=("id", ""), oidc=("", ""), oidc_url="", oidc_name="")
    with pytest.raises(ImproperlyConfigured, match="OHB_OIDC_URL is 'nowhere'"):
        providers(
            github=("", ""), oidc=("id", "secret"), oidc_url="nowhere", oidc_name=""
        )


def test_the_address_of_the_mail_server_is_read_with_its_parts():
    found = env.email("smtp+tls://ada:p%40ss@mail.example.org:2525")

    assert found["EMAIL_HOST"] == "mail.example.org"
    assert found["EMAIL_PORT"] == 2525
    assert found["EMAIL_HOST_PASSWORD"] == "p@ss"
    assert found["EMAIL_USE_TLS"]
    assert not found["EMAIL_USE_SSL"]
    assert env.email("smtps://mail.example.org")["EMAIL_PORT"] == 465
    assert env.email("file:///var/mail")["EMAIL_FILE_PATH"] == "/var/mail"
    assert env.email("console:")["EMAIL_BACKEND"].endswith("console.EmailBackend")


@pytest.mark.parametrize("url", ["", "mail.example.org", "http://x", "smtp://"])
def test_a_wrong_address_of_the_mail_server_names_the_choices(url):
    with pytest.raises(ImproperlyConfigured, match=r"smtps://user"):
        env.email(url)


def test_limits_are_counted_where_the_cache_is():
    assert env.cache("memory:")["BACKEND"].endswith("LocMemCache")
    assert env.cache("redis://h:1/2")["LOCATION"] == "redis://h:1/2"
    with pytest.raises(ImproperlyConfigured, match="one web process"):
        env.cache("memcached://h")
