"""Building with hvigorw: its log read, and its end judged, with a stand-in tool."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from evaluator.sandbox import HostSandbox, SandboxError
from evaluator.toolchains.base import BuildOutcome, Diagnostic
from evaluator.toolchains.hvigor import HvigorBuilder, find_package, remove_old_builds
from evaluator.toolchains.hvigor_log import (
    closing_line_says,
    not_simulated,
    read_diagnostics,
    without_colors,
)
from evaluator.verdicts import InfraReason
from tests.evaluator.stubs import write_tool

SUCCESS = "> hvigor BUILD SUCCESSFUL in 4 s 210 ms"
FAILURE = "> hvigor ERROR: BUILD FAILED in 2 s 7 ms"
OLD_FORMAT = f"""\
> hvigor ERROR: Failed :entry:default@CompileArkTS...
> hvigor ERROR: ArkTS Compiler Error
1 WARN: ArkTS:WARN: For details about ArkTS syntax errors, see FAQs
1 WARN: ArkTS:WARN File: {{workspace}}/entry/src/main/ets/pages/Index.ets:3:1
 'unused' is declared but never used.

1 ERROR: ArkTS:ERROR File: {{workspace}}/entry/src/main/ets/pages/Index.ets:12:9
 Property 'cloud' does not exist on type 'Sky'.


COMPILE RESULT:FAIL {{{{ERROR:2 WARN:1}}}}
{FAILURE}
"""
NEW_FORMAT = f"""\
> hvigor ERROR: Failed :entry:default@CompileArkTS...
\x1b[31m1 ERROR: \x1b[31m10605008 ArkTS Compiler Error\x1b[39m
\x1b[31mError Message: Use explicit types (arkts-no-any-unknown) \
At File: {{workspace}}/entry/src/main/ets/a.ets:7:11\x1b[39m

\x1b[33m1 WARN: \x1b[33m10903329 ArkTS Warning\x1b[39m
\x1b[33mWarning Message: Unknown resource name
 on two lines. At File: {{workspace}}/entry/src/main/ets/b.ets:1:2\x1b[39m

\x1b[31m2 ERROR: \x1b[31m00305015 ArkTS Compiler Error\x1b[39m
\x1b[31mError Message: Could not resolve "./Nowhere".\x1b[39m

COMPILE RESULT:FAIL {{{{ERROR:3 WARN:1}}}}
{FAILURE}
"""
PROJECT = Path("/srv/project")


def test_messages_of_the_old_format_are_read():
    log = OLD_FORMAT.format(workspace=PROJECT).encode()

    assert read_diagnostics(log, PROJECT) == (
        Diagnostic(
            code="",
            message="'unused' is declared but never used.",
            file="entry/src/main/ets/pages/Index.ets",
            line=3,
            column=1,
            severity="warning",
        ),
        Diagnostic(
            code="",
            message="Property 'cloud' does not exist on type 'Sky'.",
            file="entry/src/main/ets/pages/Index.ets",
            line=12,
            column=9,
        ),
    )


def test_messages_of_the_new_format_are_read_through_their_colors():
    log = NEW_FORMAT.format(workspace=PROJECT).encode()

    first, second, third = read_diagnostics(log, PROJECT)

    assert (first.code, first.line, first.column) == ("10605008", 7, 11)
    assert first.message == "Use explicit types (arkts-no-any-unknown)"
    assert first.file == "entry/src/main/ets/a.ets"
    assert second.severity == "warning"
    assert second.message == "Unknown resource name on two lines."
    assert third == Diagnostic("00305015", 'Could not resolve "./Nowhere".', "")


def test_a_message_without_a_code_is_read_too():
    log = (
        b"1 ERROR:  Configuration Error\nError Message: Wrong. At File: /a/b.json5:3:13"
    )

    assert read_diagnostics(log, Path("/a")) == (
        Diagnostic("", "Wrong.", "b.json5", line=3, column=13),
    )


def test_a_windows_path_stays_as_it_is_but_for_its_slashes():
    log = b"1 ERROR: ArkTS:ERROR File: D:\\x\\entry\\a.ets:2:3\r\n Wrong.\r\n"

    (message,) = read_diagnostics(log, PROJECT)

    assert message.file == "D:/x/entry/a.ets"
    assert (message.line, message.column) == (2, 3)


def test_the_last_closing_line_counts():
    assert closing_line_says(SUCCESS, "SUCCESSFUL")
    assert closing_line_says(f"{SUCCESS}\n{FAILURE} \n", "FAILED")
    assert not closing_line_says("built: BUILD SUCCESSFUL in no time", "SUCCESSFUL")
    assert not closing_line_says("", "FAILED")


def test_the_closing_line_is_found_through_colors():
    log = b"\x1b[32m> hvigor \x1b[39mBUILD SUCCESSFUL in 1 s\x1b[0m\r\n"

    assert closing_line_says(without_colors(log), "SUCCESSFUL")


def test_what_is_not_simulated_is_read_at_the_start_of_a_line_only():
    text = (
        "> hvigor ERROR: not simulated: NDK\nnot simulated: HSP\n"
        "1 ERROR: Text 'x not simulated: y'\nnot simulated: HSP\n"
    )

    assert not_simulated(text) == ("NDK", "HSP")


def test_a_log_written_to_be_slow_to_read_is_read_in_time():
    header = b"1 ERROR: 10505001 ArkTS Compiler Error\nError Message: "
    began = time.thread_time()

    read_diagnostics(header + b"At File: " * 1_000_000, PROJECT)
    read_diagnostics((header + b"x:1:2\n") * 100_000, PROJECT)
    read_diagnostics(header + (b"At File: " * 100 + b"\n") * 10_000, PROJECT)
    read_diagnostics(b"> hvigor ERROR: x\n" + b"at /at at\n" * 300_000, PROJECT)

    assert time.thread_time() - began < 10


# --- the builder --------------------------------------------------------

PACK = """
out = Path("entry/build/default/outputs/default")
out.mkdir(parents=True)
(out / "entry-default-unsigned.hap").write_bytes(b"hap")
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "entry" / "src").mkdir(parents=True)
    for module in (folder, folder / "entry"):
        (module / "build-profile.json5").write_text("{}")
    return folder


@pytest.fixture
def build(tmp_path: Path, workspace: Path):
    """Builds with a tool of the given body."""

    def run(body: str, *, seconds: float = 600, **more: object) -> BuildOutcome:
        scratch = tmp_path / "scratch"
        scratch.mkdir()
        builder = HvigorBuilder(
            write_tool(tmp_path / "bin" / "hvigorw", body),
            HostSandbox(),
            {"PATH": "/usr/bin:/bin", "DEVECO_SDK_HOME": "/sdk"},
            **more,  # type: ignore[arg-type]
        )
        deadline = time.monotonic() + seconds
        return builder.build(workspace, scratch=scratch, deadline=deadline)

    return run


def test_a_build_is_good_with_its_closing_line_its_status_and_its_package(build):
    outcome = build(PACK + f"print({SUCCESS!r})")

    assert outcome.ok
    assert outcome.trouble is None
    assert outcome.package.name == "entry-default-unsigned.hap"
    assert SUCCESS.encode() in outcome.log


def test_a_signed_package_goes_before_an_unsigned_one(build):
    signed = '(out / "entry-default-signed.hap").write_bytes(b"signed")\n'

    outcome = build(PACK + signed + f"print({SUCCESS!r})")

    assert outcome.package.read_bytes() == b"signed"


@pytest.mark.parametrize(
    "body",
    [
        f"print({FAILURE!r}); sys.exit(255)",
        f"{PACK}print({FAILURE!r})",
        f"print({SUCCESS!r})",
        f"{PACK}print({SUCCESS!r}); sys.exit(1)",
        f"{PACK}print({SUCCESS!r}); print({FAILURE!r}); sys.exit(255)",
        "print('> hvigor ERROR: Unknown module entry.'); sys.exit(255)",
    ],
    ids=[
        "failed",
        "failed with status 0",
        "no package",
        "status 1",
        "forged success",
        "refused",
    ],
)
def test_a_build_lacking_one_of_them_has_failed(build, body: str):
    outcome = build(body)

    assert not outcome.ok
    assert outcome.trouble is None
    assert outcome.package is None


def test_a_failed_build_tells_what_the_compiler_said(build, workspace: Path):
    log = NEW_FORMAT.format(workspace=workspace.resolve())

    outcome = build(f"print({log!r}); sys.exit(255)")

    assert [item.file for item in outcome.diagnostics] == [
        "entry/src/main/ets/a.ets",
        "entry/src/main/ets/b.ets",
        "",
    ]
    assert str(workspace).encode() not in outcome.log
    assert b"/project/entry/src/main/ets/a.ets" in outcome.log


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("print('Error: cannot find module'); sys.exit(1)", InfraReason.RUNNER_CRASH),
        ("print('> hvigor ERROR: x'); sys.exit(1)", InfraReason.RUNNER_CRASH),
        ("sys.exit(255)", InfraReason.RUNNER_CRASH),
        ("sys.exit(127)", InfraReason.TOOL_MISSING),
        ("os.kill(os.getpid(), 9)", InfraReason.RUNNER_CRASH),
        (
            f"print('not simulated: NDK'); print({FAILURE!r}); sys.exit(255)",
            InfraReason.NOT_SIMULATED,
        ),
    ],
)
def test_an_end_that_says_nothing_about_the_project_is_trouble(
    build, body: str, reason: InfraReason
):
    outcome = build(body)

    assert outcome.trouble is not None
    assert outcome.trouble.reason is reason
    assert outcome.log or outcome.trouble.detail


def test_a_build_that_does_not_end_is_ended(build):
    outcome = build("print('x', flush=True); time.sleep(500)", seconds=0.7)

    assert outcome.trouble.reason is InfraReason.DEADLINE
    assert outcome.seconds < 400


def test_a_build_ends_when_the_stage_is_told_to_stop(build):
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()

    outcome = build("time.sleep(500)", stop=stop)

    assert outcome.trouble.reason is InfraReason.DRAIN


def test_a_missing_tool_is_trouble(tmp_path: Path, workspace: Path):
    builder = HvigorBuilder(tmp_path / "nothing", HostSandbox(), {})

    outcome = builder.build(workspace, scratch=tmp_path, deadline=time.monotonic() + 9)

    assert outcome.trouble is not None
    assert outcome.trouble.reason is InfraReason.TOOL_MISSING


class RefusingSandbox(HostSandbox):
    def popen(self, *arguments, **more):
        raise SandboxError("no user id is free")


def test_a_sandbox_that_refuses_is_trouble(tmp_path: Path, workspace: Path):
    tool = write_tool(tmp_path / "bin" / "hvigorw", "")
    builder = HvigorBuilder(tool, RefusingSandbox(), {})

    outcome = builder.build(workspace, scratch=tmp_path, deadline=time.monotonic() + 9)

    assert outcome.trouble is not None
    assert outcome.trouble.reason is InfraReason.SANDBOX
    assert "no user id" in outcome.trouble.detail


def test_the_tool_gets_its_own_environment_and_nothing_of_ours(build, monkeypatch):
    monkeypatch.setenv("OHB_SECRET_KEY", "canary")

    outcome = build("print(sorted(os.environ), os.environ['HOME'], sys.argv[1:])")

    assert b"canary" not in outcome.log
    assert b"OHB_SECRET_KEY" not in outcome.log
    assert b"DEVECO_SDK_HOME" in outcome.log
    assert b"scratch/home" in outcome.log
    assert b"'--no-daemon'" in outcome.log


def test_what_an_earlier_build_left_is_gone(build, workspace: Path):
    stale = workspace / "entry/build/default/outputs/default/old.hap"
    stale.parent.mkdir(parents=True)
    stale.write_bytes(b"old")
    (workspace / ".hvigor").mkdir()

    outcome = build(f"print(os.path.exists('.hvigor')); print({SUCCESS!r})")

    assert not outcome.ok
    assert b"False" in outcome.log
    assert not stale.exists()


def test_only_build_folders_of_the_project_and_its_modules_are_removed(workspace: Path):
    kept = workspace / "entry/src/build/file.ets"
    kept.parent.mkdir()
    kept.write_text("")
    elsewhere = workspace.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "file").write_text("")
    (workspace / "build").symlink_to(elsewhere)

    remove_old_builds(workspace)

    assert kept.exists()
    assert not (workspace / "build").is_symlink()
    assert (elsewhere / "file").exists()


def test_a_package_behind_a_link_is_none(tmp_path: Path, workspace: Path):
    secret = tmp_path / "secret"
    secret.write_bytes(b"of the host")
    out = workspace / "entry/build/default/outputs/default"
    out.mkdir(parents=True)
    (out / "entry-default-unsigned.hap").symlink_to(secret)
    linked = workspace / "other/build/default"
    linked.mkdir(parents=True)
    (linked / "outputs").symlink_to(tmp_path)

    assert find_package(workspace) is None
