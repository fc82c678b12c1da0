from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

# A child that starts a stubborn grandchild in a session of its own, names it, and ends
# only when it is told to.
STUBBORN = """
import pathlib, signal, subprocess, sys, time
grandchild = subprocess.Popen(
    [sys.executable, "-c",
     "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
     "print('ready', flush=True); time.sleep(1000)"],
    start_new_session=True, stdout=subprocess.PIPE)
grandchild.stdout.readline()
pathlib.Path(sys.argv[1]).write_text(str(grandchild.pid))
time.sleep(1000)
"""

# The supervisor runs in a process of its own: it adopts orphans, which a test process
# must not do.
SUPERVISOR = """
import sys, time
from pathlib import Path
from scripts import family
family.adopt_orphans()
child = family.start([sys.executable, "-c", sys.argv[1], sys.argv[2]])
while not Path(sys.argv[2]).exists():
    time.sleep(0.05)
if sys.argv[3] == "orphan":
    child.kill()
    child.wait()
family.end([child], grace=1)
assert not family.descendants(), family.descendants()
"""


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(
    "fate",
    [
        "together",
        pytest.param(
            "orphan",
            marks=pytest.mark.skipif(
                sys.platform != "linux", reason="adopting orphans is Linux's"
            ),
        ),
    ],
)
def test_a_grandchild_that_ignores_sigterm_is_gone_afterwards(
    tmp_path: Path, fate: str
):
    note = tmp_path / "grandchild"

    subprocess.run(
        [sys.executable, "-c", SUPERVISOR, STUBBORN, note, fate],
        check=True,
        timeout=600,
    )

    deadline = time.monotonic() + 60
    while is_alive(int(note.read_text())) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_alive(int(note.read_text()))
