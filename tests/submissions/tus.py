"""Speaking tus through Django's test client."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any
from uuid import UUID

from django.test import Client

from submissions.models import UploadSession

UPLOADS = "/api/v1/uploads/"
TUS = {"Tus-Resumable": "1.0.0"}
PART = "application/offset+octet-stream"


def based(data: bytes | str) -> str:
    raw = data.encode() if isinstance(data, str) else data
    return base64.b64encode(raw).decode()


def begin(client: Client, length: int | str, **metadata: str) -> Any:
    pairs = ",".join(f"{key} {based(value)}" for key, value in metadata.items())
    headers = {**TUS, "Upload-Length": str(length), "Upload-Metadata": pairs}
    return client.post(UPLOADS, headers=headers)


def begun(client: Client, length: int, **metadata: str) -> str:
    """The address of a new upload."""
    answer = begin(client, length, **metadata)
    assert answer.status_code == 201, answer.content
    return str(answer["Location"])


def send(
    client: Client, address: str, data: bytes, *, at: int = 0, checksum: str = ""
) -> Any:
    headers = {**TUS, "Upload-Offset": str(at)}
    if checksum:
        headers["Upload-Checksum"] = checksum
    return client.patch(address, data, content_type=PART, headers=headers)


def offset(client: Client, address: str) -> int:
    answer = client.head(address, headers=TUS)
    assert answer.status_code == 200, answer.status_code
    return int(answer["Upload-Offset"])


def uploaded(client: Client, data: bytes, *, name: str = "bundle.zip") -> str:
    """The identifier of a whole upload of ``data``."""
    address = begun(client, len(data), filename=name)
    assert send(client, address, data).status_code == 204
    return address.removeprefix(UPLOADS).strip("/")


def row_of(address: str) -> UploadSession:
    return UploadSession.objects.get(pk=UUID(address.removeprefix(UPLOADS).strip("/")))


def on_disk(data_dir: Path) -> list[str]:
    """What kinds of files the folder of uploads holds."""
    return sorted(path.suffix for path in (data_dir / "uploads").glob("*"))


def codes(answer: Any) -> list[str]:
    return [each["code"] for each in answer.json()["errors"]]


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
