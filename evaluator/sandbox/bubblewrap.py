"""The sandbox that isolates: bubblewrap, started by root or by an ordinary user.

Three traps decided its shape. bubblewrap leaks the environment and the command line
it was started with through /proc/1, so it is started with next to none and gets its
options over a file descriptor. Started by root it stays root outside whatever it says
inside, so root first becomes a user of its own. That user cannot walk through root's
private folders, so root first binds every path to a neutral place, in a mount namespace
that ends with the command.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from evaluator.sandbox import seccomp
from evaluator.sandbox.base import (
    DEFAULT_LIMITS,
    INNER_ENVIRONMENT,
    OUTER_ENVIRONMENT,
    TRY_SECONDS,
    Limits,
    SandboxUnavailableError,
    Stream,
    without_nul,
)
from evaluator.sandbox.cgroups import NO_GROUP, Group, Groups, find_groups
from evaluator.sandbox.memory import in_memory
from evaluator.sandbox.paths import prepared_binds, system_folders, system_paths
from evaluator.sandbox.privacy import NOTHING_PRIVATE, Privacy
from evaluator.sandbox.quota import Watch, measure
from evaluator.sandbox.rlimits import prlimit_words
from evaluator.sandbox.slots import Slot

_OLDEST_VERSION = (0, 8)  # the first with --disable-userns
_INSTALL = (
    "Install it (Debian and Ubuntu: apt-get install bubblewrap), or set "
    "OHB_SANDBOX=none to evaluate nothing but input you trust."
)

# /sys is needed by nobody here, and the tmpfs over it is seen by this command alone.
_STAGE = "/sys"
_STAGE_SCRIPT = f"""
set -e
mount -t tmpfs -o mode=0711,nosuid,nodev,size=1m stage {_STAGE}
n=0
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mkdir {_STAGE}/$n; else : > {_STAGE}/$n; fi
  mount --rbind "$1" {_STAGE}/$n
  n=$((n + 1))
  shift
done
shift
exec "$@"
"""


class SandboxedProcess(subprocess.Popen[bytes]):
    """A command under bubblewrap, with bubblewrap's own word on how it went."""

    watch: Watch | None = None
    group: Group = NO_GROUP
    status_fd: int | None = None
    _status = b""

    def was_set_up(self) -> bool:
        """Whether bubblewrap reached the command and saw it end."""
        if self.status_fd is not None:
            os.set_blocking(self.status_fd, False)
            with contextlib.suppress(BlockingIOError):
                while chunk := os.read(self.status_fd, 4096):
                    self._status += chunk
        return b'"exit-code"' in self._status

    def __del__(self) -> None:
        if self.status_fd is not None:
            os.close(self.status_fd)
            self.status_fd = None
        self.group.close()
        super().__del__()


class BubblewrapSandbox:
    """Commands see the system folders, their own paths, and no network.

    Opened by root it holds one user id of its own until it is closed, and takes over
    the files of ``writable`` folders for that user. They are not given back: root reads
    and removes them all the same, and the next sandbox takes them over in turn.
    """

    name = "bwrap"
    isolates = True

    def __init__(
        self, privacy: Privacy = NOTHING_PRIVATE, groups: Groups | None = None
    ) -> None:
        privacy.check_system(system_paths())
        self._privacy = privacy
        self._groups = find_groups() if groups is None else groups
        self._bwrap = _find_bubblewrap()
        self._filter = seccomp.compile_filter()
        self._slot = Slot() if os.geteuid() == 0 else None
        try:
            self._try_out()
        except SandboxUnavailableError:
            self.close()
            raise

    @property
    def gaps(self) -> tuple[str, ...]:
        """Without libseccomp or control groups the rest of the walls still stands."""
        unfiltered = () if self._filter is not None else ("system calls are filtered",)
        return (*unfiltered, *self._groups.missing)

    def close(self) -> None:
        """Let go of the user id; commands still running keep it."""
        if self._slot is not None:
            self._slot.close()

    def describe(self) -> str:
        user = (
            "the worker's own user" if self._slot is None else f"uid {self._slot.uid}"
        )
        calls = (
            "WARNING: no system call filter (install libseccomp2)"
            if self._filter is None
            else "system calls filtered"
        )
        return f"bwrap: as {user}, {calls}; {self._groups.describe()}"

    def popen(
        self,
        argv: Sequence[str | Path],
        *,
        cwd: Path,
        env: Mapping[str, str],
        readable: Sequence[Path] = (),
        writable: Sequence[Path] = (),
        limits: Limits = DEFAULT_LIMITS,
        stdin: Stream = subprocess.DEVNULL,
        stdout: Stream = subprocess.PIPE,
        stderr: Stream = subprocess.STDOUT,
    ) -> subprocess.Popen[bytes]:
        self._privacy.check([*readable, *writable])
        uid = None if self._slot is None else self._slot.uid
        binds = prepared_binds(readable, writable, uid=uid)
        before = measure(writable)
        options = self._options(binds, cwd=cwd, env=env, limits=limits)
        with contextlib.ExitStack() as held:
            arguments = held.enter_context(in_memory(_joined(options)))
            status, status_end = os.pipe()
            held.callback(os.close, status_end)
            words = ["--args", str(arguments), "--json-status-fd", str(status_end)]
            passed = [arguments, status_end]
            if self._filter is not None:
                program = held.enter_context(in_memory(self._filter))
                words += ["--seccomp", str(program)]
                passed.append(program)
            group = self._groups.make(limits)
            try:
                process = SandboxedProcess(
                    [
                        *group.words(),
                        *self._prefix([path for path, _ in binds]),
                        *[self._bwrap, *words, "--", *prlimit_words(limits)],
                        *[str(word) for word in argv],
                    ],
                    cwd="/",
                    env=OUTER_ENVIRONMENT,
                    stdin=stdin,
                    stdout=stdout,
                    stderr=stderr,
                    start_new_session=True,
                    pass_fds=passed,
                )
            except OSError:
                os.close(status)
                group.close()
                raise
        process.status_fd, process.group = status, group
        if writable:
            process.watch = Watch(process, writable, before=before, limits=limits)
        return process

    def _prefix(self, paths: Sequence[Path]) -> list[str]:
        """The commands that bubblewrap is started through."""
        if self._slot is None:
            return ["setpriv", "--pdeathsig", "KILL", "--no-new-privs"]
        uid = self._slot.uid
        return [
            *["unshare", "--mount", "--propagation", "private"],
            *["sh", "-c", _STAGE_SCRIPT, "stage", *map(str, paths), "--"],
            *["setpriv", "--pdeathsig", "KILL", f"--reuid={uid}", f"--regid={uid}"],
            *["--clear-groups", "--no-new-privs"],
            *["--inh-caps=-all", "--bounding-set=-all"],
        ]

    def _options(
        self,
        binds: Sequence[tuple[Path, bool]],
        *,
        cwd: Path,
        env: Mapping[str, str],
        limits: Limits,
    ) -> Iterator[str]:
        for space in ("user", "pid", "net", "ipc", "uts", "cgroup"):
            yield f"--unshare-{space}"
        yield from ("--disable-userns", "--die-with-parent", "--new-session")
        yield from ("--hostname", "box", "--clearenv")
        for key, value in {**INNER_ENVIRONMENT, **env}.items():
            yield from ("--setenv", key, value)
        yield from system_folders()
        yield from ("--proc", "/proc", "--dev", "/dev")
        yield from ("--size", str(max(limits.tmp_bytes // 8, 4096)))
        yield from ("--tmpfs", "/dev/shm")  # noqa: S108 - inside the box
        yield from ("--remount-ro", "/dev")
        yield from ("--size", str(max(limits.tmp_bytes, 4096)))
        yield from ("--tmpfs", "/tmp")  # noqa: S108 - inside the box
        for number, (path, may_write) in enumerate(binds):
            source = str(path) if self._slot is None else f"{_STAGE}/{number}"
            yield from ("--bind" if may_write else "--ro-bind", source, str(path))
        yield from ("--remount-ro", "/", "--chdir", str(cwd))

    def _try_out(self) -> None:
        with self.popen(["true"], cwd=Path("/"), env={}) as process:
            try:
                output, _ = process.communicate(timeout=TRY_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                raise SandboxUnavailableError(
                    f"bubblewrap did not start a command within {TRY_SECONDS} seconds."
                ) from None
        if process.returncode == 0:
            return
        said = output.decode(errors="replace").strip() or f"exit {process.returncode}"
        raise SandboxUnavailableError(
            f"bubblewrap is installed but does not work here: {said}. It needs user "
            "namespaces: in a container run it privileged or with CAP_SYS_ADMIN and "
            "seccomp=unconfined; on Ubuntu see "
            "kernel.apparmor_restrict_unprivileged_userns. "
            "Or set OHB_SANDBOX=none to evaluate nothing but input you trust."
        )


def _find_bubblewrap() -> str:
    missing = [
        tool for tool in ("setpriv", "prlimit", "unshare") if not shutil.which(tool)
    ]
    if missing:
        raise SandboxUnavailableError(
            f"The sandbox needs {', '.join(missing)} from util-linux on PATH. "
            "Debian and Ubuntu: apt-get install util-linux."
        )
    found = shutil.which("bwrap", path=OUTER_ENVIRONMENT["PATH"])
    if found is None:
        raise SandboxUnavailableError(
            f"bubblewrap (bwrap) is not installed. {_INSTALL}"
        )
    said = subprocess.run(
        [found, "--version"],
        env=OUTER_ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
        timeout=TRY_SECONDS,
    ).stdout
    version = re.search(r"(\d+)\.(\d+)", said)
    if version is None or tuple(map(int, version.groups())) < _OLDEST_VERSION:
        raise SandboxUnavailableError(
            f"{said.strip() or 'This bubblewrap'} is too old; 0.8 or newer is needed. "
            f"{_INSTALL}"
        )
    return found


def _joined(options: Iterator[str]) -> bytes:
    return b"".join(os.fsencode(without_nul(word)) + b"\0" for word in options)
