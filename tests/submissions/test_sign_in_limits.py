"""How often a password may be tried: by name, by address, and by all together."""

from __future__ import annotations

import time

import pytest
from django.core.cache import cache
from django.test import Client

from tests.factories import PASSWORD, UserFactory

pytestmark = pytest.mark.django_db
TOO_MANY = "Too many failed"


class Clock:
    """Time that passes only when a test says so."""

    def __init__(self) -> None:
        self.now = time.time()

    def __call__(self) -> float:
        # Limits tell tries apart by their moment.
        self.now += 0.001
        return self.now

    def pass_by(self, *, minutes: float) -> None:
        self.now += 60 * minutes


@pytest.fixture
def clock(monkeypatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time, "time", clock)
    return clock


def try_to_sign_in(name: str, password: str, *, address: str = "192.0.2.1"):
    client = Client(REMOTE_ADDR=address)
    answer = client.post("/login/", {"login": name, "password": password})
    return answer, client


def is_in(name: str, *, address: str = "192.0.2.1") -> bool:
    _answer, client = try_to_sign_in(name, PASSWORD, address=address)
    return client.get("/account/").status_code == 200


def fail(name: str, count: int, *, address: str = "192.0.2.{n}") -> list[bool]:
    """Whether each of ``count`` wrong tries was looked at; ``{n}`` counts addresses."""
    answers = [
        try_to_sign_in(name.format(n=n), "wrong", address=address.format(n=n + 1))[0]
        for n in range(count)
    ]
    return [TOO_MANY not in answer.content.decode() for answer in answers]


def test_a_name_is_closed_after_ten_wrong_tries_until_five_minutes_have_passed(clock):
    user = UserFactory(email="")

    assert fail(user.username, 11) == [True] * 10 + [False]
    clock.pass_by(minutes=4.9)
    assert not is_in(user.username, address="192.0.2.99")
    clock.pass_by(minutes=0.2)
    assert is_in(user.username, address="192.0.2.99")


def test_an_address_has_ten_wrong_tries_in_five_minutes_whatever_the_names(clock):
    user = UserFactory(email="")

    assert fail("name-{n}", 11, address="192.0.2.1") == [True] * 10 + [False]
    assert not is_in(user.username)
    assert is_in(user.username, address="192.0.2.2")
    clock.pass_by(minutes=5.1)
    assert is_in(user.username)


@pytest.mark.usefixtures("clock")
def test_a_login_that_works_counts_for_nothing():
    user = UserFactory(email="")

    assert all(is_in(user.username) for _ in range(12))


def test_all_together_have_a_limit_too(clock, settings, caplog):
    settings.OHB_FAILED_LOGINS_IN_ALL = "20/5m/key"
    user = UserFactory(email="")

    assert fail("name-{n}", 21) == [True] * 20 + [False]
    assert not is_in(user.username, address="198.51.100.1")
    assert "Too many failed logins of all together" in caplog.text
    clock.pass_by(minutes=5.1)
    assert is_in(user.username, address="198.51.100.1")


@pytest.mark.usefixtures("clock")
def test_what_another_limit_stops_does_not_count_for_all(settings):
    settings.OHB_FAILED_LOGINS_IN_ALL = "15/5m/key"
    user = UserFactory(email="")

    fail("name-{n}", 25, address="192.0.2.1")

    assert is_in(user.username, address="198.51.100.1")


def test_the_limits_are_those_of_the_reference():
    from leaderboard.config import settings

    assert settings.ACCOUNT_RATE_LIMITS["login_failed"] == "10/5m/key,10/5m/ip"
    assert settings.OHB_FAILED_LOGINS_IN_ALL == "1000/5m/key"


@pytest.mark.usefixtures("clock")
def test_a_closed_name_tells_nothing_about_whether_there_is_one():
    user = UserFactory(email="")

    def page(name: str) -> str:
        fail(name, 10)
        answer, _client = try_to_sign_in(name, "wrong", address="192.0.2.99")
        text = answer.content.decode().replace(name, "NAME")
        return "".join(part for part in text.split("\n") if "csrf" not in part)

    known = page(user.username)
    cache.clear()

    assert page("nobody-here") == known
