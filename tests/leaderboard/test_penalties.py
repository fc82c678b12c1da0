"""What a patch brings in: found with its places, in a rate and nowhere else."""

from __future__ import annotations

import pytest

from leaderboard.penalties import (
    FOREIGN_SUFFIXES,
    ForeignFilesError,
    penalty_flags,
    read_foreign_suffixes,
)

INDEX = "entry/src/main/ets/pages/Index.ets"
BASE = {INDEX: "import promptAction from '@ohos.promptAction';\n"}


def patch(path: str, *lines: str) -> str:
    added = "".join(f"+{line}\n" for line in lines)
    return (
        f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n"
        f"@@ -0,0 +1,{len(lines)} @@\n{added}"
    )


def flags(text: str, *paths: str, base: dict[str, str] = BASE, suffixes=None):
    return penalty_flags(
        text,
        paths,
        base.get,
        base_paths=base.keys(),
        foreign_suffixes=FOREIGN_SUFFIXES if suffixes is None else suffixes,
        legacy_apis=["@ohos.router", "@system.*", "@ohos.promptAction"],
    )


def test_files_of_another_platform_are_named():
    page = "entry/src/main/resources/rawfile/app.HTML"

    assert flags(patch(page, "<p>"), page) == [f"foreign_language_files {page}"]
    assert flags(patch(page, "<p>"), page, suffixes={".dart"}) == []


def test_a_language_of_the_base_and_changes_to_its_files_are_not_foreign():
    base = {**BASE, "web/old.html": "<p>"}

    assert flags("", "web/new.html", "web/old.html", base=base) == []
    assert flags("", "entry/src/main/ets/pages/New.ets") == []


def test_many_places_are_counted():
    found = flags("", *(f"web/{number}.js" for number in range(8)))

    assert len(found) == 6
    assert found[-1] == "foreign_language_files and 3 more"


@pytest.mark.parametrize(
    ("line", "module"),
    [
        ("import router from '@ohos.router';", "@ohos.router"),
        ('} from "@system.file"', "@system.file"),
        ("const old = require('@system.app')", "@system.app"),
        ("import router from '@kit.ArkUI';", None),
        ("import router from '@ohos.routers';", None),
        ("// import router from '@ohos.router';", None),
        (" * import router from '@ohos.router';", None),
        ("const text = '@ohos.router';", None),
        # Imported before: the patch did not bring it in.
        ("import { x } from '@ohos.promptAction';", None),
    ],
)
def test_imports_of_listed_modules_are_named_with_their_line(line, module):
    found = flags(patch(INDEX, "let a = 1;", line), INDEX)

    assert found == ([f"legacy_api {INDEX}:2 {module}"] if module else [])


def test_what_was_put_back_and_what_is_a_test_does_not_count():
    text = patch(INDEX, "import router from '@ohos.router';")

    assert flags(text) == []
    test = "entry/src/ohosTest/ets/A.ets"
    assert flags(patch(test, "import r from '@ohos.router';"), test) == []


@pytest.mark.parametrize(
    "text", ["[]", '{"suffixes": "js"}', '{"suffixes": ["js"]}', '{"suffixes": [1]}']
)
def test_a_list_that_cannot_be_used_is_refused_by_name(tmp_path, text):
    path = tmp_path / "foreign_files.json"
    path.write_text(text)

    with pytest.raises(ForeignFilesError, match=r"foreign_files\.json"):
        read_foreign_suffixes(path)


def test_an_operator_may_name_other_files(tmp_path):
    path = tmp_path / "foreign_files.json"
    path.write_text('{"suffixes": [".dart"]}')

    assert read_foreign_suffixes(path) == {".dart"}
    assert read_foreign_suffixes(None) == FOREIGN_SUFFIXES
