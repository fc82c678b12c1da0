"""Rules about the whole project that no single module could keep."""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import pickle
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from django.conf import settings
from django.core.management import get_commands
from kombu.exceptions import ContentDisallowed
from kombu.serialization import loads, prepare_accept_content

from leaderboard.config.celery import app as celery

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = ROOT / "leaderboard" / "config" / "settings.py"
APPS = ("leaderboard", "evaluator", "submissions")
DOCUMENTS = (
    "README.md",
    "CONTRIBUTING.md",
    "docs/architecture.md",
    "docs/maintaining.md",
    "docs/operating.md",
    "docs/operators.md",
    "docs/performance.md",
    "docs/reliability.md",
    "docs/submitting.md",
    "docs/task-format.md",
)
READERS = (
    "env_text",
    "env_required",
    "env_bool",
    "env_int",
    "env_list",
    "env_path",
    "env_choice",
)
SENDING = re.compile(r"\.(delay|apply_async|send_task)\(")
# Spelled in parts, so that this file does not break its own rule.
FOREIGN_PATHS = re.compile(rb"/(wo" + rb"rk|ro" + rb"ot)/(main|shared|\.|upload)")


@functools.cache
def project_files() -> list[Path]:
    """Every file that is, or is about to be, under version control."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout.decode()
    paths = [ROOT / name for name in listed.split("\0") if name]
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def variables_read() -> set[str]:
    """The environment variables that settings, Procfile, scripts and tests read."""
    found = {name for name, _ in settings_variables()}
    texts = [ROOT / "Procfile", *(ROOT / "scripts").glob("*.py")]
    texts += [ROOT / "tests" / "settings.py", ROOT / "tests" / "requirements.py"]
    for path in texts:
        text = path.read_text("utf-8")
        found |= set(re.findall(r"(?:\$\{|[\"'])(OHB_[A-Z_]*[A-Z])[:}\"']", text))
    return found


def settings_variables() -> list[tuple[str, object]]:
    """Each variable of settings.py with its default, None where that is computed."""
    found: list[tuple[str, object]] = []
    for node in ast.walk(ast.parse(SETTINGS.read_text("utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if node.func.id not in READERS:
            continue
        name = ast.literal_eval(node.args[0])
        default: object = None
        for keyword in node.keywords:
            try:
                value = ast.literal_eval(keyword.value)
            except ValueError:
                continue
            default = value[0] if keyword.arg == "choices" else default
            default = value if keyword.arg == "default" else default
        found.append((name, default))
    return found


def variables_explained() -> dict[str, str]:
    text = (ROOT / ".env.example").read_text("utf-8")
    return dict(re.findall(r"(?m)^#?([A-Z_]+)=(.*)$", text))


def test_env_example_lists_exactly_the_variables_that_are_read():
    assert set(variables_explained()) == variables_read()


def test_env_example_tells_the_defaults_that_settings_has():
    explained = variables_explained()
    for name, default in settings_variables():
        shown = explained[name]
        if isinstance(default, bool):
            default = int(default)
        if isinstance(default, list) and default:
            default = ",".join(default)
        if default and name not in {"OHB_SECRET_KEY", "OHB_ALLOWED_HOSTS"}:
            assert shown == str(default), name


def test_only_env_py_reads_the_environment():
    for app in APPS:
        for path in (ROOT / app).rglob("*.py"):
            text = path.read_text("utf-8")
            # The simulator and the probes inside a sandbox are programs of their own.
            alone = "simulator" in path.parts or path.name == "inside.py"
            if not alone and path.name not in {"env.py", "celery.py", "wsgi.py"}:
                assert "os.getenv" not in text, path
                assert not re.search(r"os\.environ\b(?!\.setdefault)", text), path


def test_a_device_worker_on_windows_can_load_everything():
    """The simulator and what runs inside a sandbox are for Linux and Mac alone."""
    lacking = {"fcntl", "grp", "pwd", "resource", "termios"}
    for app in APPS:
        for path in (ROOT / app).rglob("*.py"):
            if "simulator" in path.parts or path.name == "inside.py":
                continue
            for node in ast.parse(path.read_text("utf-8")).body:
                names = {alias.name for alias in getattr(node, "names", [])}
                assert not isinstance(node, ast.Import) or not names & lacking, path


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_in_the_documents_exist(document: str):
    text = (ROOT / document).read_text("utf-8")
    targets = set(re.findall(r"(?m)^([a-z]+):.*## ", (ROOT / "Makefile").read_text()))
    commands = set(get_commands())

    assert set(re.findall(r"`[^`\n]*\bmake ([a-z]+)", text)) <= targets
    assert set(re.findall(r"manage\.py ([a-z_]+)", text)) <= commands


@pytest.mark.parametrize("document", [*DOCUMENTS, "CHANGELOG.md"])
def test_links_in_the_documents_lead_somewhere(document: str):
    path = ROOT / document
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text("utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), target


def test_paths_in_the_documents_exist():
    for document in DOCUMENTS:
        text = (ROOT / document).read_text("utf-8")
        for word in re.findall(r"`([a-z_.-]+(?:/[A-Za-z0-9_.-]+)+/?)`", text):
            if word.split("/")[0] in {*APPS, "scripts", "tests", "fixtures", "docs"}:
                assert (ROOT / word).exists(), f"{document}: {word}"


def test_no_file_names_a_folder_of_somebodys_machine():
    for path in project_files():
        found = FOREIGN_PATHS.search(path.read_bytes())
        assert not found, f"{path.relative_to(ROOT)}: {found and found[0]!r}"


def test_every_make_target_is_explained():
    text = (ROOT / "Makefile").read_text("utf-8")

    unexplained = re.findall(r"(?m)^([a-z]+):(?!.*## )", text)

    assert unexplained == []


def test_every_vendored_file_is_listed_with_its_digest():
    folder = ROOT / "static" / "vendor"
    files = [path for path in folder.rglob("*") if path.is_file()]
    for path in files:
        if path.name != "README.md":
            listed = (folder / "README.md").read_text("utf-8")
            assert path.name in listed, path
            assert hashlib.sha256(path.read_bytes()).hexdigest() in listed, path


def test_celery_messages_are_sent_from_one_module():
    senders = {
        path.relative_to(ROOT).as_posix()
        for app in APPS
        for path in (ROOT / app).rglob("*.py")
        if SENDING.search(path.read_text("utf-8"))
    }

    assert senders == {"evaluator/hints.py"}


def test_celery_carries_json_hints_and_nothing_else():
    assert settings.CELERY_ACCEPT_CONTENT == ["json"]
    assert settings.CELERY_TASK_SERIALIZER == "json"
    assert settings.CELERY_TASK_IGNORE_RESULT is True
    assert not hasattr(settings, "CELERY_RESULT_BACKEND")
    assert settings.CELERY_WORKER_PREFETCH_MULTIPLIER == 1
    assert settings.CELERY_WORKER_ENABLE_REMOTE_CONTROL is False
    assert settings.CELERY_TASK_ACKS_LATE is False


def test_celery_tasks_are_given_one_id_at_most():
    celery.loader.import_default_modules()
    ours = {
        name: list(inspect.signature(task.run).parameters.values())
        for name, task in celery.tasks.items()
        if name.partition(".")[0] in APPS
    }

    assert "evaluator.tasks.run_stage" in ours
    for name, parameters in ours.items():
        assert [each.annotation for each in parameters] in ([], ["int"]), name


def test_a_pickled_message_is_refused_unread():
    class Bomb:
        def __reduce__(self):
            return pytest.fail, ("the message was read",)

    accepted = prepare_accept_content(celery.conf.accept_content)

    with pytest.raises(ContentDisallowed):
        loads(
            *[pickle.dumps(Bomb()), "application/x-python-serialize", "binary"],
            accept=accepted,
        )


def test_celery_uses_no_canvas():
    for app in APPS:
        for path in (ROOT / app).rglob("*.py"):
            imported = re.search(
                r"(?m)^from celery import .*\b(chain|chord|group)\b",
                path.read_text("utf-8"),
            )
            assert not imported, path


def test_the_procfile_worker_listens_to_every_pool_of_the_settings():
    text = (ROOT / "Procfile").read_text("utf-8")
    default = re.search(r"-Q control,\$\{OHB_WORKER_POOLS:-([^}]*)\}", text)
    pools = dict(settings_variables())["OHB_WORKER_POOLS"]

    assert default is not None
    assert default[1].split(",") == pools


def test_compose_starts_what_the_procfile_names():
    services = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]
    procfile = (ROOT / "Procfile").read_text("utf-8")

    for name in re.findall(r"(?m)^([a-z]+): ", procfile):
        assert services[name]["command"] == name


def test_the_license_is_the_whole_apache_license():
    text = (ROOT / "LICENSE").read_text("utf-8")

    assert text.lstrip().startswith("Apache License\n")
    assert "END OF TERMS AND CONDITIONS" in text
