"""Rows of one table as a value in the rows of another, so that one query reads both.

A prefetch asks once more. Where a page may ask four times, that is felt.
"""

from __future__ import annotations

import json
from datetime import UTC
from typing import Any

from django.db import models
from django.db.models import F, Func, QuerySet, Subquery
from django.utils import timezone


class RowsField(models.JSONField):
    """Objects of ``of`` in the order of their keys, out of an array of their values."""

    def __init__(self, of: type[models.Model]) -> None:
        super().__init__()
        self.of = of
        fields = of._meta.concrete_fields
        self.names = [field.attname for field in fields]
        self.times = [
            place
            for place, field in enumerate(fields)
            if isinstance(field, models.DateTimeField)
        ]

    def from_db_value(self, value: Any, _expression: Any, connection: Any) -> Any:
        rows = [] if value is None else sorted(json.loads(value), key=_key)
        for row in rows:
            for place in self.times:
                row[place] = _time(row[place])
        return [self.of.from_db(connection.alias, self.names, row) for row in rows]


class _Array(Func):
    """Values side by side; JSON among them stays JSON."""

    function = "JSON_ARRAY"
    output_field = models.JSONField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(
            compiler, connection, function="JSONB_BUILD_ARRAY", **context
        )


class _Json(Func):
    """JSON that SQLite has as text."""

    function = "JSON"
    output_field = models.JSONField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="%(expressions)s", **context)


class _Together(Func):
    """One array of all rows. No ``Aggregate``: there is nothing to group by."""

    function = "JSON_GROUP_ARRAY"
    output_field = models.JSONField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, function="JSONB_AGG", **context)


def nested(rows: QuerySet[Any]) -> Subquery:
    """The objects of ``rows`` as a list: of keys, numbers, texts, times and JSON.

    ``OuterRef`` in a filter of ``rows`` names the row that they stand in.
    """
    values = [
        _Json(F(field.name)) if isinstance(field, models.JSONField) else F(field.name)
        for field in rows.model._meta.concrete_fields
    ]
    found = rows.order_by().values(found=_Together(_Array(*values)))
    return Subquery(found, output_field=RowsField(rows.model))


def _key(row: list[Any]) -> Any:
    return row[0]


def _time(value: str | None) -> Any:
    """SQLite has no zones; what it holds is in UTC."""
    found = models.DateTimeField().to_python(value)
    return found.replace(tzinfo=UTC) if found and timezone.is_naive(found) else found
