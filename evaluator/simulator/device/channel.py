"""The hdc channel protocol: a greeting each way, then length-prefixed texts."""

from __future__ import annotations

import socket
import struct

BANNER = b"OHOS HDC"
MAX_FRAME_BYTES = 1024 * 1024

_LENGTH = struct.Struct("!I")
_SERVER_GREETING = struct.Struct("!I12s32s")
_CLIENT_GREETING = struct.Struct("!12s256s")


class ChannelError(Exception):
    """The other end closed the channel, or does not speak the protocol."""


def receive_exactly(connection: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            raise ChannelError("the other end closed the channel")
        data += part
    return bytes(data)


def send_text(connection: socket.socket, text: str) -> None:
    data = text.encode()
    connection.sendall(_LENGTH.pack(len(data)) + data)


def receive_text(connection: socket.socket) -> str:
    """Return the next text; the client ends its own with a NUL, which is dropped."""
    (size,) = _LENGTH.unpack(receive_exactly(connection, _LENGTH.size))
    if size > MAX_FRAME_BYTES:
        raise ChannelError(f"a frame of {size} bytes; at most {MAX_FRAME_BYTES}")
    return receive_exactly(connection, size).decode("utf-8", "replace").rstrip("\0")


def greet_as_server(connection: socket.socket, channel_id: int) -> str:
    """Exchange greetings; return the connect key (serial) the client asks for."""
    payload = _SERVER_GREETING.pack(44, BANNER, _LENGTH.pack(channel_id & 0x7FFFFFFF))
    connection.sendall(payload)
    (size,) = _LENGTH.unpack(receive_exactly(connection, _LENGTH.size))
    if not len(BANNER) <= size <= 1024:
        raise ChannelError(f"a greeting of {size} bytes")
    greeting = receive_exactly(connection, size)
    if not greeting.startswith(BANNER):
        raise ChannelError("not an hdc client")
    return greeting[12:].split(b"\0", 1)[0].decode("utf-8", "replace")


def greet_as_client(connection: socket.socket, connect_key: str) -> None:
    receive_exactly(connection, _SERVER_GREETING.size)
    greeting = _CLIENT_GREETING.pack(BANNER, connect_key.encode()[:255])
    connection.sendall(_LENGTH.pack(len(greeting)) + greeting)
