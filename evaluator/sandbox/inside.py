"""The probes that run inside a sandbox: plain Python, nothing of this project.

Reads one JSON object on standard input and answers with another on standard output:
a list of [name, ok, detail].
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Answer = tuple[bool, str]
PROBES: list[tuple[str, Callable[[dict[str, Any]], Answer]]] = []


def named(name: str) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    def add(function: Callable[..., Answer]) -> Callable[..., Answer]:
        PROBES.append((name, function))
        return function

    return add


def status(field: str) -> str:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return line.split(":", 1)[1].strip()
    return ""


def refused(action: Callable[[], object], *codes: int) -> Answer:
    """Whether ``action`` fails; with ``codes``, whether it fails with one of them."""
    try:
        action()
    except OSError as error:
        held = not codes or error.errno in codes
        return held, errno.errorcode.get(error.errno or 0, str(error))
    return False, "it worked"


def command_refused(*words: str) -> Answer:
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, check=False, timeout=10
        )
    except OSError as error:
        return False, f"cannot tell: {error}"
    said = done.stderr.strip().partition("\n")[0]
    return done.returncode != 0, said or f"exit {done.returncode}"


@named("runs as an ordinary user")
def ordinary_user(_: dict[str, Any]) -> Answer:
    ids = {*os.getresuid(), *os.getresgid(), *os.getgroups()}
    return 0 not in ids, f"uid {os.getuid()}, groups {os.getgroups()}"


@named("holds no capabilities")
def no_capabilities(_: dict[str, Any]) -> Answer:
    held = {name: status(name) for name in ("CapEff", "CapPrm", "CapAmb")}
    return not any(int(value, 16) for value in held.values()), str(held)


@named("cannot gain privileges")
def no_new_privileges(_: dict[str, Any]) -> Answer:
    value = status("NoNewPrivs")
    return value == "1", f"NoNewPrivs {value}"


@named("system calls are filtered")
def filtered(_: dict[str, Any]) -> Answer:
    if status("Seccomp") != "2":
        return False, "no filter: install libseccomp2"
    return command_refused("setarch", "--addr-no-randomize", "true")


@named("host files are invisible")
def host_files(config: dict[str, Any]) -> Answer:
    secrets = [config["secret"], "/etc/shadow", "/etc/passwd", "/var", "/sys"]
    seen = [path for path in secrets if os.path.lexists(path)]
    return not seen, f"seen: {', '.join(seen)}" if seen else "none seen"


@named("the environment is clean")
def environment(config: dict[str, Any]) -> Answer:
    try:
        first = Path("/proc/1/environ").read_bytes().split(b"\0")
    except PermissionError:  # of another user, so it cannot leak anything
        first = []
    names = {entry.partition(b"=")[0].decode() for entry in first if entry}
    strange = (names - {"PATH", "PWD"}) | (set(os.environ) - set(config["variables"]))
    return not strange, f"unexpected: {sorted(strange)}" if strange else "as given"


@named("the command line of the first process is clean")
def command_line(config: dict[str, Any]) -> Answer:
    words = Path("/proc/1/cmdline").read_bytes()
    held = str(config["box"]).encode() not in words
    return held, "no host path" if held else "names the folder on the host"


@named("only its own processes are visible")
def processes(_: dict[str, Any]) -> Answer:
    seen = [
        int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()
    ]
    return len(seen) <= 4 and max(seen) <= 200, f"process ids {sorted(seen)[:8]}"


@named("no file descriptors leak in")
def descriptors(_: dict[str, Any]) -> Answer:
    seen = []
    for number in range(3, 256):
        with contextlib.suppress(OSError):
            os.fstat(number)
            seen.append(number)
    return not seen, f"open: {seen}" if seen else "0, 1, 2 only"


@named("no network interface but its own loopback")
def interfaces(_: dict[str, Any]) -> Answer:
    names = [name for _, name in socket.if_nameindex()]
    return names == ["lo"], ", ".join(names)


@named("no connection to the host's loopback")
def loopback(config: dict[str, Any]) -> Answer:
    return refused(
        lambda: socket.create_connection(("127.0.0.1", config["port"]), 3).close()
    )


@named("no connection to the host's abstract sockets")
def abstract(config: dict[str, Any]) -> Answer:
    with socket.socket(socket.AF_UNIX) as client:
        return refused(lambda: client.connect("\0" + config["abstract"]))


@named("no connection to the outside")
def outside(_: dict[str, Any]) -> Answer:
    # An address of the documentation range: an open network would time out on it.
    return refused(
        lambda: socket.create_connection(("192.0.2.1", 80), 3).close(),
        errno.ENETUNREACH,
        errno.EACCES,
        errno.EPERM,
    )


@named("system folders are read-only")
def system_folders(config: dict[str, Any]) -> Answer:
    for folder in ("/usr", "/", "/dev", "/etc", config["readable"]):
        held, detail = refused(Path(folder, "probe").touch, errno.EROFS, errno.EACCES)
        if not held:
            return False, f"{folder}: {detail}"
    return True, "/usr, /, /dev, /etc and readable paths"


@named("its own folder is writable")
def own_folder(config: dict[str, Any]) -> Answer:
    try:
        Path(config["box"], "made").write_text("inside")
    except OSError as error:
        return False, str(error)
    return True, "written"


@named("every namespace is its own")
def own_namespaces(config: dict[str, Any]) -> Answer:
    found = {
        name: str(Path("/proc/self/ns", name).readlink()) for name in config["host"]
    }
    shared = [name for name, value in found.items() if value == config["host"][name]]
    return not shared, f"shared: {', '.join(shared)}" if shared else ", ".join(found)


@named("no mounts")
def mounts(_: dict[str, Any]) -> Answer:
    return command_refused("mount", "-t", "tmpfs", "probe", "/tmp")  # noqa: S108 - of the box


@named("no user namespaces of its own")
def namespaces(_: dict[str, Any]) -> Answer:
    return command_refused("unshare", "--user", "true")


@named("temporary folders are small")
def temporary(config: dict[str, Any]) -> Answer:
    for folder in ("/tmp", "/dev/shm"):  # noqa: S108 - of the box
        held, detail = filled(Path(folder, "probe"), config["tmp_bytes"])
        if not held:
            return False, f"{folder}: {detail}"
    return True, f"{config['tmp_bytes']} bytes at most"


def filled(target: Path, limit: int) -> Answer:
    block = bytes(min(1 << 20, max(limit // 4, 1)))
    with target.open("wb", buffering=0) as stream:
        for _ in range(2 * limit // len(block) + 1):
            held, detail = refused(lambda: stream.write(block))
            if held:
                break
    target.unlink()
    return held, detail


@named("files are limited in size")
def file_size(config: dict[str, Any]) -> Answer:
    target = Path(config["box"], "large")
    with target.open("wb", buffering=0) as stream:
        os.truncate(target, config["file_bytes"])
        stream.seek(config["file_bytes"])
        answer = refused(lambda: stream.write(b"one too many"), errno.EFBIG)
    target.unlink()
    return answer


@named("memory is limited")
def memory(config: dict[str, Any]) -> Answer:
    try:
        bytearray(config["memory_bytes"] + (1 << 20))
    except MemoryError:
        return True, f"{config['memory_bytes']} bytes at most"
    return False, "allocated more than allowed"


@named("processor time is limited")
def processor(config: dict[str, Any]) -> Answer:
    limits = resource.getrlimit(resource.RLIMIT_CPU)
    wanted = config["cpu_seconds"]
    return all(0 <= limit <= wanted for limit in limits), f"{limits[1]} seconds"


@named("a fork bomb is limited")
def fork_bomb(config: dict[str, Any]) -> Answer:
    children: list[int] = []
    try:
        for child in forks(limit=2 * config["processes"]):
            children.append(child)
    except OSError as error:
        return error.errno == errno.EAGAIN, f"stopped after {len(children)}"
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return False, f"{len(children)} processes started"


def forks(limit: int) -> Iterator[int]:
    for _ in range(limit):
        child = os.fork()
        if child == 0:
            signal.pause()
            os._exit(0)
        yield child


def main() -> None:
    config = json.load(sys.stdin)
    answers = []
    for name, function in PROBES:
        try:
            ok, detail = function(config)
        except Exception as error:  # noqa: BLE001 - a probe that breaks is an open item
            ok, detail = False, f"{type(error).__name__}: {error}"
        answers.append([name, ok, detail])
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
