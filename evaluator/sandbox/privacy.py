"""What no sandboxed command may be shown, whoever asks for it.

A mistaken setting (a tool that lies in the data folder, a project below /usr) would
otherwise put hidden checks in front of the code they are hidden from.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from evaluator.sandbox.base import SandboxError, SandboxUnavailableError


@dataclass(frozen=True, slots=True)
class Privacy:
    """``closed`` paths stay outside, but for what lies below an ``opened`` one."""

    closed: tuple[Path, ...] = ()
    opened: tuple[Path, ...] = ()

    def check(self, paths: Iterable[Path]) -> None:
        """Raise SandboxError if binding one of ``paths`` would show a closed one."""
        for path in paths:
            private = self._shown_by(path.resolve())
            if private is not None:
                raise SandboxError(
                    f"{path} must not be bound into a sandbox: {private} is private. "
                    "Keep tools and projects apart from OHB_DATA_DIR and the fixtures."
                )

    def check_system(self, folders: Iterable[Path]) -> None:
        """Raise SandboxUnavailableError if a closed path lies in a system folder."""
        for folder in folders:
            for private in self.closed:
                if _holds(folder.resolve(), private):
                    raise SandboxUnavailableError(
                        f"{private} lies in {folder}, which every sandboxed command "
                        "reads. Move it (see OHB_DATA_DIR), or the whole checkout."
                    )

    def _shown_by(self, path: Path) -> Path | None:
        for private in self.closed:
            if _holds(path, private):
                return private
            if _holds(private, path) and not self._is_opened(path):
                return private
        return None

    def _is_opened(self, path: Path) -> bool:
        return any(path != top and _holds(top, path) for top in self.opened)


NOTHING_PRIVATE = Privacy()


def _holds(folder: Path, path: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())
