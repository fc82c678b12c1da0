"""Who holds which device, and which devices nobody may hold.

An attempt names its device, and the database lets only one running attempt name it. A
device that failed a control run, or whose worker went silent, is suspect until a canary
passes on it or a person clears it.
"""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from evaluator import news
from evaluator.errors import NotPossibleError
from evaluator.models import Attempt, AttemptOutcome, Job, SuspectDevice
from leaderboard.models import record


class DeviceRefusedError(Exception):
    """The attempt cannot have the device; the message says why."""


def hold(job: Job, serial: str) -> None:
    """Note that the running attempt of ``job`` uses the device ``serial``.

    Raises :class:`DeviceRefusedError` when another attempt does.
    """
    running = Attempt.objects.filter(
        job=job,
        fence=job.fence,
        outcome=AttemptOutcome.RUNNING,
        job__lease_until__gt=timezone.now(),
    )
    try:
        with transaction.atomic():
            held = running.update(device=serial)
    except IntegrityError:
        raise DeviceRefusedError(f"{serial} is in use by another attempt") from None
    if not held:
        raise DeviceRefusedError("the lease on this attempt is gone")


def troubled_devices(job: Job) -> frozenset[str]:
    """Devices on which this stage of ``job`` met trouble: another one is better."""
    troubled = job.attempts.filter(
        stage=job.stage,
        outcome__in=[AttemptOutcome.INFRASTRUCTURE, AttemptOutcome.LOST],
    )
    return frozenset(troubled.exclude(device="").values_list("device", flat=True))


def less_wanted_devices(job: Job) -> frozenset[str]:
    """Devices of which any other one is better for ``job``.

    Those on which it met trouble, those in use by other workers, and suspect ones.
    """
    in_use = Attempt.objects.filter(
        outcome=AttemptOutcome.RUNNING, job__lease_until__gt=timezone.now()
    ).exclude(device="")
    return (
        troubled_devices(job)
        | frozenset(in_use.values_list("device", flat=True))
        | frozenset(open_suspicions().values_list("serial", flat=True))
    )


def open_suspicions() -> QuerySet[SuspectDevice]:
    return SuspectDevice.objects.filter(cleared_at=None)


def suspicion_of(serial: str) -> SuspectDevice | None:
    return open_suspicions().filter(serial=serial).first()


def suspect(serial: str, *, reason: str) -> None:
    """Let no verdict come from ``serial`` until it is cleared."""
    with transaction.atomic():
        found, created = SuspectDevice.objects.get_or_create(
            serial=serial,
            cleared_at=None,
            defaults={"since": timezone.now(), "reason": reason},
        )
        if created:
            record("suspect device", f"device {serial}", reason=reason)
            news.device_suspect(found)


def clear(serial: str, *, reason: str, by: User | None = None) -> None:
    """Trust a device again; a person's act or a canary's, on record with its reason."""
    if not reason.strip():
        raise NotPossibleError("Say why the device is well again; it stays on record.")
    with transaction.atomic():
        found = open_suspicions().select_for_update().filter(serial=serial).first()
        if found is None:
            names = ", ".join(open_suspicions().values_list("serial", flat=True))
            raise NotPossibleError(
                f"The device {serial} is not suspect. Suspect devices: "
                f"{names or 'none'}."
            )
        found.cleared_at = timezone.now()
        found.cleared_reason = reason
        found.save(update_fields=["cleared_at", "cleared_reason"])
        record("clear device", f"device {serial}", by=by, reason=reason)
