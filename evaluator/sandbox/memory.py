"""Bytes for a child by file descriptor: no file and no argument holds them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def in_memory(content: bytes) -> Iterator[int]:
    """A file descriptor that yields ``content`` to the child it is passed to."""
    descriptor = os.memfd_create("sandbox")
    try:
        with os.fdopen(os.dup(descriptor), "wb") as stream:
            stream.write(content)
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)
