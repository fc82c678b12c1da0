"""The sandbox for root on a machine without bubblewrap: util-linux alone.

It has the same walls but one: no filter of system calls. Root builds a small file
system in a mount namespace that ends with the command, makes it the only one there is,
becomes a user of its own, and forbids further user namespaces before the command runs.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

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
from evaluator.sandbox.paths import prepared_binds, system_entries, system_paths
from evaluator.sandbox.privacy import NOTHING_PRIVATE, Privacy
from evaluator.sandbox.quota import Watch, measure
from evaluator.sandbox.rlimits import prlimit_words
from evaluator.sandbox.slots import Slot

GAPS = ("system calls are filtered",)

_TOOLS = ("bash", "mount", "pivot_root", "prlimit", "setpriv", "umount", "unshare")
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_SPACES = ("mount", "pid", "net", "ipc", "uts", "cgroup")
# A folder that every system has; what is mounted there is seen by this command alone.
_ROOT = "/sys"

# Ends as process 1 and tells the worker that all walls stand; the rest is the command.
_FIRST = """
type -P -- "$2" > /dev/null && printf ready >&"$1"
eval "exec $1>&-"
shift 2
"$@"
exit $?
"""


class UnsharedProcess(subprocess.Popen[bytes]):
    """A command that tells over a pipe whether it was reached."""

    watch: Watch | None = None
    group: Group = NO_GROUP
    status_fd: int | None = None
    _ready = b""

    def was_set_up(self) -> bool:
        if self.status_fd is not None:
            os.set_blocking(self.status_fd, False)
            with contextlib.suppress(BlockingIOError):
                self._ready += os.read(self.status_fd, 16)
        return self._ready == b"ready"

    def __del__(self) -> None:
        if self.status_fd is not None:
            os.close(self.status_fd)
            self.status_fd = None
        self.group.close()
        super().__del__()


class UnshareSandbox:
    """Commands see the system folders, their own paths, and no network. For root only.

    Holds one user id of its own until it is closed, like the bubblewrap sandbox.
    """

    name = "unshare"
    isolates = True

    def __init__(
        self, privacy: Privacy = NOTHING_PRIVATE, groups: Groups | None = None
    ) -> None:
        privacy.check_system(system_paths())
        self._privacy = privacy
        self._groups = find_groups() if groups is None else groups
        _need_root_and_tools()
        self._slot = Slot()
        try:
            self._try_out()
        except SandboxUnavailableError:
            self.close()
            raise

    @property
    def gaps(self) -> tuple[str, ...]:
        """There is no filter of system calls, nor control groups on every machine."""
        return (*GAPS, *self._groups.missing)

    def close(self) -> None:
        """Let go of the user id; commands still running keep it."""
        self._slot.close()

    def describe(self) -> str:
        return (
            f"unshare: as uid {self._slot.uid}; WARNING: no system call filter. "
            "Install bubblewrap (apt-get install bubblewrap) for the full sandbox; "
            f"{self._groups.describe()}"
        )

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
        binds = prepared_binds(readable, writable, uid=self._slot.uid)
        before = measure(writable)
        with contextlib.ExitStack() as held:
            status, status_end = os.pipe()
            held.callback(os.close, status_end)
            lines = self._lines(binds, cwd=cwd, env=env, limits=limits, told=status_end)
            script = held.enter_context(in_memory("\n".join(lines).encode()))
            words = ["setpriv", "--pdeathsig", "KILL", "unshare"]
            words += [f"--{space}" for space in _SPACES]
            words += ["--fork", "--kill-child=KILL", "--propagation", "private"]
            words += ["bash", f"/proc/self/fd/{script}", str(script)]
            group = self._groups.make(limits)
            try:
                process = UnsharedProcess(
                    [*group.words(), *words, *[str(word) for word in argv]],
                    cwd="/",
                    env=OUTER_ENVIRONMENT,
                    stdin=stdin,
                    stdout=stdout,
                    stderr=stderr,
                    start_new_session=True,
                    pass_fds=[script, status_end],
                )
            except OSError:
                os.close(status)
                group.close()
                raise
        process.status_fd, process.group = status, group
        if writable:
            process.watch = Watch(process, writable, before=before, limits=limits)
        return process

    def _lines(
        self,
        binds: Sequence[tuple[Path, bool]],
        *,
        cwd: Path,
        env: Mapping[str, str],
        limits: Limits,
        told: int,
    ) -> Iterator[str]:
        """The script that builds the walls. Its words come quoted, never by a shell."""
        quote = shlex.quote
        uid = self._slot.uid
        yield "set -e"
        yield 'eval "exec $1<&-"; shift'
        yield "if type -P ip > /dev/null; then ip link set lo up; fi"
        yield f"mount -t tmpfs -o mode=0755,nosuid,nodev,size=4m box {_ROOT}"
        yield from _system_lines()
        yield from _device_lines(limits)
        size = max(limits.tmp_bytes, 4096)
        yield f"cd {_ROOT}; mkdir tmp proc old"
        yield f"mount -t tmpfs -o mode=1777,nosuid,nodev,size={size} tmp tmp"
        for path, may_write in binds:
            yield from _bind_lines(path, read_only=not may_write)
        yield "mount -t proc -o nosuid,nodev,noexec proc proc"
        yield "pivot_root . old; umount -l /old; rmdir /old"
        yield "mount -o remount,ro,nosuid,nodev /"
        yield "echo box > /proc/sys/kernel/hostname"
        yield f"cd {quote(str(cwd))}"
        words = {**INNER_ENVIRONMENT, **env}
        pairs = [quote(without_nul(f"{key}={value}")) for key, value in words.items()]
        drop = [f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]
        drop += ["--inh-caps=-all"]
        last = ["--pdeathsig", "KILL", "--no-new-privs", "--inh-caps=-all"]
        last += ["--bounding-set=-all"]
        # Two user namespaces: the outer one may have no more than the inner one.
        inner = " ".join(
            [
                "echo 1 > /proc/sys/user/max_user_namespaces;",
                f"exec unshare --user --map-user={uid} --map-group={uid}",
                *["setpriv", *last],
                *[quote(word) for word in prlimit_words(limits)],
                f'env -i PATH="$PATH" bash -c "$FIRST" init {told} "$1"',
                f'env -i {" ".join(pairs)} "$@"',
            ]
        )
        yield f"export FIRST={quote(_FIRST)}"
        yield (
            f"exec setpriv {' '.join(drop)} unshare --user --map-root-user "
            f'bash -c {quote(inner)} box "$@"'
        )

    def _try_out(self) -> None:
        with self.popen(["true"], cwd=Path("/"), env={}) as process:
            try:
                output, _ = process.communicate(timeout=TRY_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                raise SandboxUnavailableError(
                    f"unshare did not start a command within {TRY_SECONDS} seconds."
                ) from None
        if process.returncode != 0:
            said = output.decode(errors="replace").strip() or "no message"
            raise SandboxUnavailableError(f"unshare does not work here: {said}")


def _need_root_and_tools() -> None:
    if os.geteuid() != 0:
        raise SandboxUnavailableError(
            "The sandbox without bubblewrap is for root only. Install bubblewrap."
        )
    path = OUTER_ENVIRONMENT["PATH"]
    missing = [tool for tool in _TOOLS if not shutil.which(tool, path=path)]
    if missing:
        raise SandboxUnavailableError(
            f"The sandbox without bubblewrap needs {', '.join(missing)} on PATH. "
            "Debian and Ubuntu: apt-get install util-linux mount bash."
        )


def _system_lines() -> Iterator[str]:
    for path, target in system_entries():
        if target is not None:
            yield f"ln -s {shlex.quote(str(target))} {_ROOT}{path}"
        else:
            yield from _bind_lines(path, read_only=True)


def _bind_lines(path: Path, *, read_only: bool) -> Iterator[str]:
    source = shlex.quote(str(path))
    inside = shlex.quote(f"{_ROOT}{path}")
    yield f"mkdir -p {shlex.quote(f'{_ROOT}{path.parent}')}"
    yield f"if [ -d {source} ]; then mkdir -p {inside}; else : >> {inside}; fi"
    yield f"mount --bind {source} {inside}"
    mode = "ro" if read_only else "rw"
    yield f"mount -o remount,bind,{mode},nosuid,nodev {inside}"


def _device_lines(limits: Limits) -> Iterator[str]:
    shared = max(limits.tmp_bytes // 8, 4096)
    dev = f"{_ROOT}/dev"
    yield f"mkdir {dev}; mount -t tmpfs -o mode=0755,nosuid,size=1m dev {dev}"
    for name in _DEVICES:
        yield f": > {dev}/{name}; mount --bind /dev/{name} {dev}/{name}"
    yield f"ln -s /proc/self/fd {dev}/fd"
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        yield f"ln -s /proc/self/fd/{number} {dev}/{name}"
    yield f"mkdir {dev}/shm"
    yield f"mount -t tmpfs -o mode=1777,nosuid,nodev,size={shared} shm {dev}/shm"
    yield f"mount -o remount,ro,nosuid {dev}"
