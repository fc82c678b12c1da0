"""Numbers made ready for print, the same in both languages; metrics rounds them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from leaderboard.metrics import rounded

MISSING = "—"
MILLION, THOUSAND = 1_000_000, 1_000


# A table has few different rates, each of them many times.
@lru_cache(maxsize=5_000)
def percent(value: Fraction | None, digits: int = 2) -> str:
    """A fraction of 1 in percent points, without the sign (units stand in headers).

    >>> percent(Fraction(268, 459))
    '58.39'
    """
    return MISSING if value is None else str(rounded(value * 100, digits))


def signed_percent(value: Fraction, digits: int = 2) -> str:
    """A difference of two rates in percent points, with its sign.

    >>> signed_percent(Fraction(5, 459))
    '+1.09'
    """
    # The minus of print is as wide as the plus.
    sign = "+" if value > 0 else "\N{MINUS SIGN}" if value < 0 else ""
    return f"{sign}{percent(abs(value), digits)}"


def grouped(value: Fraction | int | None, digits: int = 0) -> str:
    """A number with thousands separators.

    >>> grouped(Fraction(19364, 10), 1)
    '1,936.4'
    """
    return MISSING if value is None else f"{rounded(value, digits):,}"


def in_unit(value: Fraction | int | None, unit: int, *, digits: int = 2) -> str:
    """A number in thousands, millions, ...

    >>> in_unit(2_570_000, MILLION)
    '2.57'
    """
    return MISSING if value is None else f"{rounded(Fraction(value) / unit, digits):,}"


def token_unit(most_tokens: Fraction | None) -> int:
    """Millions, or thousands where the most tokens per task are below 0.1 million."""
    return THOUSAND if (most_tokens or 0) < MILLION // 10 else MILLION


def seconds(milliseconds: int | None) -> str:
    """Milliseconds in seconds with one decimal.

    >>> seconds(1500)
    '1.5'
    """
    return MISSING if milliseconds is None else grouped(Fraction(milliseconds, 1000), 1)


def file_size(size_bytes: int) -> str:
    """Bytes in decimal units, as file managers show them.

    >>> file_size(12_345)
    '12.3 kB'
    """
    if size_bytes < 1000:
        return f"{size_bytes} B"
    value, unit = Decimal(size_bytes), "B"
    for unit in ("kB", "MB", "GB"):  # noqa: B007 - the last unit is wanted
        value /= 1000
        if value < 1000:
            break
    return f"{value:,.1f} {unit}"
