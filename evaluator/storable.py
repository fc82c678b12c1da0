"""Texts of submitted code, made fit for every database.

PostgreSQL takes neither NUL nor half a surrogate pair, and a compiler message or a
component's text may hold both.
"""

from __future__ import annotations

import re
from typing import Any

MAX_TEXT = 20_000

_UNFIT = re.compile("[\x00\ud800-\udfff]")


def storable(value: Any) -> Any:
    """``value`` with every text in it fit to be stored; numbers and shape stay.

    >>> storable({"message": "a\\x00b", "passed": [True, "\\udc00"]})
    {'message': 'a\ufffdb', 'passed': [True, '\ufffd']}
    """
    if isinstance(value, str):
        fit = _UNFIT.sub("\N{REPLACEMENT CHARACTER}", value)
        return fit if len(fit) <= MAX_TEXT else f"{fit[:MAX_TEXT]} [...]"
    if isinstance(value, dict):
        return {storable(key): storable(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [storable(each) for each in value]
    return value
