"""Several devices on one worker: one holder each, dead ones passed over, reconnects."""

from __future__ import annotations

import os
import signal
import socket
import threading
from pathlib import Path

import pytest

from evaluator.toolchains.base import DeviceUnavailableError
from evaluator.toolchains.hdc_pool import HdcDevicePool, is_network_address
from evaluator.toolchains.needs import Needs
from tests.evaluator.simulator.apps import ENVIRONMENT, HDC, device_pool
from tests.evaluator.stubs import write_tool
from tests.ports import free_port

# Devices that are Connected are those in the file `up`, one a line. An address comes
# there by tconn if it is in the file `reachable`.
SCRIPT = """
import socket
SERVER = '''
import socket, sys, time
with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as server:
    server.settimeout(600)
    while True:
        server.accept()[0].close()
'''
here = Path(__file__).parent
words = sys.argv[1:]
with (here / "calls").open("a") as calls:
    calls.write(" ".join(words) + "\\n")
def lines(name):
    path = here / name
    return path.read_text().split() if path.exists() else []
if words == ["start"]:
    if lines("serve"):
        import subprocess
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        port = os.environ["OHOS_HDC_SERVER_PORT"]
        server = subprocess.Popen([sys.executable, "-c", SERVER, port], **quiet)
        (here / "server").write_text(str(server.pid))
        while True:
            try:
                socket.create_connection(("127.0.0.1", int(port))).close()
                break
            except OSError:
                time.sleep(0.05)
elif words[0] == "tconn":
    if "-remove" in words:
        (here / "stale").unlink(missing_ok=True)
    elif words[1] in lines("reachable"):
        with (here / "up").open("a") as up:
            up.write(words[1] + "\\n")
        print("Connect OK")
    else:
        print("[Fail]Connect failed" if len(words[1]) % 2 else "Connect failed")
elif words[2:] == ["list", "targets", "-v"]:
    for serial in dict.fromkeys(lines("up")):
        state = "Offline" if serial in lines("stale") else "Connected"
        print(f"{serial}\\t\\tTCP\\t{state}\\tlocalhost")
elif words[2:] == ["shell", "param get bootevent.boot.completed"]:
    print("true")
"""


@pytest.fixture
def pool(tmp_path: Path):
    """Makes pools of the given serials; each shares the devices with the others."""
    hdc = write_tool(tmp_path / "hdc", SCRIPT)

    def make(*serials: str, wait_seconds: float = 0, port: int = 1) -> HdcDevicePool:
        return HdcDevicePool(
            hdc,
            serials,
            "phone",
            {"PATH": "/usr/bin:/bin"},
            server_port=port,
            wait_seconds=wait_seconds,
        )

    return make


def up(folder: Path, *serials: str, name: str = "up") -> None:
    (folder / name).write_text("".join(f"{serial}\n" for serial in serials))


def test_each_device_has_one_holder_at_a_time(pool, tmp_path: Path):
    up(tmp_path, "A1", "B2")

    with pool("A1", "B2").lease(scratch=tmp_path) as first:
        with pool("A1", "B2").lease(scratch=tmp_path) as second:
            assert {first.serial, second.serial} == {"A1", "B2"}
            with pytest.raises(DeviceUnavailableError, match="another slot"):
                pool("A1", "B2").lease(scratch=tmp_path).__enter__()
        with pool("A1", "B2").lease(scratch=tmp_path) as again:
            assert again.serial == second.serial


def test_a_slot_waits_for_a_device_that_another_one_holds(pool, tmp_path: Path):
    up(tmp_path, "A1")
    held, got = threading.Event(), []

    def wait() -> None:
        with pool("A1", wait_seconds=600).lease(scratch=tmp_path) as device:
            got.append((held.is_set(), device.serial))

    waiting = threading.Thread(target=wait)
    with pool("A1").lease(scratch=tmp_path):
        waiting.start()
        held.set()
    waiting.join(600)

    assert got == [(True, "A1")]


def test_a_device_that_met_trouble_with_the_job_comes_last(pool, tmp_path: Path):
    up(tmp_path, "A1", "B2")

    with pool("A1", "B2").lease(scratch=tmp_path, avoid={"A1"}) as device:
        assert device.serial == "B2"
    with pool("A1").lease(scratch=tmp_path, avoid={"A1"}) as device:
        assert device.serial == "A1"


def test_a_dead_device_is_passed_over(pool, tmp_path: Path):
    up(tmp_path, "B2")

    with pool("A1", "B2").lease(scratch=tmp_path) as device:
        assert device.serial == "B2"


def test_where_no_device_answers_it_is_said_why_of_each(pool, tmp_path: Path):
    with pytest.raises(DeviceUnavailableError) as raised:
        pool("A1", "127.0.0.1:5555").lease(scratch=tmp_path).__enter__()

    assert "A1: A1 is not connected" in str(raised.value)
    assert "127.0.0.1:5555: hdc tconn 127.0.0.1:5555" in str(raised.value)


def test_a_worker_without_devices_names_the_setting(pool, tmp_path: Path):
    with pytest.raises(DeviceUnavailableError, match="OHB_DEVICES"):
        pool().lease(scratch=tmp_path).__enter__()


def test_an_emulator_is_connected_when_it_is_wanted(pool, tmp_path: Path):
    up(tmp_path, "127.0.0.1:5555", name="reachable")

    with pool("127.0.0.1:5555").lease(scratch=tmp_path) as device:
        assert device.serial == "127.0.0.1:5555"

    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls[:2] == ["start", "tconn 127.0.0.1:5555"]
    assert all(call.startswith("-t 127.0.0.1:5555 ") for call in calls[2:])


def test_an_old_connection_to_an_emulator_is_made_anew(pool, tmp_path: Path):
    for name in ("reachable", "up", "stale"):
        up(tmp_path, "127.0.0.1:5555", name=name)

    with pool("127.0.0.1:5555").lease(scratch=tmp_path) as device:
        assert device.serial == "127.0.0.1:5555"

    assert "tconn 127.0.0.1:5555 -remove" in (tmp_path / "calls").read_text()


def test_the_server_outlives_the_calls_and_is_started_once(pool, tmp_path: Path):
    """Its end would cut off every emulator, and each call ends its own processes."""
    up(tmp_path, "A1")
    up(tmp_path, "yes", name="serve")
    port = free_port()
    try:
        for _ in range(2):
            with pool("A1", port=port).lease(scratch=tmp_path):
                pass
        socket.create_connection(("127.0.0.1", port)).close()
    finally:
        os.kill(int((tmp_path / "server").read_text()), signal.SIGKILL)

    assert (tmp_path / "calls").read_text().splitlines().count("start") == 1


def test_a_device_that_is_not_what_the_snapshot_names_is_passed_over(tmp_path: Path):
    """The simulated device is asked here as any real one is."""
    own = tmp_path / "device"
    own.mkdir()
    with device_pool().lease(scratch=own) as simulated:

        def lend(needs: Needs) -> str:
            pool = HdcDevicePool(
                HDC,
                (simulated.serial,),
                "phone",
                ENVIRONMENT,
                server_port=simulated.server_port,
                needs=needs,
                wait_seconds=0,
            )
            with pool.lease(scratch=tmp_path) as device:
                return device.serial

        assert lend(Needs(api_level=23, resolution=(1308, 2880))) == simulated.serial
        with pytest.raises(DeviceUnavailableError, match="1260x2720 wanted"):
            lend(Needs(resolution=(1260, 2720)))


@pytest.mark.parametrize(
    ("serial", "answer"),
    [
        ("127.0.0.1:5555", True),
        ("emulator.lan:5557", True),
        ("3CDQ023C2C000001", False),
        ("a:b", False),
        (":5555", False),
    ],
)
def test_only_an_address_has_to_be_connected(serial: str, answer: bool):
    assert is_network_address(serial) is answer
