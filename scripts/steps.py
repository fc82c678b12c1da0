"""Setup steps: a line each on the screen, details in a log, skipped when unchanged."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LOG = ROOT / "var" / "log" / "setup.log"
LOG_LINES_SHOWN = 25


class StepFailedError(Exception):
    """A step could not be done; the message says what to do about it."""


def say(text: str, *, end: str = "\n") -> None:
    sys.stdout.write(text + end)
    sys.stdout.flush()


def digest_of(*parts: str | Path) -> str:
    """One digest of texts and of the content of files; a file may be missing."""
    total = hashlib.sha256()
    for part in parts:
        if isinstance(part, str):
            content = part.encode()
        else:
            content = part.read_bytes() if part.is_file() else b"missing"
        total.update(hashlib.sha256(content).digest())
    return total.hexdigest()


def run(
    argv: Sequence[str | Path], *, hint: str = "", env: Mapping[str, str] | None = None
) -> None:
    """Run a tool with its output in the log; on failure show the end of that output."""
    with LOG.open("ab") as log:
        log.write(f"\n$ {' '.join(map(str, argv))}\n".encode())
        log.flush()
        began = log.tell()
        ended = subprocess.run(
            [str(word) for word in argv],
            cwd=ROOT,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if ended.returncode == 0:
        return
    with LOG.open("rb") as log:
        log.seek(began)
        lines = log.read().decode("utf-8", "replace").splitlines()
    shown = "\n".join(f"    {line}" for line in lines[-LOG_LINES_SHOWN:])
    raise StepFailedError(
        f"{Path(argv[0]).name} ended with status {ended.returncode}:\n{shown}\n"
        f"The whole output is in {LOG.relative_to(ROOT)}."
        + (f"\n{hint}" if hint else "")
    )


@contextmanager
def shown(line: str) -> Iterator[None]:
    """Show ``line`` at once (on a terminal with the seconds), then the time it took."""
    began = time.monotonic()
    ended = threading.Event()

    def tick() -> None:
        while not ended.wait(1):
            say(f"\r{line} {time.monotonic() - began:.0f} s", end="")

    say(line, end="")
    ticker = threading.Thread(target=tick, daemon=True)
    if sys.stdout.isatty():
        ticker.start()
    try:
        yield
    except BaseException:
        ended.set()
        say("")
        raise
    ended.set()
    if ticker.is_alive():
        ticker.join()
        say(f"\r{line}", end="")
    say(f" done in {time.monotonic() - began:.0f} s")


class Step(NamedTuple):
    title: str
    stamp: Path
    key: Callable[[], str]
    do: Callable[[], None]


class Plan:
    """The steps of one setup in order, each with a stamp file that says it is done."""

    def __init__(self) -> None:
        self._steps: list[Step] = []

    def add(
        self,
        title: str,
        *,
        stamp: Path,
        key: Callable[[], str],
        do: Callable[[], None],
    ) -> None:
        """Skip the step while ``stamp`` holds ``key()``, the digest of its inputs."""
        self._steps.append(Step(title, stamp, key, do))

    def carry_out(self) -> int:
        """Do what is not done yet; returns how many steps that were."""
        done = 0
        width = max(len(step.title) for step in self._steps)
        for number, step in enumerate(self._steps, start=1):
            stamp = step.stamp
            if stamp.is_file() and stamp.read_text("utf-8") == step.key():
                continue
            done += 1
            with shown(f"  [{number}/{len(self._steps)}] {step.title:<{width}} ..."):
                stamp.unlink(missing_ok=True)
                step.do()
                stamp.parent.mkdir(parents=True, exist_ok=True)
                stamp.write_text(step.key(), "utf-8")
        return done
