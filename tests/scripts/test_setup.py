from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts import environment, harbor, node, setup, steps

ROOT = Path(__file__).resolve().parent.parent.parent
CHOOSER = ROOT / "scripts" / "python.sh"


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "setup.log"
    monkeypatch.setattr(steps, "LOG", path)
    monkeypatch.setattr(steps, "ROOT", tmp_path)
    return path


@pytest.fixture
def env_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / ".env"
    monkeypatch.setattr(environment, "ENV_FILE", path)
    for name in list(os.environ):
        if name.startswith("OHB_"):
            monkeypatch.delenv(name)
    return path


@pytest.fixture
def node_cache() -> Iterator[None]:
    node.of_the_system.cache_clear()
    yield
    node.of_the_system.cache_clear()


def executable(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_a_step_is_done_again_only_when_its_inputs_change(tmp_path: Path):
    inputs = tmp_path / "inputs"
    inputs.write_text("1")
    done: list[str] = []

    def carry_out() -> int:
        plan = steps.Plan()
        plan.add(
            "A step",
            stamp=tmp_path / "new" / "stamp",
            key=lambda: steps.digest_of(inputs),
            do=lambda: done.append(inputs.read_text()),
        )
        return plan.carry_out()

    assert [carry_out(), carry_out()] == [1, 0]
    inputs.write_text("2")
    assert [carry_out(), carry_out()] == [1, 0]
    assert done == ["1", "2"]


def test_a_step_that_fails_is_due_again(tmp_path: Path):
    stamp = tmp_path / "stamp"
    stamp.write_text("old")

    def fail() -> None:
        raise steps.StepFailedError("no network")

    plan = steps.Plan()
    plan.add("A step", stamp=stamp, key=lambda: "new", do=fail)

    with pytest.raises(steps.StepFailedError):
        plan.carry_out()
    assert not stamp.exists()


def test_a_tool_that_fails_shows_the_end_of_its_output_and_what_to_do(log: Path):
    script = "for n in $(seq 100); do echo line $n; done; exit 3"

    with pytest.raises(steps.StepFailedError) as caught:
        steps.run(["sh", "-c", script], hint="Set HTTPS_PROXY.")

    said = str(caught.value)
    assert "sh ended with status 3" in said
    assert "line 100" in said and "line 76" in said and "line 75\n" not in said
    assert "The whole output is in setup.log." in said
    assert "Set HTTPS_PROXY." in said
    assert "line 1\n" in log.read_text()


def test_the_first_setup_writes_a_private_env_file_with_a_secret_of_its_own(
    env_file: Path,
):
    environment.write_env_file({})
    first = environment.setting("OHB_SECRET_KEY", "")
    env_file.unlink()
    environment.write_env_file({"OHB_NODE": "/opt/node"})

    assert stat.S_IMODE(env_file.stat().st_mode) == 0o600
    assert len(first) > 50
    assert environment.setting("OHB_SECRET_KEY", "") not in {"", first}
    assert environment.setting("OHB_ALLOWED_HOSTS", "") == "localhost,127.0.0.1"
    assert environment.setting("OHB_NODE", "") == "/opt/node"


def test_an_env_file_that_is_there_keeps_every_line(env_file: Path):
    env_file.write_text("# mine\nOHB_SECRET_KEY=s\nOHB_PORT=9000\n")

    environment.write_env_file({"OHB_NODE": "/opt/node", "OHB_PORT": "8000"})

    assert env_file.read_text() == (
        "# mine\nOHB_SECRET_KEY=s\nOHB_PORT=9000\nOHB_NODE=/opt/node\n"
    )


def test_the_environment_comes_before_the_env_file(
    env_file: Path, monkeypatch: pytest.MonkeyPatch
):
    env_file.write_text("OHB_PORT=9000\n")
    assert environment.setting("OHB_PORT", "8000") == "9000"
    monkeypatch.setenv("OHB_PORT", "7000")

    assert environment.setting("OHB_PORT", "8000") == "7000"


@pytest.mark.parametrize(
    ("version", "with_npm", "taken"),
    [("v22.1.0", True, True), ("v12.22.0", True, False), ("v22.1.0", False, False)],
)
def test_the_systems_node_is_taken_when_it_is_recent_and_has_npm(
    tmp_path: Path,
    env_file: Path,
    node_cache: None,
    monkeypatch: pytest.MonkeyPatch,
    *,
    version: str,
    with_npm: bool,
    taken: bool,
):
    found = executable(tmp_path / "bin" / "node", f"echo {version}")
    if with_npm:
        executable(tmp_path / "bin" / "npm", "true")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))

    assert node.of_the_system() == (found if taken else None)


def test_a_folder_that_was_moved_gets_its_environment_anew(
    tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
):
    made: list[list[str | Path]] = []
    monkeypatch.setattr(environment, "run", made.append)
    venv = tmp_path / "venv"
    executable(venv / "bin" / "python", "exit 0")
    (venv / "pyvenv.cfg").write_text("")

    executable(venv / "bin" / "pip", f"#!{venv}/bin/python")
    environment.make_venv(venv)
    assert made == []

    executable(venv / "bin" / "pip", "#!/elsewhere/bin/python")
    environment.make_venv(venv)
    assert made == [[sys.executable, "-m", "venv", "--clear", venv]]


def test_settings_of_linters_do_not_make_the_packages_due(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(setup, "ROOT", tmp_path)
    copy = tmp_path / "pyproject.toml"
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    copy.write_text(text, "utf-8")
    before = setup.project_key()

    copy.write_text(text.replace("line-length = 88", "line-length = 99"), "utf-8")
    assert setup.project_key() == before
    copy.write_text(text.replace("celery[redis]~=5.7.0", "celery~=5.7.0"), "utf-8")
    assert setup.project_key() != before


def run_chooser(folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Run python.sh with nothing on PATH but ``folder`` and what a shell needs."""
    for name in ("sh", "cat"):
        (folder / name).symlink_to(str(shutil.which(name)))
    return subprocess.run(
        ["/bin/sh", CHOOSER, "-c", "print('set up')"],
        env={"PATH": str(folder), **env},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_machine_without_a_recent_python_is_told_what_to_install(tmp_path: Path):
    executable(tmp_path / "python3", "exit 1")

    tried = run_chooser(tmp_path)

    assert tried.returncode == 1
    assert "No Python 3.11 or newer was found" in tried.stderr
    assert "apt-get install python3 python3-venv" in tried.stderr


def test_a_python_without_venv_is_named_with_the_package_that_is_missing(
    tmp_path: Path,
):
    executable(tmp_path / "python3", 'case "$2" in *ensurepip*) exit 1;; esac')

    tried = run_chooser(tmp_path)

    assert tried.returncode == 1
    assert "python3 is there, but without its modules venv and ensurepip" in (
        tried.stderr
    )
    assert "apt-get install python3-venv" in tried.stderr


def test_a_python_that_was_named_is_the_one_that_runs(tmp_path: Path):
    tried = run_chooser(tmp_path, PYTHON=sys.executable)

    assert (tried.returncode, tried.stdout) == (0, "set up\n")


def test_missing_commands_are_named_with_their_packages(
    log: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(setup, "LOG", log)
    monkeypatch.setenv("PATH", str(log.parent))

    assert setup.main() == 1

    assert "Not found: git, ps." in capsys.readouterr().out


@pytest.mark.parametrize("kept", [".pyenv/versions", ".local/share/uv/python"])
def test_a_python_for_harbor_is_found_where_it_is_not_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: str
):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(harbor.sys, "executable", str(tmp_path / "none"))
    assert harbor.find_python(tmp_path) is None

    new = executable(tmp_path / kept / "3.12.1" / "bin" / "python3", "exit 0")
    executable(tmp_path / kept / "3.13.0" / "bin" / "python3", "exit 1")

    assert harbor.find_python(tmp_path) == new
