"""Hints through files: several writers and readers, broken files, torn tables."""

from __future__ import annotations

from multiprocessing import get_context
from multiprocessing.context import SpawnProcess as Process
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection

from leaderboard.config.env import broker

MESSAGES = 150


def connect(folder: Path) -> Connection:
    url, options = broker(f"filesystem://{folder}")
    return Connection(url, transport_options=options)


def send(folder: Path, sender: int) -> None:
    with connect(folder) as connection:
        queue = connection.SimpleQueue("device.simulated-phone")
        for number in range(MESSAGES):
            queue.put([sender, number])
        queue.close()


def sender_process(folder: Path, sender: int) -> Process:
    """A started process of its own: kombu remembers bindings for each process."""
    process = get_context("spawn").Process(target=send, args=(folder, sender))
    process.start()
    return process


def receive_all(folder: Path, *, count: int) -> list[list[int]]:
    with connect(folder) as connection:
        queue = connection.SimpleQueue("device.simulated-phone")
        received = []
        for _ in range(count):
            message = queue.get(timeout=200)
            received.append(message.payload)
            message.ack()
        queue.close()
    return received


def test_a_reader_never_sees_half_a_message(tmp_path):
    senders = [sender_process(tmp_path, number) for number in range(2)]

    received = receive_all(tmp_path, count=2 * MESSAGES)

    for sender in senders:
        sender.join()
    assert sorted(received) == [[s, n] for s in range(2) for n in range(MESSAGES)]


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe"])
def test_a_broken_message_is_passed_over(tmp_path, content):
    with connect(tmp_path) as connection:
        channel = connection.default_channel
        (tmp_path / "messages" / "0_broken.agent.msg").write_bytes(content)
        channel._put("agent", "after")

        with pytest.raises(Empty):
            channel._get("agent")
        assert channel._get("agent") == "after"


def test_a_broken_table_of_queues_is_written_anew(tmp_path):
    sender_process(tmp_path, 0).join()
    tables = list((tmp_path / "control").glob("*.exchange"))
    assert tables
    for table in tables:
        table.write_bytes(b"[[")

    sender_process(tmp_path, 1).join()

    assert len(receive_all(tmp_path, count=2 * MESSAGES)) == 2 * MESSAGES
