"""What runs beside the agent in its sandbox: plain Python, nothing of this project.

``relay SOCKET COMMAND...`` lends COMMAND a TCP port that leads to the worker's gateway,
its only way out; ``read DATABASE FOLDER`` writes down what a session left behind. The
agent's database was in reach of commands that a model chose, so it is opened in here.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PORT_MARK = "@MODEL_PORT@"
_CHUNK = 65536


def relay(path: str, words: list[str]) -> int:
    """Run ``words`` with the port in place of its mark in the environment."""
    try:
        listener = socket.create_server(("127.0.0.1", 0))
    except OSError as error:
        sys.stderr.write(f"no loopback network in the sandbox: {error}\n")
        return 125
    port = str(listener.getsockname()[1])
    threading.Thread(target=_accept, args=(listener, path), daemon=True).start()
    environment = {
        key: value.replace(PORT_MARK, port) for key, value in os.environ.items()
    }
    try:
        ended = subprocess.run(words, env=environment, check=False)
    except OSError as error:
        sys.stderr.write(f"{words[0]}: {error.strerror}\n")
        return 127
    return ended.returncode if ended.returncode >= 0 else 128 - ended.returncode


def _accept(listener: socket.socket, path: str) -> None:
    while True:
        near, _ = listener.accept()
        far = socket.socket(socket.AF_UNIX)
        try:
            far.connect(path)
        except OSError:
            near.close()
            continue
        for source, target in ((near, far), (far, near)):
            threading.Thread(target=_pump, args=(source, target), daemon=True).start()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while chunk := source.recv(_CHUNK):
            target.sendall(chunk)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def read(database: str, folder: str) -> int:
    """Write trajectory and database of a session to ``folder``; print the sums."""
    connection = sqlite3.connect(database)
    connection.row_factory = sqlite3.Row
    query = (
        "SELECT id, parent_id, title, version FROM session ORDER BY time_created, id"
    )
    sessions = [dict(row) for row in connection.execute(query)]
    with Path(folder, "trajectory.jsonl").open("w", encoding="utf-8") as out:
        for session in sessions:
            session |= {"steps": 0, "tokens": 0, "unknown": 0}
            for message in _messages(connection, session["id"]):
                _count(message["parts"], session)
                out.write(json.dumps(message, ensure_ascii=False) + "\n")
    connection.execute("VACUUM INTO ?", (str(Path(folder, "session.sqlite3")),))
    json.dump(sessions, sys.stdout)
    return 0


def _messages(connection: sqlite3.Connection, session: str) -> Iterator[dict[str, Any]]:
    """The messages of one session in the form of the program's own export."""
    messages = connection.execute(
        "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id",
        (session,),
    )
    for message in messages:
        parts = connection.execute(
            "SELECT id, data FROM part WHERE message_id = ? ORDER BY id",
            (message["id"],),
        )
        of_session = {"sessionID": session}
        yield {
            "info": {**json.loads(message["data"]), "id": message["id"], **of_session},
            "parts": [
                {
                    **json.loads(part["data"]),
                    "id": part["id"],
                    **of_session,
                    "messageID": message["id"],
                }
                for part in parts
            ],
        }


def _count(parts: list[dict[str, Any]], session: dict[str, Any]) -> None:
    for part in parts:
        if part.get("type") != "step-finish":
            continue
        session["steps"] += 1
        total = (part.get("tokens") or {}).get("total")
        if type(total) is int and total >= 0:
            session["tokens"] += total
        else:
            session["unknown"] += 1


if __name__ == "__main__":
    act, first, *rest = sys.argv[1:]
    sys.exit(relay(first, rest) if act == "relay" else read(first, rest[0]))
