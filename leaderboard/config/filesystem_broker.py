"""Kombu's filesystem transport, made safe for several processes.

Kombu's own writes a message file in place, so a reader may find it empty and the whole
worker ends; its table of queues has the same weakness. Here every file appears whole,
and a file that cannot be read is passed over: a hint may get lost, a worker may not.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from json import JSONDecodeError
from pathlib import Path
from queue import Empty
from tempfile import NamedTemporaryFile
from time import monotonic
from typing import Any
from uuid import uuid4

from kombu.transport import filesystem
from kombu.transport.filesystem import LOCK_EX, exchange_queue_t, lock, unlock
from kombu.utils.json import dumps

UNREADABLE = (JSONDecodeError, UnicodeDecodeError)


class Channel(filesystem.Channel):
    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]  # kombu's own bases disagree on the names
        name = f"{round(monotonic() * 1000)}_{uuid4()}.{queue}.msg"
        _write_whole(Path(self.data_folder_out, name), dumps(payload))

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        try:
            return super()._get(queue)
        except UNREADABLE:
            raise Empty from None

    def get_table(self, exchange: str) -> list[exchange_queue_t]:
        try:
            return list(super().get_table(exchange))
        except UNREADABLE:
            return []

    def _queue_bind(
        self, exchange: str, routing_key: str, pattern: str, queue: str
    ) -> None:
        binding = exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with self._locked_table():
            table = self.get_table(exchange)
            if binding not in table:
                file = self._exchange_file(exchange)
                _write_whole(file, dumps([binding, *table]))

    @contextmanager
    def _locked_table(self) -> Iterator[None]:
        self.control_folder.mkdir(exist_ok=True)
        with (self.control_folder / "lock").open("ab") as handle:
            lock(handle, LOCK_EX)
            try:
                yield
            finally:
                unlock(handle)


class Transport(filesystem.Transport):
    Channel = Channel


def _write_whole(target: Path, text: str) -> None:
    """Let ``target`` appear with its full content, or not at all."""
    with NamedTemporaryFile(
        "w", encoding="utf-8", dir=target.parent, prefix=".", delete=False
    ) as handle:
        handle.write(text)
    Path(handle.name).replace(target)
