"""Random histories of senders keep I15; senders that forget something are found out."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest
from django.utils.module_loading import import_string
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from leaderboard import outbox
from leaderboard.models import OutboxMessage
from leaderboard.models.outbox import OutboxMessageQuerySet
from tests import outbox as channel
from tests.leaderboard.sender_machine import SenderMachine, TwoSendersAtOnce

pytestmark = pytest.mark.django_db


def explore(examples: int, **options: Any) -> None:
    run_state_machine_as_test(
        SenderMachine,
        settings=settings(
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            print_blob=False,
            max_examples=examples,
            stateful_step_count=30,
            **options,
        ),
    )


def expect_caught() -> None:
    """The first broken invariant is enough; the histories are the same each time."""
    with pytest.raises((Exception, TwoSendersAtOnce)):  # any invariant may catch it
        explore(200, phases=(Phase.generate,), derandomize=True)


def test_every_history_of_the_senders_has_one_effect_for_each_key():
    explore(25)


def test_the_histories_that_catch_mutants_are_fine_without_one():
    explore(20, phases=(Phase.generate,), derandomize=True)


# Mutants


def test_a_sender_that_marks_before_it_sends_is_caught():
    def marked_first(message):
        outbox.mark_sent(message, "")
        import_string(channel.CHANNELS[message.channel])(message)
        return True

    with mock.patch.object(outbox, "send", marked_first):
        expect_caught()


def test_a_sender_that_takes_what_another_one_has_is_caught():
    def without_lease(rows, now):
        return rows.exclude(state__in=["sent", "dead"]).order_by("pk")

    with mock.patch.object(OutboxMessageQuerySet, "due", without_lease):
        expect_caught()


def test_an_outbox_that_forgets_what_a_lost_sender_had_is_caught():
    def only_waiting(rows, now):
        return rows.filter(state="waiting", available_at__lte=now).order_by("pk")

    with mock.patch.object(OutboxMessageQuerySet, "due", only_waiting):
        expect_caught()


def test_an_event_that_is_expanded_under_new_keys_each_time_is_caught():
    def anew(event, recipients):
        for each in recipients:
            OutboxMessage.objects.create(
                key=f"{event.key}/{each.target}/{event.fence}",
                channel=each.channel,
                kind=event.kind,
                target=f"{each.target}",
                available_at=outbox.timezone.now(),
                created_at=outbox.timezone.now(),
            )

    with mock.patch.object(channel, "address", anew):
        expect_caught()
