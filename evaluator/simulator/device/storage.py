"""The files that shell commands and file transfers see."""

from __future__ import annotations

import posixpath
import shutil
from pathlib import Path


class Storage:
    """A folder that stands for the device's file system.

    Apps never write here (their private data lies elsewhere), so no link of an app's
    making can lead a transfer out of the folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for name in ("local/tmp", "log/hilog", "log/faultlog/faultlogger"):
            (folder / "data" / name).mkdir(parents=True, exist_ok=True)

    def path(self, remote: str) -> Path:
        """Where the device path lies on the host; ``..`` never leads out."""
        inside = posixpath.normpath("/" + remote.strip().strip("\"'"))
        return self._folder / inside.lstrip("/")

    def write(self, remote: str, data: bytes) -> None:
        target = self.path(remote)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)

    def receive(self, source: Path, remote: str) -> int:
        """Copy a host file in; returns its size."""
        target = self.path(remote)
        if target.is_dir() or remote.endswith("/"):
            target = target / source.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        return target.stat().st_size

    def send(self, remote: str, target: Path) -> int:
        """Copy a file or a folder out; returns the number of bytes."""
        source = self.path(remote)
        if source.is_dir():
            shutil.copytree(source, target / source.name, dirs_exist_ok=True)
            return sum(item.stat().st_size for item in source.rglob("*"))
        if target.is_dir():
            target = target / source.name
        shutil.copyfile(source, target)
        return target.stat().st_size

    def remove(self, remote: str) -> None:
        target = self.path(remote)
        if target == self._folder:
            return
        if target.is_dir():
            shutil.rmtree(target, ignore_errors=True)
        else:
            target.unlink(missing_ok=True)

    def files_under(self, remote: str) -> list[str]:
        """Device paths of every file below a folder."""
        top = self.path(remote)
        return [
            "/" + item.relative_to(self._folder).as_posix()
            for item in sorted(top.rglob("*"))
            if item.is_file()
        ]
