"""Making jobs with the real Harbor: two tasks, a scripted agent, no container.

``python -m tests.submissions.harbor.real.running HARBOR`` writes the upload that the
tests read where there is no Harbor.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tests.submissions.corpus.contents import TASKS, manifest

HERE = Path(__file__).parent
UPLOAD = HERE / "upload.tar.gz"
COLLECT = (
    "cd /app && git add -A && git diff --cached --binary base "
    "> /logs/artifacts/model.patch"
)
# Where Harbor and Python lie on the machine that made the jobs.
_LIBRARY = re.compile(r"/[\w./-]+/lib/python3(?=\.)")


def write_task(folder: Path, name: str, instruction: str) -> None:
    files = {
        "instruction.md": f"Please {instruction}.\n",
        "environment/project/page.ets": "base\n",
        "environment/Dockerfile": "FROM scratch\n",
        "tests/test.sh": "grep -q changed /app/page.ets && echo 1 > "
        "/logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt\n",
        "task.toml": f"""schema_version = "1.4"
[task]
name = "corpus-bench/{name}"
version = "1.0.0"
description = "a test"
[agent]
timeout_sec = 30.0
[verifier]
timeout_sec = 30.0
[[verifier.collect]]
command = "{COLLECT}"
[environment]
workdir = "/app"
""",
    }
    for path, text in files.items():
        target = folder / name / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def run_job(
    harbor: Path, folder: Path, job: str, *options: str, prompts: tuple[str, str]
) -> Path:
    """Run the scripted agent once on both tasks; return the folder of the jobs."""
    for task, prompt in zip(TASKS, prompts, strict=True):
        write_task(folder / "tasks", task, prompt)
    command = [
        str(harbor),
        *("run", "-q", "-y", "-n", "1", "--job-name", job, "-p", "tasks", "-o", "up"),
        *("-a", "scripted_agent:ScriptedAgent"),
        *("-e", "folder_environment:FolderEnvironment"),
        *("-m", "lab/sample-model"),
        *options,
    ]
    # Tracebacks end up in the records: they name this folder, not the project's.
    code = folder / "code"
    code.mkdir(exist_ok=True)
    for name in ("folder_environment.py", "scripted_agent.py"):
        shutil.copy(HERE / name, code)
    kept = {k: v for k, v in os.environ.items() if not k.startswith("DJANGO_")}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**kept, "PYTHONPATH": str(code), "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(done.stdout + done.stderr)
    return folder / "up"


def write_manifest(folder: Path) -> None:
    told = {**manifest(), "agent": {"name": "Sample Agent", "version": "1.0"}}
    (folder / "manifest.json").write_text(json.dumps(told))


def make_upload(harbor: Path) -> None:
    """One job that goes well and one in which the provider hangs up."""
    with tempfile.TemporaryDirectory(prefix="harbor-jobs-") as name:
        folder = Path(name)
        run_job(harbor, folder, "first", prompts=("edit", "wait"))
        jobs = run_job(harbor, folder, "second", prompts=("edit", "edit and hang up"))
        write_manifest(jobs)
        for path in (each for each in jobs.rglob("*") if each.is_file()):
            text = path.read_text()
            path.write_text(_LIBRARY.sub("/home/alice/lib/python3", text))
        with tarfile.open(UPLOAD, "w:gz", format=tarfile.USTAR_FORMAT) as archive:
            for path in sorted(jobs.iterdir()):
                archive.add(path, path.name)


if __name__ == "__main__":
    make_upload(Path(sys.argv[1]).absolute())
