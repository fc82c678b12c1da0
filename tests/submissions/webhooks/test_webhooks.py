"""Webhooks from the event to the receiver, and the pages where they are made."""

from __future__ import annotations

import base64
import hashlib
import hmac
import html
import json
import re
from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client

from leaderboard import outbox
from leaderboard.models import OutboxMessage
from submissions import services
from submissions.models import Submission, Webhook
from submissions.webhooks import acts, addresses, sender
from tests.factories import PASSWORD, TeamFactory, UserFactory
from tests.submissions.jobs import fail_all
from tests.submissions.webhooks.receiver import Receiver, answer_with, receiving

pytestmark = pytest.mark.django_db
PAGE = "/account/webhooks/"


@pytest.fixture(autouse=True)
def at_once(settings):
    settings.DEBUG = True
    settings.OHB_BACKOFF_FACTOR = 0.0
    settings.PUBLIC_URL = "https://bench.example.org"
    cache.clear()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as found:
        yield found


@pytest.fixture
def fresh(user) -> Client:
    """A client whose user has given the password just now."""
    client = Client()
    client.post("/login/", {"login": user.username, "password": PASSWORD})
    return client


def verify(secret: str, headers: dict[str, str], body: bytes) -> bool:
    """What docs/submitting.md tells receivers to do."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    wanted = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    return hmac.compare_digest(f"v1,{wanted.decode()}", headers["webhook-signature"])


def kinds(receiver: Receiver) -> list[str]:
    return [json.loads(each.body)["type"] for each in receiver.received]


def test_the_receiver_hears_every_step_signed(submission, user, receiver):
    _, secret = acts.create(user, None, receiver.url)

    fail_all(submission)
    outbox.deliver_due()

    assert sorted(kinds(receiver)) == [
        "evaluation.began",
        "evaluation.scored",
        "submission.accepted",
    ]
    for each in receiver.received:
        assert verify(secret, each.headers, each.body)
        assert not verify(secret, each.headers, each.body + b" ")
        other = {**each.headers, "webhook-timestamp": "1"}
        assert not verify(secret, other, each.body)
        assert each.headers["idempotency-key"] == each.headers["webhook-id"]
        assert each.headers["content-type"] == "application/json"


def test_the_body_has_ids_states_and_addresses_and_no_people(
    submission, user, receiver
):
    acts.create(user, None, receiver.url)
    fail_all(submission)
    outbox.deliver_due()

    bodies = [each.body.decode() for each in receiver.received]

    (scored,) = [json.loads(each) for each in bodies if "evaluation.scored" in each]
    assert scored["submission"] == {
        "id": str(submission.pk),
        "state": "evaluated",
        "url": f"https://bench.example.org/submissions/{submission.pk}/",
        "api_url": f"https://bench.example.org/api/v1/submissions/{submission.pk}/",
        "team": None,
    }
    assert scored["evaluation"]["id"] == submission.evaluation.pk
    assert scored["configuration"]["model"] == submission.evaluation.configuration.model
    assert user.username not in "".join(bodies)
    assert user.email not in "".join(bodies)


def test_a_sender_killed_after_the_post_sends_again_and_the_receiver_can_tell(
    submission, user, receiver
):
    acts.create(user, None, receiver.url)
    outbox.deliver_due(["event"])
    message = outbox.claim("webhook")
    assert message is not None
    sender.send(message)  # It is killed here: nothing is marked.

    OutboxMessage.objects.filter(pk=message.pk).update(lease_until=message.available_at)
    outbox.deliver_due()

    assert len(receiver.received) == 2
    assert len(receiver.effects) == 1
    assert receiver.received[0].body == receiver.received[1].body


def test_what_fails_is_tried_again_with_the_same_id_and_shown(
    submission, user, receiver, client
):
    hook, _ = acts.create(user, None, receiver.url)
    receiver.answer = answer_with(500, b"<script>boom</script>")
    outbox.deliver_due()
    client.force_login(user)

    page = client.get(hook.get_absolute_url()).content.decode()

    assert len(receiver.received) == outbox.TRIES
    assert len(receiver.effects) == 1
    assert "Given up" in page
    assert "answered 500" in html.unescape(page)
    assert "<script>boom" not in page
    receiver.answer = answer_with(204)
    outbox.send_again(outbox.dead_messages(), reason="receiver is back")
    outbox.deliver_due()
    assert "answered 204" in client.get(hook.get_absolute_url()).content.decode()
    assert len(receiver.effects) == 1


def test_a_team_hears_of_its_own_submissions_alone(submission, user, receiver):
    team = TeamFactory(owner=user)
    acts.create(user, team, receiver.url)
    outbox.deliver_due()
    assert not receiver.received

    Submission.objects.filter(pk=submission.pk).update(team=team)
    services.cancel(
        Submission.objects.get(pk=submission.pk), by=user, reason="a mistake"
    )
    outbox.deliver_due()

    assert kinds(receiver) == ["submission.cancelled"]
    assert json.loads(receiver.received[0].body)["submission"]["team"] == team.slug


def test_others_hear_nothing(submission, receiver):
    acts.create(UserFactory(), None, receiver.url)
    acts.create(UserFactory(is_staff=True), None, receiver.url)

    fail_all(submission)
    outbox.deliver_due()

    assert not receiver.received


@pytest.mark.parametrize("change", ["revoked", "moved", "locked out", "switched off"])
def test_what_is_no_longer_to_be_told_is_not(
    change, submission, user, receiver, settings
):
    hook, _ = acts.create(user, None, receiver.url)
    outbox.deliver_due(["event"])
    if change == "revoked":
        hook.delete()
    elif change == "moved":
        Submission.objects.update(team=TeamFactory(owner=user))
    elif change == "locked out":
        type(user).objects.filter(pk=user.pk).update(is_active=False)
    else:
        settings.OHB_WEBHOOKS = False

    outbox.deliver_due()

    assert not receiver.received
    assert OutboxMessage.objects.get(channel="webhook").answer.startswith("not sent")


def test_the_inside_is_not_reached_though_the_row_says_so(
    submission, user, receiver, settings
):
    """As if the row were older than the check, or written by hand."""
    hook, _ = acts.create(user, None, receiver.url)
    settings.DEBUG = False

    outbox.deliver_due()

    assert not receiver.received
    assert acts.deliveries_of(hook)[0].last_error.startswith("not sent: The URL must")


def test_the_web_process_resolves_and_asks_nobody(fresh, user, monkeypatch):
    def refuse(*_):
        raise AssertionError("a page looked a name up")

    monkeypatch.setattr(addresses.socket, "getaddrinfo", refuse)

    answer = fresh.post(PAGE, {"url": "https://ci.example.org/hook"})

    assert answer.status_code == 200
    hook = Webhook.objects.get()
    assert fresh.post(f"{hook.get_absolute_url()}test/").status_code == 302


def secret_on(page: str) -> str:
    return re.search(r'class="token">([^<]+)<', page)[1]


def test_the_secret_is_shown_once_and_not_to_be_read_in_the_database(fresh, user):
    page = fresh.post(PAGE, {"url": "https://ci.example.org/hook"}).content.decode()

    secret = html.unescape(secret_on(page))
    dump = StringIO()
    # A proxy has no rows of its own, and naming it so is a warning.
    call_command(
        *("dumpdata", "submissions", "leaderboard.outboxmessage"),
        exclude=["submissions.snapshotpolicy"],
        stdout=dump,
    )
    hook = Webhook.objects.get()
    assert secret.startswith("whsec_")
    assert len(base64.b64decode(secret.removeprefix("whsec_"))) == 32
    assert hook.sealed_secret in dump.getvalue()
    assert secret.removeprefix("whsec_") not in dump.getvalue()
    for path in (PAGE, hook.get_absolute_url()):
        assert secret not in html.unescape(fresh.get(path).content.decode())


def test_an_old_session_is_asked_for_the_password_first(client, user):
    client.force_login(user)

    asked = client.post(PAGE, {"url": "https://ci.example.org/hook"})

    assert asked["Location"].startswith("/account/reauthenticate/")
    assert not Webhook.objects.exists()


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"url": ""}, "required"),
        ({"url": "http://ci.example.org/"}, "https://"),
        ({"url": "https://10.0.0.1/"}, "public internet"),
        ({"url": "https://u:p@ci.example.org/"}, "password"),
        ({"url": "https://ci.example.org/", "team": "team-of-others"}, "valid choice"),
    ],
)
def test_a_wrong_form_says_what_is_wrong(form, said, fresh, user):
    mine = TeamFactory(owner=UserFactory(), members=[user])
    TeamFactory(owner=UserFactory(), slug="team-of-others")

    answer = fresh.post(PAGE, form)

    assert answer.status_code == 400
    assert said in answer.content.decode()
    assert not Webhook.objects.exists()
    assert mine.name not in answer.content.decode(), "members who are no owners"


def test_there_are_so_many_and_no_more(fresh, user):
    for number in range(acts.MOST):
        acts.create(user, None, f"https://ci.example.org/{number}")

    answer = fresh.post(PAGE, {"url": "https://ci.example.org/more"})

    assert answer.status_code == 400
    assert "revoke one first" in answer.content.decode()


def test_a_test_is_sent_once_a_minute_however_often_it_is_asked_for(
    client, user, receiver, monkeypatch
):
    hook, secret = acts.create(user, None, receiver.url)
    acts.create(user, None, "https://ci.example.org/other")
    client.force_login(user)
    minute = acts.timezone.now()
    monkeypatch.setattr(acts.timezone, "now", lambda: minute)

    for _ in range(3):
        client.post(f"{hook.get_absolute_url()}test/")
    outbox.deliver_due()

    assert kinds(receiver) == ["webhook.test"]
    (seen,) = receiver.received
    assert verify(secret, seen.headers, seen.body)
    assert "answered 200" in client.get(hook.get_absolute_url()).content.decode()


def test_switched_off_means_off(fresh, user, settings, submission, receiver):
    hook, _ = acts.create(user, None, receiver.url)
    settings.OHB_WEBHOOKS = False

    assert "switched off" in fresh.get(PAGE).content.decode()
    assert "switched off" in fresh.get(hook.get_absolute_url()).content.decode()
    assert fresh.post(PAGE, {"url": "https://ci.example.org/"}).status_code == 400
    outbox.deliver_due()
    assert not OutboxMessage.objects.filter(channel="webhook").exists()


def test_a_revoked_one_is_gone(client, user, receiver):
    hook, _ = acts.create(user, None, receiver.url)
    client.force_login(user)

    client.post(f"{hook.get_absolute_url()}revoke/")

    assert not Webhook.objects.exists()
    assert client.get(hook.get_absolute_url()).status_code == 404
