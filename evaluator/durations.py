"""Spans of time in words, short enough for a table."""

from __future__ import annotations

from datetime import timedelta

from django.utils.translation import gettext as _

MINUTE, HOUR, DAY = 60, 3600, 86400


def duration_text(span: timedelta) -> str:
    """The two largest units that matter; tenths of a second below ten.

    >>> duration_text(timedelta(seconds=0.25)), duration_text(timedelta(seconds=75))
    ('0.2 s', '1 min 15 s')
    >>> duration_text(timedelta(hours=50))
    '2 d 2 h'
    """
    seconds = max(span.total_seconds(), 0.0)
    if seconds < 10:
        return _("%(seconds)s s") % {"seconds": f"{seconds:.1f}"}
    whole = round(seconds)
    if whole < MINUTE:
        return _("%(seconds)s s") % {"seconds": whole}
    if whole < HOUR:
        return _two(
            _("%(minutes)s min") % {"minutes": whole // MINUTE},
            _("%(seconds)s s") % {"seconds": whole % MINUTE} if whole % MINUTE else "",
        )
    minutes = whole // MINUTE
    if whole < DAY:
        return _two(
            _("%(hours)s h") % {"hours": minutes // 60},
            _("%(minutes)s min") % {"minutes": minutes % 60} if minutes % 60 else "",
        )
    hours = whole // HOUR
    return _two(
        _("%(days)s d") % {"days": hours // 24},
        _("%(hours)s h") % {"hours": hours % 24} if hours % 24 else "",
    )


def rough_text(span: timedelta) -> str:
    """One number that does not pretend to be exact: minutes, then hours, then days.

    >>> rough_text(timedelta(seconds=20)), rough_text(timedelta(minutes=47))
    ('1 min', '50 min')
    >>> rough_text(timedelta(minutes=100)), rough_text(timedelta(hours=11.4))
    ('1.5 h', '11 h')
    """
    minutes = max(1, -(-span.total_seconds() // MINUTE))
    if minutes > 10:
        minutes = -(-minutes // 5) * 5
    if minutes <= 90:
        return _("%(minutes)s min") % {"minutes": int(minutes)}
    halves = round(minutes / 30)
    if halves < 20:
        whole, half = divmod(halves, 2)
        return _("%(hours)s h") % {"hours": f"{whole}.5" if half else whole}
    hours = round(minutes / 60)
    if hours < 48:
        return _("%(hours)s h") % {"hours": hours}
    return _("%(days)s d") % {"days": round(hours / 24)}


def _two(first: str, second: str) -> str:
    return f"{first} {second}".strip()
