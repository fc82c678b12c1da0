"""Trying a sandbox out from inside: each probe is one way out that has to be shut."""

from __future__ import annotations

import json
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.sandbox import cgroups
from evaluator.sandbox.base import MIB, Limits, Sandbox, SandboxError, was_set_up

_LIMITS = Limits(
    cpu_seconds=30,
    memory_bytes=512 * MIB,
    processes=24,
    file_bytes=4 * MIB,
    open_files=256,
    tmp_bytes=2 * MIB,
)
_SECONDS = 60
_JOIN_SECONDS = 20
_SPACES = ("user", "pid", "net", "ipc", "uts", "cgroup", "mnt")


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """One attempt to get out; ``ok`` when the sandbox held."""

    name: str
    ok: bool
    detail: str


def probe(sandbox: Sandbox) -> list[ProbeResult]:
    """Try every known way out of ``sandbox``; takes about a second.

    A sandbox that claims no isolation is not tried: the probes would reach the host.
    """
    if not sandbox.isolates:
        return [ProbeResult("isolates", ok=False, detail=sandbox.describe())]
    with (
        tempfile.TemporaryDirectory(prefix="ohb-probe-") as folder,
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        name = f"ohb-probe-{secrets.token_hex(8)}"
        abstract.bind("\0" + name)
        abstract.listen()
        config = {
            "port": listener.getsockname()[1],
            "abstract": name,
            **_folders(Path(folder)),
            "host": {
                name: str(Path("/proc/self/ns", name).readlink()) for name in _SPACES
            },
            **{field: getattr(_LIMITS, field) for field in Limits.__slots__},
        }
        return _answers(sandbox, config)


def open_ways_out(sandbox: Sandbox) -> list[ProbeResult]:
    """The probes that failed, but for the gaps that ``sandbox`` warns of."""
    return [
        result
        for result in probe(sandbox)
        if not result.ok and result.name not in sandbox.gaps
    ]


def _folders(top: Path) -> dict[str, str]:
    box, readable, secret = top / "box", top / "readable", top / "secret"
    box.mkdir()
    readable.mkdir()
    secret.write_text("not for the sandbox")
    return {"box": str(box), "readable": str(readable), "secret": str(secret)}


def _answers(sandbox: Sandbox, config: dict[str, Any]) -> list[ProbeResult]:
    # The interpreter that runs us, not /usr/bin/python3: that one may lack modules.
    home = Path(sys.base_prefix).resolve()
    interpreter = (
        home / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    )
    libraries = () if home.is_relative_to("/usr") else (home,)
    script = Path(__file__).with_name("inside.py").read_text(encoding="utf-8")
    variables = ["HOME", "LANG", "LC_CTYPE", "PATH", "PWD"]
    box, readable = Path(config["box"]), Path(config["readable"])
    try:
        process = sandbox.popen(
            [interpreter, "-I", "-S", "-c", script],
            cwd=box,
            env={},
            readable=(*libraries, readable),
            writable=(box,),
            limits=_LIMITS,
            stdin=subprocess.PIPE,
        )
    except (OSError, SandboxError) as error:
        return [ProbeResult("starts a command", ok=False, detail=str(error))]
    together = list(_together(process))
    with process:
        asked = json.dumps({**config, "variables": variables}).encode()
        try:
            output, _ = process.communicate(asked, timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            detail = f"the probes did not end within {_SECONDS} seconds"
            return [ProbeResult("starts a command", ok=False, detail=detail)]
    if process.returncode != 0 or not was_set_up(process):
        said = output.decode(errors="replace").strip()[-500:]
        detail = f"exit {process.returncode}: {said}"
        return [ProbeResult("starts a command", ok=False, detail=detail)]
    return [*(ProbeResult(*answer) for answer in json.loads(output)), *together]


def _together(process: subprocess.Popen[bytes]) -> Iterator[ProbeResult]:
    """Whether what waits inside is in a control group; asked from outside."""
    group: cgroups.Group = getattr(process, "group", cgroups.NO_GROUP)
    until = time.monotonic() + _JOIN_SECONDS
    while not (joined := group.has(process.pid)) and time.monotonic() < until:
        if not group.folders or process.poll() is not None:
            break
        time.sleep(0.01)
    for kind, name in cgroups.KINDS.items():
        held = joined and kind in group.kinds
        detail = "in a control group" if held else "only for each process"
        yield ProbeResult(name, held, detail)
