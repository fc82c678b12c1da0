"""Many rows at once, past the model objects: ``COPY`` where the database has it.

For callers with hundreds of rows and more. Nothing is cleaned or saved one by one, so
what checks the rows is the database with its constraints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, TypeAlias

from django.db import connections, models, router, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone

Row: TypeAlias = Sequence[Any]
_Field: TypeAlias = "models.Field[Any, Any]"

# Their values go to the database as they are; those of other fields are prepared.
_PLAIN = (
    models.BooleanField,
    models.CharField,
    models.ForeignKey,
    models.IntegerField,
    models.TextField,
)

_BATCH = 10_000


def insert(
    model: type[models.Model], columns: Sequence[str], rows: Iterable[Row]
) -> None:
    """Insert ``rows``, all or none; each holds the values of ``columns`` in order.

    ``columns`` are names of fields, those of foreign keys with ``_id``. Other fields
    take their defaults, and keys are given by the database. ``rows`` is read once and
    never held whole.
    """
    using = router.db_for_write(model)
    connection = connections[using]
    named = {field.attname: field for field in model._meta.concrete_fields}
    if unknown := [name for name in columns if name not in named]:
        raise ValueError(
            f"{model.__name__} has no field {', '.join(map(repr, unknown))}; it has: "
            f"{', '.join(named)}."
        )
    given = [named.pop(name) for name in columns]
    rest = [field for field in named.values() if not field.primary_key]
    defaults = [_default(field, connection) for field in rest]
    prepared = _prepared(rows, given, connection=connection)
    quoted = connection.ops.quote_name
    table = quoted(model._meta.db_table)
    names = ", ".join(quoted(str(field.column)) for field in chain(given, rest))
    with transaction.atomic(using=using), connection.cursor() as cursor:
        # A batch is read before it is written: its source may use this connection,
        # and Django's cursor keeps what an iterator gave until its statement ends.
        while batch := list(islice(prepared, _BATCH)):
            if connection.vendor == "postgresql":
                # The driver's own errors become Django's, as elsewhere.
                with (
                    connection.wrap_database_errors,
                    cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy,
                ):
                    for row in batch:
                        copy.write_row((*row, *defaults))
            else:
                values = ", ".join(
                    ["%s"] * len(given) + _literals(defaults, connection)
                )
                # Names and defaults of our own models, quoted.
                statement = f"INSERT INTO {table} ({names}) VALUES ({values})"  # noqa: S608
                cursor.executemany(statement, batch)


def _literals(values: Iterable[Any], connection: BaseDatabaseWrapper) -> list[str]:
    """``values`` as parts of a statement: one that is equal in all rows is not bound to
    each of them, which saves a sixth of the time."""
    quote = connection.schema_editor().quote_value
    return [str(quote(value)).replace("%", "%%") for value in values]


def _default(field: _Field, connection: BaseDatabaseWrapper) -> Any:
    value = timezone.now() if getattr(field, "auto_now_add", False) else None
    return field.get_db_prep_save(value or field.get_default(), connection)


def _prepared(
    rows: Iterable[Row], fields: Sequence[_Field], *, connection: BaseDatabaseWrapper
) -> Iterator[Row]:
    """``rows`` with the values of dates, JSON and the like as the database has them."""
    others = [
        (place, field)
        for place, field in enumerate(fields)
        if not isinstance(field, _PLAIN)
    ]
    if not others:
        return iter(rows)
    return _with_prepared(rows, others, connection=connection)


def _with_prepared(
    rows: Iterable[Row],
    fields: Sequence[tuple[int, _Field]],
    *,
    connection: BaseDatabaseWrapper,
) -> Iterator[Row]:
    for row in rows:
        values = list(row)
        for place, field in fields:
            values[place] = field.get_db_prep_save(values[place], connection)
        yield values
