"""API tokens: made once, stored as a digest, held to scopes and an end."""

from __future__ import annotations

import re
from datetime import timedelta
from importlib import import_module
from io import BytesIO, StringIO
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from submissions.accounts.tokens import create_token
from submissions.key_shapes import find_keys
from submissions.models import ApiToken, Scope
from tests.factories import PASSWORD, UserFactory
from tests.submissions.bundles import files_for, zipped
from tests.submissions.jobs import fail_all
from tests.tokens import api_client, token_for

pytestmark = pytest.mark.django_db
TOKENS = "/account/tokens/"
SUBMISSIONS = "/api/v1/submissions/"
FORM = {"name": "laptop", "scopes": ["read", "submit"], "days": "7"}


@pytest.fixture
def fresh(user) -> Client:
    """A client whose user has given the password just now."""
    client = Client()
    client.post("/login/", {"login": user.username, "password": PASSWORD})
    return client


def token_on(page: str) -> str:
    return re.search(r'class="token">([^<]+)<', page)[1]


def status_with(text: str | bytes, path: str = SUBMISSIONS) -> int:
    header = b"Token " + (text if isinstance(text, bytes) else text.encode())
    return (
        Client()
        .get(path, headers={"Authorization": header.decode("latin-1")})
        .status_code
    )


def test_a_token_is_shown_once_and_works(fresh, user):
    answer = fresh.post(TOKENS, FORM)

    text = token_on(answer.content.decode())
    assert text.startswith("ohb_")
    assert text not in fresh.get(TOKENS).content.decode()
    assert status_with(text) == 200
    row = ApiToken.objects.get(user=user)
    assert timedelta(days=6) < row.expiry - timezone.now() <= timedelta(days=7)
    assert row.scopes == ["read", "submit"]


def test_the_page_tells_name_beginning_scopes_end_and_last_use(fresh, user):
    text = token_for(user, Scope.READ)
    before = fresh.get(TOKENS).content.decode()
    status_with(text)

    html = fresh.get(TOKENS).content.decode()

    row = ApiToken.objects.get()
    assert f"{text[:12]}…" in html
    assert ">read</td>" in html
    assert f"{row.expiry:%Y-%m-%d %H:%M} UTC" in html
    assert "never" in before
    assert f"{row.last_used_at:%Y-%m-%d %H:%M}</td>" in html


def test_no_token_lies_in_the_database(user):
    text = token_for(user)
    dump = StringIO()

    # A proxy of a table elsewhere, which dumpdata warns of.
    call_command(
        "dumpdata",
        "submissions",
        "knox",
        exclude=["submissions.snapshotpolicy"],
        stdout=dump,
    )

    assert ApiToken.objects.get().digest in dump.getvalue()
    assert text[15:] not in dump.getvalue()


def test_a_token_that_was_left_in_a_bundle_is_found(user, tmp_path):
    log = tmp_path / "build.log"
    log.write_text(f"export OHB_TOKEN={token_for(user)}\n")

    (found,) = find_keys(log)

    assert found.kind == "API token of this site"


def test_an_old_session_is_asked_for_the_password_and_the_form_is_sent_on(user):
    client = Client()
    client.force_login(user)

    asked = client.post(TOKENS, FORM)

    assert asked["Location"].startswith("/account/reauthenticate/")
    assert not ApiToken.objects.exists()
    client.post(asked["Location"], {"password": "wrong"})
    assert not ApiToken.objects.exists()
    answer = client.post(asked["Location"], {"password": PASSWORD})
    assert status_with(token_on(answer.content.decode())) == 200
    assert ApiToken.objects.get().name == "laptop"


@pytest.mark.parametrize(
    "change",
    [
        {"days": "0"},
        {"days": "36500"},
        {"days": ""},
        {"name": ""},
        {"name": "x" * 61},
        {"scopes": []},
        {"scopes": ["everything"]},
        {"scopes": ["read", "maintain"]},
    ],
)
def test_a_token_needs_a_name_known_scopes_and_an_end(change, fresh):
    assert fresh.post(TOKENS, {**FORM, **change}).status_code == 400
    assert not ApiToken.objects.exists()


def test_maintainers_may_give_their_scope_away(maintainer):
    client = Client()
    client.post("/login/", {"login": maintainer.username, "password": PASSWORD})

    answer = client.post(TOKENS, {**FORM, "scopes": ["maintain"]})

    assert answer.status_code == 200
    assert ApiToken.objects.get().scopes == ["maintain"]


def test_a_revoked_token_no_longer_works(fresh, user):
    text = token_for(user)
    row = ApiToken.objects.get()

    fresh.post(f"{TOKENS}revoke/", {"digest": row.digest})

    assert status_with(text) == 401


def test_a_token_of_others_cannot_be_revoked(fresh):
    token_for(UserFactory())
    row = ApiToken.objects.get()

    answer = fresh.post(f"{TOKENS}revoke/", {"digest": row.digest})

    assert answer.status_code == 404
    assert ApiToken.objects.filter(pk=row.pk).exists()


def test_a_token_ends_on_its_day_and_its_owner_can_be_locked_out(user):
    text = token_for(user)
    user.is_active = False
    user.save()
    assert status_with(text) == 401
    user.is_active = True
    user.save()
    assert status_with(text) == 200

    ApiToken.objects.update(expiry=timezone.now() - timedelta(seconds=1))

    assert status_with(text) == 401


def test_an_expired_token_is_not_on_the_page(fresh, user):
    create_token(user, name="old", scopes=[Scope.READ], validity=timedelta(seconds=-1))

    assert ">old</th>" not in fresh.get(TOKENS).content.decode()


@pytest.mark.parametrize(
    "text", ["", "x", "ohb_", "a b", "ohb_" + "0" * 64, b"\xff\xfe"]
)
def test_what_is_no_token_is_refused_plainly(text):
    assert status_with(text) == 401


def test_the_last_use_is_recorded_once_a_minute(user, django_assert_num_queries):
    text = token_for(user)
    status_with(text)
    first = ApiToken.objects.get().last_used_at
    status_with(text)
    assert ApiToken.objects.get().last_used_at == first

    ApiToken.objects.update(last_used_at=first - timedelta(minutes=2))
    status_with(text)

    assert ApiToken.objects.get().last_used_at >= first


def upload(client: Client, snapshot, path: str) -> int:
    bundle = BytesIO(zipped(files_for(snapshot)))
    bundle.name = "bundle.zip"
    return client.post(path, {"bundle": bundle}).status_code


@pytest.mark.parametrize(
    ("scope", "reads", "validates", "submits", "publishes"),
    [
        (Scope.READ, 200, 403, 403, 403),
        (Scope.SUBMIT, 403, 200, 201, 403),
        (Scope.MAINTAIN, 403, 403, 403, 200),
    ],
)
def test_each_scope_opens_its_own_door_only(
    scope, reads, validates, submits, publishes, snapshot, submission, maintainer
):
    fail_all(submission)
    client = api_client(maintainer, scope)
    own = f"{SUBMISSIONS}{submission.pk}/"

    assert client.get(SUBMISSIONS).status_code == reads
    assert client.get(own).status_code == reads
    assert client.get("/api/v1/quota/").status_code == reads
    assert client.get("/api/v1/snapshots/").status_code == reads
    assert upload(client, snapshot, f"{SUBMISSIONS}validate/") == validates
    assert upload(client, snapshot, SUBMISSIONS) == submits
    assert client.post(f"{own}publish/").status_code == publishes


def test_a_token_without_the_scope_is_told_which_one(user):
    answer = api_client(user, Scope.SUBMIT).get(SUBMISSIONS)

    (error,) = answer.json()["errors"]
    assert answer["Content-Type"] == "application/problem+json"
    assert error["code"] == "token-scope"
    assert error["saw"] == "submit"
    assert "'read'" in error["fix"]


def test_the_scope_of_maintainers_is_worth_nothing_to_others(submission, user):
    fail_all(submission)

    answer = api_client(user, *Scope).post(f"{SUBMISSIONS}{submission.pk}/publish/")

    assert answer.status_code == 403


def test_tokens_of_the_former_table_go_on_working(user, maintainer):
    move = import_module("submissions.migrations.0003_move_tokens").move
    text, other = token_for(user), token_for(maintainer)
    rows = list(ApiToken.objects.order_by("user").values())
    ApiToken.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE knox_authtoken (digest varchar(128), token_key varchar(25),"
            " user_id bigint, created timestamp, expiry timestamp)"
        )
        for row in rows:
            cursor.execute(
                "INSERT INTO knox_authtoken"
                " (digest, token_key, user_id, created, expiry)"
                " VALUES (%s, %s, %s, %s, %s)",
                [row[name] for name in ("digest", "token_key", "user_id", "created")]
                + [row["expiry"]],
            )

    move(apps, SimpleNamespace(connection=connection))

    assert status_with(text) == status_with(other) == 200
    assert ApiToken.objects.get(user=user).scopes == ["read", "submit"]
    assert ApiToken.objects.get(user=maintainer).scopes == [
        "read",
        "submit",
        "maintain",
    ]
    assert ApiToken.objects.get(user=user).expiry == rows[0]["expiry"]
    assert "knox_authtoken" not in connection.introspection.table_names()
