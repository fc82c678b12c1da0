"""Diffs of workspaces, and what holds for every patch whatever is in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluator.patches import PatchLimits, apply_patch, diff
from evaluator.patches.protected import is_protected
from evaluator.workspaces import WorkspaceError, copy_project, tree_digest

CORPUS = Path(__file__).parent / "corpus" / "patches"
BASE = CORPUS / "base"
CASES = json.loads((CORPUS / "index.json").read_text(encoding="utf-8"))
INDEX = "entry/src/main/ets/pages/Index.ets"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    copy_project(BASE, tmp_path / "workspace")
    return tmp_path / "workspace"


def test_an_unchanged_workspace_has_an_empty_diff(workspace):
    assert diff(BASE, workspace) == b""


def test_a_diff_leads_back_to_the_workspace_through_the_gate(workspace, tmp_path):
    (workspace / INDEX).write_text("struct Index {}\n")
    (workspace / "README.md").unlink()
    (workspace / "entry" / "src" / "main" / "ets" / "说明 1.ets").write_bytes(b"a\r\nb")
    windows = workspace / "entry/src/main/ets/common/Windows.ets"
    windows.write_bytes(windows.read_bytes().replace(b"360", b"720"))

    patch = diff(BASE, workspace)

    assert apply_patch(BASE, patch, tmp_path / "again").accepted
    assert tree_digest(tmp_path / "again") == tree_digest(workspace)
    assert diff(BASE, tmp_path / "again") == patch


def test_a_diff_is_what_plain_git_says(workspace, tmp_path):
    (workspace / INDEX).write_text("struct Index {}\n")
    (workspace / "entry" / "new.ets").write_text("new\n")
    repository = tmp_path / "repository"
    shutil.copytree(BASE, repository)
    for words in (["init", "-q"], ["add", "-Af", "."]):
        subprocess.run(["git", *words], cwd=repository, check=True)
    shutil.copy(workspace / INDEX, repository / INDEX)
    shutil.copy(workspace / "entry" / "new.ets", repository / "entry" / "new.ets")
    subprocess.run(["git", "add", "-N", "."], cwd=repository, check=True)
    plain = subprocess.run(
        ["git", "diff", "--full-index"], cwd=repository, capture_output=True, check=True
    ).stdout

    assert diff(BASE, workspace) == plain


def test_what_tools_leave_behind_is_not_in_a_diff(workspace):
    for path in (
        "oh_modules/@ohos/hypium/index.ets",
        "entry/oh_modules/lib/index.ets",
        "entry/build/default/outputs/entry.hap",
        ".hvigor/cache.json",
        "node_modules/x/index.js",
        ".git/config",
        "entry/.git",
    ):
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text("left behind\n")
    (workspace / "entry" / "oh_modules" / "link").symlink_to("/opt")

    assert diff(BASE, workspace) == b""


def test_a_link_in_a_workspace_is_told_and_then_refused(workspace, tmp_path):
    (workspace / "entry" / "secret").symlink_to("/etc/passwd")

    patch = diff(BASE, workspace)
    result = apply_patch(BASE, patch, tmp_path / "again")

    assert b"new file mode 120000" in patch
    assert b"root:" not in patch
    assert [problem.code for problem in result.problems] == ["link"]


def test_names_that_git_would_not_take_are_told_and_then_refused(workspace, tmp_path):
    (workspace / "entry" / "git~1").write_text("x\n")
    (workspace / "entry" / "a\nb.ets").write_text("x\n")

    result = apply_patch(BASE, diff(BASE, workspace), tmp_path / "again")

    assert not result.accepted


def test_a_pipe_in_a_workspace_is_named(workspace):
    os.mkfifo(workspace / "entry" / "pipe")

    with pytest.raises(WorkspaceError, match="entry/pipe is a named pipe"):
        diff(BASE, workspace)


def test_a_diff_does_not_depend_on_settings_or_attributes(
    workspace, tmp_path, monkeypatch
):
    (workspace / INDEX).write_bytes(b"struct Index {}\r\n")
    (workspace / ".gitattributes").write_text("*.ets binary diff=evil\n")
    plain = diff(BASE, workspace)
    (tmp_path / ".gitconfig").write_text(
        "[diff]\n\tnoprefix = true\n\tcontext = 9\n\trenames = copies\n"
        "\texternal = /bin/false\n[core]\n\tautocrlf = input\n[color]\n\tui = always\n"
        '[diff "evil"]\n\ttextconv = /bin/false\n'
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "/bin/false")
    monkeypatch.chdir(workspace)

    assert diff(BASE, workspace) == plain
    assert b"+struct Index {}\r\n" in plain


# What holds for every patch

NAMES = st.sampled_from(
    [
        *("a.ets", "b.ets", "A.ets", "hvigorfile.ts", "src", "test", "entry", "main"),
        *("build", "oh_modules", ".gitignore", "x y", "说明", "é.ets", "resources"),
    ]
)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
CONTENTS = st.one_of(
    st.lists(st.sampled_from(["a", "b", "", "\t", "é"]), max_size=6).map(
        lambda lines: "\n".join(lines).encode()
    ),
    st.binary(max_size=20),
    st.binary(max_size=20).map(lambda tail: b"\x89PNG\r\n\x1a\n" + tail),
)
PROJECTS = st.dictionaries(PATHS, CONTENTS, max_size=6)
SLOW = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def write(folder: Path, project: dict[str, bytes]) -> dict[str, bytes]:
    """Write what of ``project`` can stand side by side, and return it."""
    folder.mkdir()
    written = {}
    for path, content in project.items():
        target = folder / path
        if target.is_dir() or any(
            parent.is_file() for parent in target.parents if parent != folder
        ):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        written[path] = content
    return written


@SLOW
@given(old=PROJECTS, new=PROJECTS)
def test_an_accepted_workspace_is_the_wanted_one_but_for_protected_paths(old, new):
    with tempfile.TemporaryDirectory() as folder:
        base, wanted, made = (Path(folder, name) for name in ("base", "wanted", "made"))
        before, after = write(base, old), write(wanted, new)

        result = apply_patch(base, diff(base, wanted), made)

        assert result.applies
        assert made.exists() == result.accepted
        if result.accepted:
            assert files_of(made) == {
                path: (before if is_protected(path.encode()) else after)[path]
                for path in {*before, *after}
                if path in (before if is_protected(path.encode()) else after)
            }


def files_of(folder: Path) -> dict[str, bytes]:
    found = {}
    for path in folder.rglob("*"):
        assert not path.is_symlink()
        if path.is_file():
            assert path.stat().st_mode & 0o7111 in (0, 0o111)
            found[path.relative_to(folder).as_posix()] = path.read_bytes()
    return found


SEEDS = [
    (CORPUS / f"{case['name']}.patch").read_bytes()
    for case in CASES
    if case["name"] not in ("empty", "blank")
]
WORDS = st.sampled_from(
    [
        *(b"120000", b"160000", b"100755", b"100644", b"old mode 100644\n"),
        *(
            b"rename from README.md\n",
            b"rename to hvigorfile.ts\n",
            b"copy from hvigorw\n",
        ),
        *(b"/dev/null", b"../", b"/", b".git/", b"entry/", b"hvigorfile.ts", b"\\000"),
        *(b'"', b"\n", b"\r\n", b"\0", b"@@ -0,0 +1 @@\n", b"GIT binary patch\n"),
        *(b"deleted file mode 100644\n", b"--- a/README.md\n", b"+++ b/hvigorw\n"),
    ]
)


@st.composite
def broken_patches(draw):
    """Patches of the corpus, put together, cut and written over."""
    patch = b"".join(draw(st.lists(st.sampled_from(SEEDS), min_size=1, max_size=2)))
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(patch)))
        end = min(len(patch), start + draw(st.integers(0, 12)))
        patch = patch[:start] + draw(WORDS) + patch[end:]
    return patch


@settings(SLOW, max_examples=150)
@given(patch=broken_patches())
def test_no_patch_changes_anything_but_allowed_regular_files(patch):
    before = files_of(BASE)
    executables = {path for path in before if os.access(BASE / path, os.X_OK)}
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "made")

        result = apply_patch(BASE, patch, made, limits=PatchLimits(files=50))

        assert list(Path(folder).iterdir()) == ([made] if result.accepted else [])
        assert result.accepted == (not result.problems)
        if result.accepted:
            after = files_of(made)
            changed = {
                path
                for path in {*before, *after}
                if before.get(path) != after.get(path)
            }
            assert changed == set(result.changed_paths)
            assert not any(is_protected(path.encode()) for path in changed)
            assert {path for path in after if os.access(made / path, os.X_OK)} == (
                executables & set(after)
            )
    assert files_of(BASE) == before
