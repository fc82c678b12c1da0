"""Text for spreadsheets, which take some beginnings for a formula."""

from __future__ import annotations

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def safe_cell(value: object) -> object:
    """``value`` for a line of CSV: no text is read as a formula, lists are joined.

    >>> safe_cell("=1+1"), safe_cell(-1), safe_cell([86, 89]), safe_cell(True)
    ("'=1+1", -1, '86 89', 'true')
    """
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return " ".join(map(str, value))
    return value
