"""Rows of tasks as files, and their description."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from io import BytesIO
from itertools import accumulate
from typing import Any

from arro3.core import Array, DataType, Table, list_array
from arro3.core import Field as ArrowField
from arro3.core import Schema as ArrowSchema
from arro3.io import write_parquet

from leaderboard.dataset.fields import Kind, TaskField
from leaderboard.models import EvaluationSnapshot

Rows = Sequence[Mapping[str, Any]]
_TYPES: Mapping[Kind, DataType] = {
    "text": DataType.string(),
    "integer": DataType.int64(),
    "texts": DataType.list(ArrowField("item", DataType.string(), nullable=False)),
}
_CROISSANT_TYPES: Mapping[Kind, str] = {
    "text": "sc:Text",
    "integer": "sc:Integer",
    "texts": "sc:Text",
}
# As the specification of Croissant 1.0 gives it, whole: readers compare it, and a word
# that is missing would be one of schema.org.
_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def as_jsonl(rows: Rows) -> bytes:
    """One object a line, UTF-8."""
    lines = (json.dumps(dict(row), ensure_ascii=False) + "\n" for row in rows)
    return "".join(lines).encode()


def as_parquet(rows: Rows, fields: Sequence[TaskField]) -> bytes:
    """Typed columns with their meaning; equal rows are equal bytes."""
    schema = ArrowSchema(
        [
            ArrowField(
                field.name,
                _TYPES[field.kind],
                nullable=False,
                metadata={"meaning": field.meaning},
            )
            for field in fields
        ]
    )
    columns = [_column(field, [row[field.name] for row in rows]) for field in fields]
    buffer = BytesIO()
    write_parquet(Table.from_arrays(columns, schema=schema), buffer)
    return buffer.getvalue()


def _column(field: TaskField, values: Sequence[Any]) -> Array:
    kind = _TYPES[field.kind]
    if field.kind != "texts":
        return Array(values, type=kind)
    ends = accumulate((len(value) for value in values), initial=0)
    texts = [text for value in values for text in value]
    return list_array(
        Array(list(ends), type=DataType.int32()),
        Array(texts, type=DataType.string()),
        type=kind,
    )


def croissant(
    snapshot: EvaluationSnapshot,
    fields: Sequence[TaskField],
    files: Mapping[str, bytes],
    *,
    url: str,
    license_url: str,
    description: str,
    cite_as: str,
) -> dict[str, Any]:
    """The description of ``files`` by name, as Croissant 1.0 (JSON-LD)."""
    media = {".jsonl": "application/jsonl", ".parquet": "application/x-parquet"}
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": f"{snapshot.benchmark.slug}-{snapshot.version}",
        "description": description,
        "citeAs": cite_as,
        "url": url,
        "license": license_url,
        "version": snapshot.version,
        "datePublished": snapshot.task_snapshot_date.isoformat(),
        "creator": {"@type": "sc:Organization", "name": snapshot.benchmark.name},
        "isLiveDataset": False,
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": name,
                "name": name,
                "contentUrl": name,
                "encodingFormat": media[name[name.rindex(".") :]],
                "contentSize": f"{len(content)} B",
                "sha256": hashlib.sha256(content).hexdigest(),
            }
            for name, content in files.items()
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "tasks",
                "name": "tasks",
                "description": "One record a task.",
                "key": {"@id": "tasks/slug"},
                "field": [_field(each) for each in fields],
            }
        ],
    }


def _field(field: TaskField) -> dict[str, Any]:
    found: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": f"tasks/{field.name}",
        "name": field.name,
        "description": field.meaning,
        "dataType": _CROISSANT_TYPES[field.kind],
        "source": {
            "fileObject": {"@id": "tasks.parquet"},
            "extract": {"column": field.name},
        },
    }
    return {**found, "repeated": True} if field.kind == "texts" else found
