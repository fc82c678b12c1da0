"""A large upload that is killed twice: ``python -m tests.benchmarks.big_upload``.

A sound bundle of the given size goes in parts to gunicorn, as in the Procfile. At 30 %
the sender is killed and a new one goes on; at 60 % the server is killed and started
again. Then the bundle is submitted. Printed are the digests on both ends, the times,
and the peak resident memory of the web processes as the kernel counts it (VmHWM).
Needs Linux, and free disk space of four times the size.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from submissions.resumable.client import PART_BYTES, send
from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
MIB = 1024 * 1024
WEB = ("--worker-class", "gthread", "--threads", "8", "--graceful-timeout", "3")
TASKS, RUNS = 6, 3
# Runs in the project's own process: the rows that a trial needs.
PREPARE = f"""
import json, sys
import django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from tests.factories import UserFactory
from tests.submissions.bundles import files_for, make_snapshot
from tests.tokens import token_for
snapshot = make_snapshot(task_count={TASKS}, run_count={RUNS})
user = UserFactory(is_staff=True)
files = {{name: data.decode() for name, data in files_for(snapshot).items()}}
json.dump({{"token": token_for(user), "files": files}}, sys.stdout)
"""


class Trial(NamedTuple):
    """What a trial found; sizes in MiB, times in seconds."""

    size_mib: float
    sent_sha256: str
    stored_sha256: str
    killed_at: dict[str, str]
    sent_twice_mib: float
    upload_seconds: float
    check_seconds: float
    peak_web_mib: float
    idle_web_mib: float


class Web:
    """gunicorn on a port of its own, watched for the memory that it ever held."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.environment = environment
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.peak_kib = 0
        self.ended = threading.Event()
        self.start()
        threading.Thread(target=self._watch, daemon=True).start()

    def start(self) -> None:
        command = [sys.executable, "-m", "gunicorn", "leaderboard.config.wsgi"]
        command += ["--bind", f"127.0.0.1:{self.port}", *WEB, "--log-level", "warning"]
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=self.environment, start_new_session=True
        )
        for _ in range(3000):
            try:
                httpx.get(f"{self.url}/healthz", timeout=5)
            except httpx.TransportError:
                time.sleep(0.1)
            else:
                return
        raise RuntimeError("gunicorn does not answer")

    def kill(self) -> None:
        """End the whole group at once, as when the machine loses power."""
        self.peak_kib = max(self.peak_kib, self.now_kib())
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def now_kib(self) -> int:
        """The highest peak of one web process."""
        group = self.process.pid
        peaks = [0]
        for status in Path("/proc").glob("[0-9]*/status"):
            try:
                if os.getpgid(int(status.parent.name)) == group:
                    text = status.read_text()
                    peaks.append(int(text.partition("VmHWM:")[2].split()[0]))
            except (OSError, IndexError):
                continue
        return max(peaks)

    def _watch(self) -> None:
        while not self.ended.wait(0.2):
            self.peak_kib = max(self.peak_kib, self.now_kib())


class Sender:
    """A process that uploads step by step, each of which it tells and has answered.

    So it is where it said, however late it is killed, with no time to clean up.
    """

    def __init__(self, path: Path, url: str, token: str) -> None:
        command = [sys.executable, "-m", "tests.benchmarks.big_upload", "--send"]
        self.process = subprocess.Popen(
            [*command, str(path), "--url", url],
            cwd=ROOT,
            env={**os.environ, "OHB_TOKEN": token},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def progress(self) -> Iterator[dict[str, Any]]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            yield json.loads(line)
            self.go_on()

    def go_on(self) -> None:
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):  # it has come to its end
            self.process.stdin.write("\n")
            self.process.stdin.flush()

    def end(self) -> None:
        """Kill it, if it still runs."""
        self.process.kill()
        self.process.communicate()


def trial(size_mib: int, folder: Path, *, say: Any = lambda _text: None) -> Trial:
    """Upload a bundle of ``size_mib``, killed at 30 % and 60 %, and submit it."""
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "leaderboard.config.settings",
        "OHB_DEBUG": "0",
        "OHB_SECRET_KEY": "only-for-this-trial",
        "OHB_ALLOWED_HOSTS": "127.0.0.1",
        "OHB_DATA_DIR": str(folder / "data"),
        "OHB_UPLOAD_LIMIT_MIB": str(size_mib + 64),
        "OHB_BROKER_URL": f"filesystem://{folder}/broker",
        "OHB_STORAGE_URL": f"file://{folder}/artifacts",
        # The sender is of the staff, whose bundles need no sandbox.
        "OHB_STAFF_SECOND_FACTOR": "0",
        "DATABASE_URL": f"sqlite:///{folder}/trial.sqlite3",
    }
    (folder / "data" / "staticfiles").mkdir(parents=True)
    prepared = subprocess.run(
        [sys.executable, "-c", PREPARE],
        cwd=ROOT,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    facts = json.loads(prepared.stdout)
    path = folder / "bundle.zip"
    write_bundle(path, facts["files"], size_mib * MIB)
    with path.open("rb") as stream:
        sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    size = path.stat().st_size
    say(f"bundle: {size / MIB:.1f} MiB, SHA-256 {sha256}")
    web = Web(environment)
    try:
        idle = web.now_kib()
        return _run(path, web, facts["token"], sha256=sha256, idle=idle, say=say)
    finally:
        web.ended.set()
        web.kill()


def _run(
    path: Path, web: Web, token: str, *, sha256: str, idle: int, say: Any
) -> Trial:
    size = path.stat().st_size
    begun = time.monotonic()
    killed: dict[str, str] = {}
    first = Sender(path, web.url, token)
    for event in first.progress():
        if event["sent"] >= 0.3 * size:
            first.end()
            killed["sender"] = f"{100 * event['sent'] / size:.1f} %"
            say(f"sender killed at {killed['sender']}")
            break
    second = Sender(path, web.url, token)
    resumed_at: list[int] = []
    upload = ""
    lost = 0
    for event in second.progress():
        upload = event.get("upload", upload)
        if "sent" not in event:
            continue
        if not resumed_at:
            resumed_at.append(event["sent"])
            lost += int(0.3 * size) - event["sent"]
            say(f"a new sender goes on at {100 * event['sent'] / size:.1f} %")
        if "server" not in killed and event["sent"] >= 0.6 * size:
            second.go_on()  # with a part on its way
            web.kill()
            killed["server"] = f"{100 * event['sent'] / size:.1f} %"
            say(f"server killed at {killed['server']}")
            web.start()
    second.end()
    uploaded = time.monotonic()
    say(f"all sent after {uploaded - begun:.1f} s")
    headers = {"Authorization": f"Token {token}"}
    answer = httpx.post(
        f"{web.url}/api/v1/submissions/",
        json={"upload": upload},
        headers=headers,
        timeout=1800,
    )
    answer.raise_for_status()
    checked = time.monotonic()
    web.peak_kib = max(web.peak_kib, web.now_kib())
    return Trial(
        size_mib=round(size / MIB, 1),
        sent_sha256=sha256,
        stored_sha256=answer.json()["archive_sha256"],
        killed_at=killed,
        sent_twice_mib=round(max(0, lost) / MIB, 1),
        upload_seconds=round(uploaded - begun, 1),
        check_seconds=round(checked - uploaded, 1),
        peak_web_mib=round(web.peak_kib / 1024, 1),
        idle_web_mib=round(idle / 1024, 1),
    )


def write_bundle(path: Path, files: dict[str, str], size: int) -> None:
    """A sound bundle whose build logs, which are not packed, make up ``size`` bytes."""
    logs = [
        name.replace("final.patch", "build.log")
        for name in files
        if name.endswith("final.patch")
    ]
    block = os.urandom(MIB // 2).hex()
    lines = "\n".join(block[at : at + 12] for at in range(0, len(block), 12)).encode()
    with zipfile.ZipFile(path, "w", allowZip64=False) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        for number, name in enumerate(logs):
            left = size // len(logs)
            info = zipfile.ZipInfo(name)
            info.external_attr = 0o100644 << 16
            with archive.open(info, "w") as stream:
                stream.write(f"log {number}\n".encode())
                while left > 0:
                    stream.write(lines[:left])
                    left -= len(lines)


def _send(path: Path, url: str) -> None:
    """The sender's process: one line of JSON for each step, and one line back."""

    def tell(**event: Any) -> None:
        sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()

    def step(now: int, _size: int) -> None:
        tell(sent=now)
        sys.stdin.readline()

    token = os.environ["OHB_TOKEN"]
    with httpx.Client(
        base_url=url, headers={"Authorization": f"Token {token}"}, timeout=120
    ) as http:
        sent = send(path, http, on_progress=step)
    tell(upload=sent.upload)


@contextmanager
def _folder(named: str | None) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="ohb-big-upload-", dir=named) as found:
        yield Path(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1024, help="in MiB")
    parser.add_argument("--folder", help="where to put the files of the trial")
    parser.add_argument("--send", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.send:
        _send(options.send, options.url)
        return 0
    with _folder(options.folder) as folder:
        found = trial(
            options.size, folder, say=lambda text: sys.stdout.write(f"{text}\n")
        )
    sys.stdout.write(json.dumps(found._asdict(), indent=2) + "\n")
    same = found.sent_sha256 == found.stored_sha256
    sys.stdout.write(f"digests equal: {same}; parts of {PART_BYTES // MIB} MiB\n")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
