"""Known bundles over HTTP, by a real worker that is killed, with the real tools.

A site and a worker run as in the Procfile; the bundles come from outside. The simulated
hvigorw builds in the sandbox, the real Hypium checks on the simulated device. In three
stages the worker is killed with SIGKILL. One reason is left to the stand-ins of
tests/evaluator/trust/test_known_bundles.py: `timed_out` takes a quarter of an hour.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from evaluator.verdicts import FailReason
from submissions.archive import pack_folder
from tests.demo import BUNDLES, DEMO, FEW, sample_bundle
from tests.evaluator.faults.servers import wait_until_it_listens
from tests.evaluator.trust.bench import patch_of
from tests.evaluator.trust.test_known_bundles import (
    COMPLETED,
    FOREIGN,
    LINK,
)
from tests.migrated import migrated_database
from tests.ports import free_port

pytestmark = [
    *[pytest.mark.e2e, pytest.mark.hypium, pytest.mark.sandbox],
    pytest.mark.timeout(3600),
]

ROOT = Path(__file__).resolve().parents[2]
WAIT_SECONDS = 1500
CHAT, GALLERY, PENKIT = FEW
ADDED = "entry/src/main/ets/common/Added.ets"
# A name that the gate and the build take, and the device does not.
STRANGE_FILE = "entry/src/main/resources/rawfile/a:b.txt"

EVERY_KIND = {
    **{(1, task): COMPLETED for task in FEW},
    **{(2, task): str(FailReason.NO_CHANGE) for task in FEW},
    (3, CHAT): str(FailReason.INSTALL_FAILED),
    (3, GALLERY): str(FailReason.BUILD_FAILED),
    (3, PENKIT): str(FailReason.CHECK_FAILED),
}
REFUSED = {
    **{(run, CHAT): str(FailReason.PATCH_REJECTED) for run in (1, 2, 3)},
    **{(run, GALLERY): str(FailReason.BUILD_FAILED) for run in (1, 2, 3)},
    **{(run, PENKIT): str(FailReason.PATCH_DOES_NOT_APPLY) for run in (1, 2, 3)},
}


def patch_ending_in(end: str, *, task: str) -> bytes:
    folder = DEMO / "tasks" / task
    match end:
        case "completed":
            return (folder / "reference.patch").read_bytes()
        case FailReason.NO_CHANGE:
            return b""
        case FailReason.PATCH_REJECTED:
            return LINK
        case FailReason.PATCH_DOES_NOT_APPLY:
            return FOREIGN
        case FailReason.BUILD_FAILED:
            return _unbuildable()
        case FailReason.INSTALL_FAILED:
            changes = {STRANGE_FILE: "not for a device\n"}
        case _:
            changes = {ADDED: "export const added: number = 1;\n"}
    return patch_of(folder / "base", changes)


def _unbuildable() -> bytes:
    return (BUNDLES / "sample-a" / "runs" / "2" / GALLERY / "final.patch").read_bytes()


def packed(folder: Path, name: str, endings: dict[tuple[int, str], str]) -> Path:
    """A bundle in which each task run has its known ending, as a zip."""
    bundle = folder / name
    sample_bundle("sample-a", bundle)
    manifest = json.loads((bundle / "manifest.json").read_text())
    manifest["model"]["identifier"] = name
    (bundle / "manifest.json").write_text(json.dumps(manifest))
    for (run, task), end in endings.items():
        for which in ("first", "final"):
            patch = bundle / "runs" / str(run) / task / f"{which}.patch"
            patch.write_bytes(patch_ending_in(end, task=task))
    archive = folder / f"{name}.zip"
    pack_folder(bundle, archive)
    return archive


class Site:
    """The site and its one worker, on a data folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.e2e.acceptance.settings",
            "OHB_DEBUG": "1",
            "OHB_DATA_DIR": str(folder / "data"),
            "DATABASE_URL": migrated_database(folder / "site.sqlite3"),
            "OHB_BROKER_URL": f"filesystem://{folder}/broker",
            "OHB_STORAGE_URL": f"file://{folder}/artifacts",
            "OHB_LEASE_SECONDS": "10",
            "OHB_WORKER_SLOTS": "2",
        }
        self.running: list[subprocess.Popen[bytes]] = []
        self.port = free_port()
        self.token = self.tell("prepare")

    def tell(self, act: str) -> Any:
        done = subprocess.run(
            [sys.executable, "-m", "tests.e2e.acceptance.database", act],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-5000:]
        return json.loads(done.stdout.splitlines()[-1])

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", *words],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.running.append(process)
        return process

    def start_web(self) -> None:
        bind = f"127.0.0.1:{self.port}"
        self.start("gunicorn", "leaderboard.config.wsgi", "--bind", bind)
        wait_until_it_listens(self.port)

    def start_worker(self) -> subprocess.Popen[bytes]:
        return self.start(
            *["celery", "-A", "leaderboard.config.celery", "worker"],
            *["--without-gossip", "--without-mingle", "--without-heartbeat"],
        )

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        self.running.remove(process)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def leased(self, stage: str) -> int:
        question = "select count(*) from evaluator_job where state=? and stage=?"
        with closing(sqlite3.connect(self.folder / "site.sqlite3", 20)) as database:
            return int(database.execute(question, ("leased", stage)).fetchone()[0])

    def ask(self, path: str = "", **options: Any) -> dict[str, Any]:
        answer = httpx.request(
            "POST" if options else "GET",
            f"http://127.0.0.1:{self.port}/api/v1/submissions/{path}",
            headers={"Authorization": f"Token {self.token}"},
            timeout=600,
            **options,
        )
        assert answer.is_success, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def wait_for(self, what: str, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + WAIT_SECONDS
        while not condition():
            log = (self.folder / "log").read_text(errors="replace")[-3000:]
            assert time.monotonic() < deadline, f"no {what}: {log}"
            time.sleep(0.05)


@pytest.fixture
def site() -> Iterator[Site]:
    # Not pytest's folder: the sandbox's users must get through to it.
    with tempfile.TemporaryDirectory(prefix="ohb-known-") as name:
        Path(name).chmod(0o755)
        found = Site(Path(name))
        try:
            found.start_web()
            yield found
        finally:
            for process in list(found.running):
                found.kill(process)


def test_every_bundle_ends_as_it_is_known_to_though_the_worker_is_killed(
    site, tmp_path
):
    known = {"every-kind": EVERY_KIND, "refused": REFUSED}
    submitted = {}
    for name, endings in known.items():
        archive = packed(tmp_path, name, endings)
        with archive.open("rb") as stream:
            submission = site.ask(
                files={"bundle": (archive.name, stream)},
                # Patches that do not apply are among the known kinds.
                data={"accept_warnings": "true"},
            )
        submitted[submission["id"]] = endings

    worker = site.start_worker()
    for stage in ("agent", "build_final", "checks"):
        site.wait_for(f"lease on {stage}", lambda stage=stage: site.leased(stage) > 0)
        site.kill(worker)
        worker = site.start_worker()
    for key in submitted:
        site.wait_for(
            f"end of {key}", lambda key=key: site.ask(f"{key}/")["state"] == "evaluated"
        )

    found = site.tell("endings")
    for key, endings in submitted.items():
        units = {(run, task): end for run, task, end in found[key]["units"]}
        assert units == endings
        assert len(found[key]["units"]) == len(endings)
        assert found[key]["trusted"] == 0
        assert (found[key]["faults"], found[key]["differences"]) == ([], [])
    assert sum(each["lost"] for each in found.values()) >= 3
