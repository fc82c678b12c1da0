"""The one query behind a page of lines, as SQL.

With the ORM, putting it together takes several times as long as running it, for every
page anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from django.db import connection

from leaderboard.models import Configuration, Evaluation, Part, StoredLine, StoredPlace
from leaderboard.ranking.asked import Asked
from leaderboard.ranking.orders import DEFAULT_SORT, column_of

_Value: TypeAlias = str | int
# A condition and the value in it.
_Condition: TypeAlias = tuple[str, _Value]
# No table has more rows; how "all" is written differs by database.
_ALL = 2**31

# The long texts of a row are read for the asked ones alone.
_LINES = f"""
WITH asked AS (
    SELECT id, position, {{column}} AS value FROM {StoredPlace._meta.db_table}
    WHERE {{conditions}} ORDER BY {{order}} LIMIT %s OFFSET %s
)
SELECT line.text
FROM asked JOIN {StoredLine._meta.db_table} line ON line.place_id = asked.id
ORDER BY {{order}}
"""  # noqa: S608 - names of tables and columns only
# Where no row matches from the offset on, the first ones are asked for.
_MATCHING_LINES = f"""
WITH matching AS (
    SELECT id, position, {{column}} AS value FROM {StoredPlace._meta.db_table}
    WHERE {{conditions}}
),
counted AS (SELECT COUNT(*) AS count FROM matching),
asked AS (
    SELECT id, position, value FROM matching ORDER BY {{order}} LIMIT %s
    OFFSET (SELECT CASE WHEN count > %s THEN %s ELSE 0 END FROM counted)
)
SELECT line.text, counted.count
FROM asked CROSS JOIN counted
JOIN {StoredLine._meta.db_table} line ON line.place_id = asked.id
ORDER BY {{order}}
"""  # noqa: S608 - names of tables and columns only
_OF_AGENT = f"""evaluation_id IN (
    SELECT evaluation.id FROM {Evaluation._meta.db_table} evaluation
    JOIN {Configuration._meta.db_table} configuration
    ON configuration.id = evaluation.configuration_id
    WHERE configuration.agent_name = %s
)"""  # noqa: S608 - names of tables only


def texts_of_lines(table: int, asked: Asked) -> list[str]:
    """What is stored of the ranked rows asked for, of all of them."""
    rows = _rows(_LINES, table, asked, page=(_limit(asked), asked.offset))
    return [text for (text,) in rows]


def texts_of_matching_lines(table: int, asked: Asked) -> tuple[list[str], int]:
    """What is stored of the ranked rows asked for, and how many match altogether.

    The first of these where none matches from the offset on.
    """
    page = (_limit(asked), asked.offset, asked.offset)
    rows = _rows(_MATCHING_LINES, table, asked, page=page)
    return [text for text, _count in rows], rows[0][1] if rows else 0


def _rows(
    statement: str, table: int, asked: Asked, *, page: Sequence[_Value]
) -> list[tuple[Any, ...]]:
    conditions = _conditions(table, asked)
    made = statement.format(
        conditions=" AND ".join(text for text, _value in conditions),
        column=_column(asked.sort),
        order=_order(asked.sort),
    )
    with connection.cursor() as cursor:
        cursor.execute(made, [*(value for _text, value in conditions), *page])
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


def _limit(asked: Asked) -> int:
    return _ALL if asked.limit is None else asked.limit


def _conditions(table: int, asked: Asked) -> list[_Condition]:
    needle = connection.ops.prep_for_like_query(asked.needle)
    wanted: dict[str, str] = {
        "family = %s": asked.family,
        "provider = %s": asked.provider,
        "provenance = %s": asked.provenance,
        _OF_AGENT: asked.agent,
        r"search LIKE %s ESCAPE '\'": asked.needle and f"%{needle}%",
    }
    return [
        ("table_id = %s", table),
        ("part = %s", Part.RANKED.value),
        *((text, value) for text, value in wanted.items() if value),
    ]


def _column(sort: str) -> str:
    """A column of :class:`StoredPlace`: ``sort`` is one of the known orders."""
    if sort == DEFAULT_SORT:
        return "position"
    return connection.ops.quote_name(column_of(sort.removeprefix("-")))


def _order(sort: str) -> str:
    falling = sort.startswith("-") and sort != DEFAULT_SORT
    return f"value {'DESC' if falling else 'ASC'} NULLS LAST, position"
