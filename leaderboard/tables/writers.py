"""A flat table as a file: CSV, JSON or Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO, StringIO
from itertools import accumulate
from typing import Any, NamedTuple

from arro3.core import Array, DataType, Table, list_array
from arro3.core import Field as ArrowField
from arro3.core import Schema as ArrowSchema
from arro3.io import write_parquet

from leaderboard.tables.cells import safe_cell
from leaderboard.tables.fields import Field, Kind
from leaderboard.tables.flat import FlatTable


class FileKind(NamedTuple):
    media_type: str
    write: Callable[[FlatTable], bytes]


def as_csv(table: FlatTable) -> bytes:
    """A head line and the rows, UTF-8; an empty cell is unknown."""
    buffer = StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(field.name for field in table.fields)
    writer.writerows([safe_cell(value) for value in row] for row in table.rows)
    return buffer.getvalue().encode()


def as_json(table: FlatTable) -> bytes:
    """What the table is, what its fields mean, and the rows as objects."""
    names = [field.name for field in table.fields]
    document = {
        "about": dict(table.about),
        "fields": [
            {"name": field.name, "type": field.kind, "meaning": field.meaning}
            for field in table.fields
        ],
        "rows": [dict(zip(names, row, strict=True)) for row in table.rows],
    }
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


_ARROW_TYPES: Mapping[Kind, DataType] = {
    "int64": DataType.int64(),
    "double": DataType.float64(),
    "string": DataType.string(),
    "bool": DataType.bool(),
    "list<int64>": DataType.list(ArrowField("item", DataType.int64(), nullable=False)),
}


def as_parquet(table: FlatTable) -> bytes:
    """Typed columns; ``about`` as JSON in the file's metadata, meanings in the fields'.

    Equal tables are equal bytes.
    """
    schema = ArrowSchema(
        [
            ArrowField(
                field.name,
                _ARROW_TYPES[field.kind],
                nullable=field.kind != "list<int64>",
                metadata={"meaning": field.meaning},
            )
            for field in table.fields
        ]
    )
    columns = [
        _arrow_column(field, [row[place] for row in table.rows])
        for place, field in enumerate(table.fields)
    ]
    buffer = BytesIO()
    write_parquet(
        Table.from_arrays(columns, schema=schema),
        buffer,
        # One key: the order of several would change from one writing to the next.
        key_value_metadata={"about": json.dumps(dict(table.about))},
    )
    return buffer.getvalue()


def _arrow_column(field: Field, values: Sequence[Any]) -> Array:
    if field.kind != "list<int64>":
        return Array(values, type=_ARROW_TYPES[field.kind])
    ends = accumulate((len(value) for value in values), initial=0)
    items = [item for value in values for item in value]
    return list_array(
        Array(list(ends), type=DataType.int32()),
        Array(items, type=DataType.int64()),
        type=_ARROW_TYPES[field.kind],
    )


FILE_KINDS: Mapping[str, FileKind] = {
    "csv": FileKind("text/csv; charset=utf-8", as_csv),
    "json": FileKind("application/json", as_json),
    "parquet": FileKind("application/vnd.apache.parquet", as_parquet),
}
