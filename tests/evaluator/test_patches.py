"""The patch gate against the corpus: one checked-in patch, one expected answer."""

from __future__ import annotations

import base64
import io
import json
import os
import subprocess
import time
import zlib
from pathlib import Path

import pytest

from evaluator.patches import GateError, PatchLimits, apply_patch
from evaluator.sandbox import SandboxUnavailableError, open_sandbox
from evaluator.verdicts import FailReason
from evaluator.workspaces import WorkspaceError, tree_digest

CORPUS = Path(__file__).parent / "corpus" / "patches"
BASE = CORPUS / "base"
CASES = json.loads((CORPUS / "index.json").read_text(encoding="utf-8"))
BY_NAME = {case["name"]: case for case in CASES}
INDEX = "entry/src/main/ets/pages/Index.ets"


def patch_of(name: str) -> bytes:
    return (CORPUS / f"{name}.patch").read_bytes()


def files_of(folder: Path) -> dict[str, tuple[bool, bytes]]:
    return {
        path.relative_to(folder).as_posix(): (
            os.access(path, os.X_OK),
            path.read_bytes(),
        )
        for path in folder.rglob("*")
        if path.is_file()
    }


def judged(case, workspace, **options):
    return apply_patch(
        BASE,
        patch_of(case["name"]),
        workspace,
        allowed_build_paths=case.get("allowed", ()),
        **options,
    )


def answer(result) -> dict[str, object]:
    """What the gate said, in the words of the corpus."""
    expect = "accepted" if result.accepted else "rejected"
    return {
        "expect": expect if result.applies else "not_applied",
        "codes": sorted({problem.code.value for problem in result.problems}),
        "changed": list(result.changed_paths) if result.accepted else [],
        "restored": list(result.restored),
        "flags": sorted(result.flags),
        "empty": result.empty,
    }


def expected(case) -> dict[str, object]:
    kept = {key: case.get(key, []) for key in ("codes", "changed", "restored", "flags")}
    return {"expect": case["expect"], "empty": case.get("empty", False), **kept}


@pytest.mark.parametrize("name", BY_NAME)
def test_each_patch_of_the_corpus_gets_its_answer(name, tmp_path):
    case = BY_NAME[name]

    result = judged(case, tmp_path / "workspace")

    assert answer(result) == expected(case)
    assert [path.name for path in tmp_path.iterdir() if path.name != "data"] == (
        ["workspace"] if result.accepted else []
    )
    for problem in result.problems:
        said = f"{problem.path} {problem.detail}"
        assert said.isprintable()
        assert "ohb-gate" not in said
        assert str(tmp_path) not in said


@pytest.mark.parametrize(
    "name", [case["name"] for case in CASES if case["expect"] == "accepted"]
)
def test_an_accepted_workspace_is_what_git_makes_except_for_what_was_put_back(
    name, tmp_path
):
    result = judged(BY_NAME[name], tmp_path / "workspace")
    by_git = files_by_git(tmp_path / "repository", patch_of(name))
    base = files_of(BASE)
    for path in result.restored:
        by_git.pop(path, None)
        if path in base:
            by_git[path] = base[path]

    found = files_of(tmp_path / "workspace")

    assert found == by_git
    assert {path for path in {*base, *found} if base.get(path) != found.get(path)} == (
        set(result.changed_paths)
    )
    assert not any(path.is_symlink() for path in (tmp_path / "workspace").rglob("*"))


def files_by_git(folder: Path, patch: bytes) -> dict[str, tuple[bool, bytes]]:
    """The same patch through an ordinary repository and an ordinary ``git apply``."""

    def git(*words: str, given: bytes = b"") -> bytes:
        return subprocess.run(
            ["git", "-c", "core.attributesFile=/dev/null", *words],
            cwd=folder,
            input=given,
            check=True,
            capture_output=True,
        ).stdout

    folder.mkdir()
    git("init", "--quiet")
    git("--work-tree", str(BASE), "add", "--force", "--all", ".")
    if patch.strip():
        git("apply", "--cached", "--whitespace=nowarn", given=patch)
    entries = []
    for line in git("ls-files", "--stage", "-z").split(b"\0")[:-1]:
        facts, _, path = line.partition(b"\t")
        mode, blob, _ = facts.decode().split()
        if mode in ("100644", "100755"):
            entries.append((path.decode(), mode == "100755", blob))
    wanted = "".join(f"{blob}\n" for _, _, blob in entries)
    answers = io.BytesIO(git("cat-file", "--batch", given=wanted.encode()))
    files = {}
    for path, executable, _ in entries:
        size = int(answers.readline().split()[2])
        files[path] = (executable, answers.read(size))
        answers.read(1)
    return files


def test_the_corpus_is_complete():
    assert {path.stem for path in CORPUS.glob("*.patch")} == set(BY_NAME)
    assert len(BY_NAME) == len(CASES)
    assert sum(case["hostile"] for case in CASES) >= 30
    assert sum(not case["hostile"] for case in CASES) >= 10
    assert all(case["expect"] == "accepted" for case in CASES if not case["hostile"])


def test_the_base_stays_as_it_is(tmp_path):
    before = tree_digest(BASE)

    for name in ("edit", "deletion", "rename", "executable_edit", "other_base"):
        judged(BY_NAME[name], tmp_path / name)

    assert tree_digest(BASE) == before


@pytest.mark.sandbox
@pytest.mark.parametrize(
    "name", ["rename_with_edit", "tests_edit", "picture", "link_new", "other_base"]
)
def test_git_answers_the_same_inside_the_sandbox(name, tmp_path):
    try:
        sandbox = open_sandbox("bwrap")
    except SandboxUnavailableError as error:
        if os.environ.get("OHB_TEST_REQUIRE") == "all":
            pytest.fail(f"OHB_TEST_REQUIRE=all, but: {error}")
        pytest.skip(str(error))

    result = judged(BY_NAME[name], tmp_path / "workspace", sandbox=sandbox)

    assert answer(result) == expected(BY_NAME[name])


@pytest.mark.sandbox
def test_a_sandbox_that_breaks_is_our_own_trouble(tmp_path):
    class Broken:
        name, isolates = "broken", True

        def popen(self, argv, **options):
            process = open_sandbox("none").popen(["false"], **options)
            process.was_set_up = lambda: False
            return process

    with pytest.raises(GateError, match="did not start git"):
        judged(BY_NAME["edit"], tmp_path / "workspace", sandbox=Broken())


# Reasons and messages


def test_reasons_are_those_of_the_verdicts(tmp_path):
    reasons = {
        name: judged(BY_NAME[name], tmp_path / name).fail_reason
        for name in ("edit", "empty", "link_new", "parent_path", "other_base")
    }

    assert reasons == {
        "edit": None,
        "empty": None,
        "link_new": FailReason.PATCH_REJECTED,
        "parent_path": FailReason.PATCH_REJECTED,
        "other_base": FailReason.PATCH_DOES_NOT_APPLY,
    }


@pytest.mark.parametrize(
    ("name", "path", "detail"),
    [
        (
            "other_base",
            INDEX,
            "the lines around line 8 are not those of the base project",
        ),
        (
            "file_exists",
            "entry/src/main/ets/model/Note.ets",
            "but the base project has",
        ),
        (
            "no_prefix",
            "src/main/ets/pages/Index.ets",
            "the base project does not have it",
        ),
        (
            "lf_on_crlf_file",
            "entry/src/main/ets/common/Windows.ets",
            "has CRLF line ends",
        ),
        ("crlf_on_lf_file", INDEX, "has LF line ends, the patch CRLF"),
        ("not_a_patch", "", "not a patch in git's format"),
        ("cut_off", "", "damaged: corrupt patch at line"),
        ("link_new", "entry/secret", "symbolic link; only regular files"),
        ("mode_change", INDEX, "changes its mode from 100644 to 100755"),
        ("path_escape", "\\x1b[2J.ets", "control character"),
        ("case_pair", "entry/N.ets", "differs only in case from entry/n.ets"),
    ],
)
def test_a_problem_names_the_place_and_what_was_seen(name, path, detail, tmp_path):
    problem = judged(BY_NAME[name], tmp_path / "workspace").problems[0]

    assert problem.path == path
    assert detail in problem.detail


# Bombs and limits


def binary_patch(content: bytes, *, declared: int | None = None) -> bytes:
    """A patch that creates a picture from a packed ``content``."""
    packed = zlib.compress(content, 9)
    lines = []
    for start in range(0, len(packed), 52):
        piece = packed[start : start + 52]
        size = len(piece)
        mark = chr(size + 64) if size <= 26 else chr(size + 70)
        padded = piece + bytes(-size % 4)
        lines.append(mark.encode() + base64.b85encode(padded))
    path = b"entry/src/main/resources/base/media/big.png"
    literal = len(content) if declared is None else declared
    return b"".join(
        [
            b"diff --git a/%s b/%s\nnew file mode 100644\n" % (path, path),
            b"index %s..%s\n" % (b"0" * 40, git_name(content)),
            b"GIT binary patch\nliteral %d\n" % literal,
            b"\n".join(lines),
            b"\n\nliteral 0\nHcmV?d00001\n\n",
        ]
    )


def git_name(content: bytes) -> bytes:
    found = subprocess.run(
        ["git", "hash-object", "--stdin"],
        input=content,
        capture_output=True,
        check=True,
    )
    return found.stdout.strip()


def codes(result) -> list[str]:
    return [problem.code.value for problem in result.problems]


def test_a_well_made_binary_patch_is_applied(tmp_path):
    content = b"\x89PNG\r\n\x1a\n" + bytes(1000)

    assert apply_patch(BASE, binary_patch(content), tmp_path / "workspace").accepted


def test_a_binary_bomb_is_refused_by_the_size_it_declares(tmp_path):
    patch = binary_patch(bytes(100 * 1024 * 1024))
    began = time.thread_time()

    result = apply_patch(BASE, patch, tmp_path / "workspace")

    assert codes(result) == ["patch_too_large"]
    assert result.fail_reason == FailReason.PATCH_REJECTED
    assert time.thread_time() - began < 2


def test_a_binary_bomb_that_lies_about_its_size_does_not_apply(tmp_path):
    patch = binary_patch(bytes(100 * 1024 * 1024), declared=10)

    result = apply_patch(BASE, patch, tmp_path / "workspace")

    assert not result.accepted
    assert not (tmp_path / "workspace").exists()


def test_a_declared_size_with_too_many_digits_is_just_too_large(tmp_path):
    patch = binary_patch(b"x").replace(
        b"literal 1\n", b"literal " + b"9" * 5000 + b"\n"
    )

    assert codes(apply_patch(BASE, patch, tmp_path / "w")) == ["patch_too_large"]


def test_git_that_wants_more_memory_than_allowed_ends_the_patch(tmp_path):
    patch = binary_patch(bytes(200 * 1024 * 1024))
    limits = PatchLimits(binary_bytes=1 << 40, memory_bytes=128 * 1024 * 1024)

    result = apply_patch(BASE, patch, tmp_path / "workspace", limits=limits)

    assert codes(result) == ["too_costly"]
    assert result.fail_reason == FailReason.PATCH_REJECTED


def test_a_large_result_is_not_even_unpacked(tmp_path):
    patch = binary_patch(bytes(50 * 1024 * 1024))
    limits = PatchLimits(binary_bytes=1 << 40)

    result = apply_patch(BASE, patch, tmp_path / "workspace", limits=limits)

    assert codes(result) == ["file_too_large"]


def test_many_results_together_have_a_limit(tmp_path):
    patch = b"".join(new_file(f"entry/{n}.ets", lines=100) for n in range(5))
    limits = PatchLimits(total_bytes=450)

    result = apply_patch(BASE, patch, tmp_path / "workspace", limits=limits)

    assert codes(result) == ["file_too_large"]
    assert "left for all files" in result.problems[0].detail


def new_file(path: str, *, lines: int = 1) -> bytes:
    body = "+\n" * lines
    return (
        f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n"
        f"+++ b/{path}\n@@ -0,0 +1,{lines} @@\n{body}"
    ).encode()


def test_tens_of_thousands_of_new_files_are_too_many(tmp_path):
    patch = b"".join(new_file(f"e/{n}") for n in range(40_000))
    assert len(patch) < PatchLimits().patch_bytes

    result = apply_patch(BASE, patch, tmp_path / "workspace")

    assert codes(result) == ["too_many_files"]
    assert "40000 files; 2000 are allowed" in result.problems[0].detail
    assert result.changed_paths == ()


def test_a_patch_of_more_than_eight_mebibytes_is_not_read(tmp_path):
    patch = new_file("entry/a.ets", lines=5 * 1024 * 1024)

    assert codes(apply_patch(BASE, patch, tmp_path / "w")) == ["patch_too_large"]


def costly_patch(base):
    """Write a long file into ``base``; return a patch that git looks at for very long.

    Every hunk is far from where it says, so git looks for it through the whole file.
    """
    base.mkdir()
    lines = [f"same\nline {number}\n" for number in range(100_000)]
    (base / "a.ets").write_text("".join(lines))
    hunks = [
        f"@@ -2,3 +2,3 @@\n same\n-line {number}\n+other\n same\n"
        for number in range(90_000, 60_000, -10)
    ]
    return ("--- a/a.ets\n+++ b/a.ets\n" + "".join(hunks)).encode()


def test_a_patch_that_costs_more_processor_time_than_allowed_is_refused(tmp_path):
    patch = costly_patch(tmp_path / "base")
    limits = PatchLimits(cpu_seconds=1)

    result = apply_patch(tmp_path / "base", patch, tmp_path / "w", limits=limits)

    assert codes(result) == ["too_costly"]


# Our own trouble


def test_git_out_of_time_is_our_own_trouble(tmp_path):
    patch = costly_patch(tmp_path / "base")
    limits = PatchLimits(seconds=0)

    with pytest.raises(GateError, match="did not end within 0 seconds"):
        apply_patch(tmp_path / "base", patch, tmp_path / "w", limits=limits)


def test_a_machine_without_git_is_our_own_trouble(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "defpath", "/nonexistent")

    with pytest.raises(GateError, match="apt-get install git"):
        apply_patch(BASE, patch_of("edit"), tmp_path / "workspace")


def test_a_workspace_is_never_written_over(tmp_path):
    (tmp_path / "workspace").mkdir()

    with pytest.raises(WorkspaceError, match="exists already"):
        apply_patch(BASE, patch_of("edit"), tmp_path / "workspace")


def test_a_disk_that_fills_up_leaves_no_half_workspace(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("evaluator.patches.gate.set_mode", full)

    with pytest.raises(OSError, match="No space left"):
        apply_patch(BASE, patch_of("edit"), tmp_path / "workspace")

    assert not (tmp_path / "workspace").exists()


def test_settings_of_the_worker_do_not_reach_git(tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(
        "[core]\n\tautocrlf = input\n\thooksPath = /tmp\n[apply]\n\twhitespace = fix\n"
        "\tignoreWhitespace = change\n[diff]\n\tnoprefix = true\n"
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "elsewhere" / "index"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "apply.whitespace")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "error-all")
    patch = new_file("entry/a.ets").replace(b"+\n", b"+trailing  \r\n")

    result = apply_patch(BASE, patch, tmp_path / "workspace")
    mismatch = apply_patch(BASE, patch_of("lf_on_crlf_file"), tmp_path / "other")

    assert result.accepted
    assert (
        tmp_path / "workspace" / "entry" / "a.ets"
    ).read_bytes() == b"trailing  \r\n"
    assert codes(mismatch) == ["crlf_mismatch"]
