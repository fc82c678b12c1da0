"""Standings of an earlier day: ``?as_of=2026-08-17`` means the end of that day, UTC."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.db.models import Min
from django.utils import timezone

from leaderboard.models import Evaluation, EvaluationSnapshot


class AsOfError(ValueError):
    """There are no standings of that day. ``first`` is the first day that has any."""

    def __init__(self, day: date, *, first: date | None) -> None:
        self.day = day
        self.first = first
        self.in_future = day > today()
        super().__init__(self._text())

    def _text(self) -> str:
        if self.in_future:
            return f"{self.day} has not come yet: nobody knows its standings."
        if self.first is None:
            return f"Nothing was public on {self.day}, and nothing is so far."
        return (
            f"Nothing was public on {self.day}; the first results are of {self.first}."
        )


@dataclass(frozen=True, slots=True)
class AsOf:
    """A day whose standings can be shown. The day of today may still change."""

    day: date

    @property
    def until(self) -> datetime:
        """The moment just before which everything is as it is shown."""
        return datetime.combine(self.day + timedelta(days=1), time(), tzinfo=UTC)

    @property
    def is_over(self) -> bool:
        return self.day < today()


def today() -> date:
    return timezone.now().astimezone(UTC).date()


def day_from(text: str) -> date | None:
    """The day that ``text`` names as YYYY-MM-DD; None where it names none."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    return found if text == found.isoformat() and found < date.max else None


def standings_day(snapshot: EvaluationSnapshot, day: date) -> AsOf:
    """``day`` if ``snapshot`` has standings of it; AsOfError says why it has none."""
    published = Evaluation.objects.on_record().filter(snapshot=snapshot)
    earliest = published.aggregate(earliest=Min("published_at"))["earliest"]
    first = None if earliest is None else earliest.astimezone(UTC).date()
    if day > today() or first is None or day < first:
        raise AsOfError(day, first=first)
    return AsOf(day)
