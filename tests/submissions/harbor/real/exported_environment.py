"""Both environments of an exported task as folders: the agent's and the verifier's.

Runs inside Harbor's interpreter and does what the two Dockerfiles say.
"""

from __future__ import annotations

import re
import shutil

from folder_environment import FolderEnvironment


class ExportedEnvironment(FolderEnvironment):
    @staticmethod
    def type() -> str:
        return "exported"

    async def start(self, force_build: bool) -> None:
        for name in ("app", "logs/agent", "logs/verifier", "logs/artifacts"):
            (self.root / name).mkdir(parents=True, exist_ok=True)
        dockerfile = (self.environment_dir / "Dockerfile").read_text()
        if "COPY . /tests" in dockerfile:
            await self.upload_dir(self.environment_dir, "/tests")
            return
        shutil.copytree(
            self.environment_dir / "project", self.root / "app", dirs_exist_ok=True
        )
        (base,) = re.findall(r"commit_base\.sh /app ([0-9a-f]{40})", dockerfile)
        script = self.environment_dir / "commit_base.sh"
        done = await self.exec(f"sh {script.resolve()} /app {base}")
        assert done.return_code == 0, done.stderr
