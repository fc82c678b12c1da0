from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth import authenticate, get_user_model
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from leaderboard.models import EvaluationSnapshot, SnapshotStatus
from scripts import demo_data, demo_samples, family
from submissions import services
from submissions.models import Submission
from tests.ports import free_port

ROOT = Path(__file__).resolve().parent.parent.parent


@contextmanager
def running_demo(folder: Path, *, port: int) -> Iterator[subprocess.Popen[str]]:
    """The demo in a data folder of its own; killed in the end if it still runs."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    own = {
        "OHB_DATA_DIR": str(folder / "data"),
        "OHB_PORT": str(port),
        "OHB_DEBUG": "1",
        "PYTHONUNBUFFERED": "1",
    }
    with (folder / "printed").open("w") as printed:
        demo = subprocess.Popen(
            [sys.executable, "-m", "scripts.demo"],
            cwd=ROOT,
            env={**kept, **own},
            stdout=printed,
            stderr=subprocess.STDOUT,
            text=True,
        )
    try:
        yield demo
    finally:
        for pid in family.descendants(demo.pid) | {demo.pid}:
            if demo.poll() is None:
                os.kill(pid, signal.SIGKILL)
        demo.wait()


def wait_for(text: str, file: Path, demo: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 600
    while text not in file.read_text():
        assert demo.poll() is None, file.read_text()
        assert time.monotonic() < deadline, file.read_text()
        time.sleep(0.1)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.e2e
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_the_demo_shows_the_site_and_one_signal_ends_every_process(
    tmp_path: Path, stop: signal.Signals
):
    port = free_port()
    printed = tmp_path / "printed"
    with running_demo(tmp_path, port=port) as demo:
        wait_for("stop with", printed, demo)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=200) as page:
            assert b"GLM-5.2" in page.read()
        below = family.descendants(demo.pid)
        assert len(below) >= 4, "honcho, web, worker and the samples"

        demo.send_signal(stop)
        demo.wait(timeout=200)

        assert demo.returncode == 0
        deadline = time.monotonic() + 60
        while (left := set(filter(is_alive, below))) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert left == set()


def test_a_taken_port_is_named_with_the_way_to_choose_another(tmp_path: Path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with running_demo(tmp_path, port=port) as demo:
            assert demo.wait(timeout=200) == 1

    said = (tmp_path / "printed").read_text()
    assert f"Port {port} cannot be used" in said
    assert f"OHB_PORT={port + 1} make demo" in said


def test_a_second_start_keeps_the_users_and_their_passwords(db, data_dir: Path):
    first = demo_data.ensure_users()

    second = demo_data.ensure_users()

    assert first == second
    assert get_user_model().objects.count() == 3
    assert authenticate(username="demo", password=first["demo"])
    kept = data_dir / "demo" / "credentials"
    assert json.loads(kept.read_text()) == first
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_a_lost_password_file_means_new_passwords(db, data_dir: Path):
    first = demo_data.ensure_users()
    (data_dir / "demo" / "credentials").unlink()

    second = demo_data.ensure_users()

    assert second["demo"] != first["demo"]
    assert authenticate(username="demo", password=second["demo"])


def test_only_those_who_review_are_staff_and_one_of_them_administers(
    db, data_dir: Path
):
    demo_data.ensure_users()

    users = get_user_model().objects.order_by("username")
    staff = [user.username for user in users.filter(is_staff=True)]
    assert staff == ["maintainer", "reviewer"]
    assert users.get(is_superuser=True).username == "maintainer"


@pytest.fixture
def open_demo(db, data_dir: Path):
    """The demo snapshot as it is after its proof, and the demo's users."""
    call_command("import_snapshot", str(demo_data.SNAPSHOT_FOLDER), verbosity=0)
    EvaluationSnapshot.objects.update(status=SnapshotStatus.OPEN)
    demo_data.ensure_users()


def test_a_second_start_submits_no_sample_again(open_demo):
    wanted = list(filter(demo_samples.can_be_run, demo_samples.bundles()))
    first = [demo_samples.submit(path) for path in wanted]
    second = [demo_samples.submit(path) for path in wanted]

    assert [each.pk for each in first] == [each.pk for each in second]
    assert Submission.objects.count() == 2


def test_a_configuration_is_left_out_where_its_agent_is_missing(open_demo, capsys):
    wanted = list(filter(demo_samples.can_be_run, demo_samples.bundles()))

    assert [path.name for path in wanted] == ["sample-a", "sample-b"]
    said = capsys.readouterr().out
    assert "sample-scripted: left out, since no worker here runs OpenCode" in said


def test_a_sample_that_the_user_cancelled_stays_cancelled(open_demo):
    bundle = demo_samples.bundles()[0]
    submission = demo_samples.submit(bundle)
    services.cancel(submission, by=submission.user, reason="not needed")

    assert demo_samples.submit(bundle).pk == submission.pk
    assert Submission.objects.count() == 1


def test_a_proved_snapshot_is_not_proved_again(open_demo, capsys):
    demo_samples.prove_snapshot()

    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("name", ["demo", "maintainer", "reviewer"])
def test_the_demos_users_can_sign_in_on_the_page(
    db, data_dir: Path, client: Client, name: str
):
    passwords = demo_data.ensure_users()

    page = client.post(
        reverse(settings.LOGIN_URL),
        {"login": name, "username": name, "password": passwords[name]},
        follow=True,
    )

    assert page.status_code == 200
    assert page.wsgi_request.user.username == name
