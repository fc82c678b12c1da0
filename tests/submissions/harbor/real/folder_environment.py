"""A Harbor environment that is a folder: no container, no isolation, tests only.

Runs inside Harbor's interpreter. Paths of the container become paths below the folder
wherever they stand in a command or in an uploaded script.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from harbor.environments.base import BaseEnvironment, ExecResult

_CONTAINER_PATH = re.compile(r"(?<![\w./-])/(?=(?:app|logs|tests|solution)\b)")


class FolderEnvironment(BaseEnvironment):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.root = Path(tempfile.mkdtemp(prefix="harbor-folder-"))

    @staticmethod
    def type() -> str:
        return "folder"

    def _validate_definition(self) -> None:
        """Any folder will do."""

    def place(self, path: str) -> Path:
        return self.root / str(path).lstrip("/")

    async def start(self, force_build: bool) -> None:
        for name in ("app", "logs/agent", "logs/verifier", "logs/artifacts", "tests"):
            (self.root / name).mkdir(parents=True, exist_ok=True)
        shutil.copytree(
            self.environment_dir / "project", self.root / "app", dirs_exist_ok=True
        )
        await self.exec(
            "cd /app && git init -q && git add -A && git -c user.name=t "
            "-c user.email=t@example.org commit -q -m base && git tag base"
        )

    async def stop(self, delete: bool) -> None:
        shutil.rmtree(self.root, ignore_errors=True)

    def inside(self, command: str) -> str:
        return _CONTAINER_PATH.sub(f"{self.root}/", command)

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        target = self.place(target_path)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source_path, target)
        if target.suffix == ".sh":
            target.write_text(self.inside(target.read_text()))

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        shutil.copytree(source_dir, self.place(target_dir), dirs_exist_ok=True)
        for script in self.place(target_dir).rglob("*.sh"):
            script.write_text(self.inside(script.read_text()))

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        Path(target_path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.place(source_path), target_path)

    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        shutil.copytree(self.place(source_dir), target_dir, dirs_exist_ok=True)

    async def exec(
        self,
        command: str,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        timeout_sec: int | None = None,
        user: str | int | None = None,
    ) -> ExecResult:
        process = await asyncio.create_subprocess_exec(
            "bash",
            "-c",
            self.inside(command),
            cwd=self.place(cwd or "/app"),
            env={**os.environ, **(env or {})},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await asyncio.wait_for(process.communicate(), timeout_sec)
        return ExecResult(
            stdout=out.decode(),
            stderr=err.decode(),
            return_code=process.returncode or 0,
        )
