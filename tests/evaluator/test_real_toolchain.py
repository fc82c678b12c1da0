"""The toolchain of a worker with SDK and devices, with stand-ins for its programs."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from evaluator.sandbox import HostSandbox
from evaluator.toolchains.base import (
    CheckOutcome,
    ChecksOutcome,
    CheckSuite,
    Device,
    Toolchain,
)
from evaluator.toolchains.command_line_tools import (
    NamedTools,
    SdkFacts,
    find_tools,
    read_sdk,
)
from evaluator.toolchains.real import RealSettings, real_toolchain
from evaluator.toolchains.signing import SigningChecks
from evaluator.verdicts import InfraReason
from tests.evaluator.stubs import write_tool

HVIGORW = """
out = Path("entry/build/default/outputs/default")
out.mkdir(parents=True)
(out / "entry-default-unsigned.hap").write_bytes(b"hap")
print(sorted(os.environ), os.environ["DEVECO_SDK_HOME"], sys.argv[1:])
print("home:", sorted(os.listdir(os.environ["HOME"])))
print("> hvigor BUILD SUCCESSFUL in 1 s 2 ms")
"""
OHPM = "print('ohpm', *sys.argv[1:]); print('install completed in 0s 9ms')\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder like that of the Command Line Tools."""
    top = tmp_path / "command-line-tools"
    write_tool(top / "bin" / "hvigorw", HVIGORW)
    write_tool(top / "bin" / "ohpm", OHPM)
    write_tool(top / "tool" / "node" / "bin" / "node", "")
    write_tool(top / "sdk/default/openharmony/toolchains/hdc", "")
    facts = {"data": {"apiVersion": "23", "version": "6.1.0.31"}}
    (top / "sdk/default/sdk-pkg.json").write_text(json.dumps(facts))
    (top / "jbr" / "bin").mkdir(parents=True)
    return top


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "entry").mkdir(parents=True)
    (folder / "entry" / "build-profile.json5").write_text("{}")
    return folder


def toolchain(root: Path | None, **more: object) -> Toolchain:
    settings = RealSettings(tools=NamedTools(root=root), **more)  # type: ignore[arg-type]
    return real_toolchain(settings, python=Path("python"), sandbox=HostSandbox())


def build(tools: Toolchain, workspace: Path):
    scratch = workspace.parent / "scratch"
    scratch.mkdir()
    deadline = time.monotonic() + 600
    return tools.builder.build(workspace, scratch=scratch, deadline=deadline)


def test_the_tools_are_found_below_one_folder(root: Path):
    found = find_tools(NamedTools(root=root))

    assert found.hvigorw == root / "bin/hvigorw"
    assert found.ohpm == root / "bin/ohpm"
    assert found.hdc == root / "sdk/default/openharmony/toolchains/hdc"
    assert found.sdk == root / "sdk"
    assert found.java_home == root / "jbr"
    assert found.node_home == root / "tool/node"
    assert read_sdk(found.sdk) == SdkFacts(23, "6.1.0.31")


def test_a_tool_that_a_setting_names_goes_before_all_others(root: Path, tmp_path: Path):
    other = write_tool(tmp_path / "other" / "hdc", "")

    assert find_tools(NamedTools(root=root, hdc=other)).hdc == other
    assert find_tools(NamedTools(root=root, hdc=tmp_path / "none")).hdc is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"data": {"apiVersion": "x"}}'])
def test_an_sdk_that_tells_nothing_is_not_guessed_at(tmp_path: Path, text: str):
    (tmp_path / "sdk-pkg.json").write_text(text)

    assert read_sdk(tmp_path) == SdkFacts(None, None)
    assert read_sdk(None) == SdkFacts(None, None)


def test_a_build_installs_what_the_project_needs_and_builds(
    root: Path, workspace: Path
):
    outcome = build(toolchain(root), workspace)

    log = outcome.log.decode()
    assert outcome.trouble is None, log
    assert outcome.ok
    assert outcome.package.name == "entry-default-unsigned.hap"
    assert log.index("ohpm install --all") < log.index("'--no-daemon'")
    for name in ("DEVECO_SDK_HOME", "JAVA_HOME", "NODE_HOME", str(root / "sdk")):
        assert name in log


def test_every_build_has_a_copy_of_the_home(root: Path, workspace: Path):
    home = workspace.parent / "template"
    (home / ".ohpm" / "cache").mkdir(parents=True)
    write_tool(root / "bin" / "ohpm", OHPM + "Path(os.environ['HOME'], 'x').touch()")

    outcome = build(toolchain(root, build_home=home), workspace)

    assert "home: ['.ohpm', 'x']" in outcome.log.decode()
    assert [each.name for each in home.iterdir()] == [".ohpm"]


@pytest.mark.parametrize(
    "body",
    [
        "print('ohpm ERROR: NOTFOUND package'); print('ohpm ERROR: Install failed')",
        "sys.exit(3)",
    ],
)
def test_dependencies_that_cannot_be_installed_are_a_doubt(
    root: Path, workspace: Path, body: str
):
    write_tool(root / "bin" / "ohpm", body)

    outcome = build(toolchain(root), workspace)

    assert outcome.trouble.reason is InfraReason.RUNNER_CRASH
    assert "ohpm install" in outcome.trouble.detail
    assert not outcome.ok


def test_an_sdk_that_hvigor_does_not_find_is_a_doubt(root: Path, workspace: Path):
    write_tool(
        root / "bin" / "hvigorw",
        "print('> hvigor ERROR: SDK component missing.')\n"
        "print('> hvigor ERROR: BUILD FAILED in 1 s'); sys.exit(255)",
    )

    outcome = build(toolchain(root), workspace)

    assert outcome.trouble.reason is InfraReason.RUNNER_CRASH
    assert "SDK component missing" in outcome.trouble.detail


def test_a_message_is_found_in_the_log_behind_what_ohpm_said(
    root: Path, workspace: Path
):
    write_tool(
        root / "bin" / "hvigorw",
        "print('> hvigor ERROR: Unknown module.'); sys.exit(255)",
    )

    outcome = build(toolchain(root), workspace)

    (message,) = outcome.diagnostics
    lines = outcome.log.decode().splitlines()
    assert lines[message.log_line - 1] == "> hvigor ERROR: Unknown module."


def test_a_worker_without_an_sdk_says_what_it_lacks(root: Path, workspace: Path):
    (root / "sdk").rename(root / "gone")
    (root / "bin" / "ohpm").unlink()

    outcome = build(toolchain(root), workspace)

    assert outcome.trouble.reason is InfraReason.TOOL_MISSING
    assert "ohpm (OHB_DEVECO_TOOLS" in outcome.trouble.detail
    assert "the SDK (OHB_DEVECO_TOOLS" in outcome.trouble.detail


@pytest.mark.parametrize("name", ["with space", "天气", "long" * 60])
def test_a_path_that_hvigor_does_not_bear_is_our_trouble(
    root: Path, workspace: Path, name: str
):
    elsewhere = workspace.rename(workspace.parent / name)

    outcome = build(toolchain(root), elsewhere)

    assert outcome.trouble.reason is InfraReason.WORKSPACE
    assert "OHB_DATA_DIR" in outcome.trouble.detail


# --- signing ------------------------------------------------------------

DEVICE = Device("A1", 8710, "phone")
SUITE = CheckSuite(Path("checks"), "com.example.sky", ())


class Seeing:
    """Checks that keep the package they were given."""

    seen: bytes = b""

    def run(self, package: Path, *_: object, **__: object) -> ChecksOutcome:
        self.seen = package.read_bytes()
        return ChecksOutcome((CheckOutcome("FP-1", passed=True),))


def sign(tmp_path: Path, body: str) -> tuple[ChecksOutcome, Seeing]:
    package = tmp_path / "app.hap"
    package.write_bytes(b"hap")
    checks = Seeing()
    signer = write_tool(tmp_path / "sign", body)
    signing = SigningChecks(checks, signer, {"PATH": "/usr/bin:/bin"})
    deadline = time.monotonic() + 600
    outcome = signing.run(package, SUITE, DEVICE, scratch=tmp_path, deadline=deadline)
    return outcome, checks


def test_what_is_installed_is_the_signed_package(tmp_path: Path):
    body = "Path(sys.argv[2]).write_text('signed for ' + sys.argv[3])"

    outcome, checks = sign(tmp_path, body)

    assert outcome.trouble is None
    assert checks.seen == b"signed for com.example.sky"


@pytest.mark.parametrize("body", ["sys.exit(1)", "print('no key')"])
def test_a_package_that_is_not_signed_is_a_doubt(tmp_path: Path, body: str):
    outcome, checks = sign(tmp_path, body)

    assert outcome.trouble.reason is InfraReason.INSTALL
    assert checks.seen == b""
