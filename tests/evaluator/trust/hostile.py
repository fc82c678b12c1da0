"""Packages with hostile code in them, and an honest runner that looks at the screen."""

from __future__ import annotations

import json
import subprocess
import time
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from evaluator.sandbox import HostSandbox
from evaluator.toolchains.base import BuildOutcome, Toolchain
from evaluator.toolchains.hvigor import HvigorBuilder
from evaluator.toolchains.registry import SIMULATOR
from tests.evaluator.simulator.arkts import NODE, need_node
from tests.evaluator.stubs import write_tool
from tests.evaluator.trust.toolchains import FakeBuilder

APPS = Path(__file__).parents[1] / "hostile_apps"
NAMES = sorted(path.stem for path in APPS.glob("*.js"))
PAGES = sorted(path.stem for path in (APPS / "pages").glob("*.ets"))
RUNNER = Path(__file__).parent / "honest_xdevice.py"
SHOWN = "it works"
INDEX = "entry/src/main/ets/pages/Index.ets"
ABILITY = "entry/src/main/ets/entryability/EntryAbility.ets"

_PRELUDE = """
(() => {
  const process = (function () {}).constructor('return process')();
  const need = (name) => process.getBuiltinModule(name);
  const { Buffer } = need('buffer');
  const { setTimeout, setInterval } = need('timers');
  const reply = (value) => need('fs').writeSync(1, `${JSON.stringify(value)}\\n`);
  const tell = (text) => reply({ tree: [], crash: `SEEN ${text}` });
  %s
})();
"""


def build(
    base: Path,
    folder: Path,
    *,
    pages: Mapping[str, str] | None = None,
    patch: Path | None = None,
) -> Path:
    """The HAP of the project at ``base``, some sources changed; built on the host."""
    need_node()
    assert NODE is not None
    workspace = folder / "workspace"
    subprocess.run(["cp", "-r", base, workspace], check=True)
    for name, text in (pages or {}).items():
        (workspace / name).write_text(text, "utf-8")
    if patch is not None:
        subprocess.run(["git", "apply", patch], cwd=workspace, check=True)
    (folder / "scratch").mkdir()
    builder = HvigorBuilder(
        SIMULATOR / "bin" / "hvigorw",
        HostSandbox(),
        {"PATH": f"{NODE.parent}:/usr/bin:/bin"},
    )
    built = builder.build(
        workspace, scratch=folder / "scratch", deadline=time.monotonic() + 600
    )
    assert built.package is not None, built.log.decode()
    return built.package


def with_code(package: Path, target: Path, code: str) -> Path:
    """A copy of ``package`` with ``code`` in front of its ability."""
    with zipfile.ZipFile(package) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "ets/modules.json":
                packed = json.loads(content)
                module = packed["modules"][ABILITY]
                module["code"] = _PRELUDE % code + module["code"]
                content = json.dumps(packed).encode()
            new.writestr(name, content)
    return target


def hostile_code(name: str) -> str:
    return (APPS / f"{name}.js").read_text("utf-8")


def honest_runner(folder: Path, *, seconds: float = 5) -> Path:
    """A stand-in for xdevice: a method passes if the screen shows ``SHOWN``.

    It looks for so many seconds, or until the app has crashed.

    It leaves a report as xdevice does, so that the real adapter judges it.
    """
    body = (
        f"os.environ['SECONDS'] = '{seconds}'\n"
        f"import runpy; runpy.run_path({str(RUNNER)!r}, run_name='__main__')\n"
    )
    return write_tool(folder / "python", body)


def with_package(
    toolchain: Toolchain, package: Path, *, reference: Path | None = None
) -> Toolchain:
    """``toolchain`` with a builder whose every build is ``package``.

    A control run gets ``reference`` instead, if there is one.
    """

    def build_it(workspace: Path, scratch: Path) -> BuildOutcome:
        control = reference is not None and "control" in workspace.parts
        built = reference if control else package
        return BuildOutcome(ok=True, package=built, log=b"BUILD SUCCESSFUL")

    return replace(toolchain, builder=FakeBuilder(build_it))
