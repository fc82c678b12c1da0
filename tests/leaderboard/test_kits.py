"""Which Kits a reference patch touches, by the rule of the paper."""

from __future__ import annotations

import json

import pytest

from leaderboard.benchmark_files import benchmark_file
from leaderboard.kit_names import (
    KitListError,
    kit_key,
    kit_list,
    kit_of_module,
    sdk_facts,
)
from leaderboard.kits import is_source, kits_of_patch

PAGE = "entry/src/main/ets/pages/Index.ets"


def patch_of(*added, path=PAGE, start=1):
    lines = "".join(f"+{line}\n" for line in added)
    return (
        f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n"
        f"@@ -{start - 1},0 +{start},{len(added)} @@\n{lines}"
    )


def kits_of(*added, base="", path=PAGE, start=1):
    patch = patch_of(*added, path=path, start=start)
    return list(kits_of_patch(patch, {path: base}.get))


@pytest.mark.parametrize(
    ("line", "kits"),
    [
        ("import { preferences } from '@kit.ArkData';", ["ArkData"]),
        ("import image from '@ohos.multimedia.image'", ["Image Kit"]),
        ("import { promptAction } from '@kit.ArkUI'", ["ArkUI"]),
        ('import type { BusinessError } from "@ohos.base";', ["Basic Services Kit"]),
        ("import lazy { webview } from '@kit.ArkWeb'", ["ArkWeb"]),
        ("import * as fs from '@ohos.file.fs'", ["Core File Kit"]),
        ("import '@kit.AudioKit'", ["Audio Kit"]),
        ("const m = await import('@kit.MediaKit')", ["Media Kit"]),
        ("export { http } from '@kit.NetworkKit'", ["Network Kit"]),
        # Kits that are not in the open SDK are named by their import all the same.
        ("import { scanBarcode } from '@kit.ScanKit'", ["Scan Kit"]),
        # Neither a Kit nor anything of the system.
        ("import axios from '@ohos/axios'", []),
        ("import fileio from '@ohos.fileio'", []),
        ("import { Item } from './Item'", []),
        ("import { a } from '@kit.'", []),
        (f"import {{ a }} from '@kit.{'Long' * 30}'", []),
    ],
)
def test_an_added_import_counts(line, kits):
    assert kits_of(line) == kits


@pytest.mark.parametrize(
    ("line", "kit"),
    [
        ("let a: PixelMap | undefined", "Image Kit"),
        ("new AVPlayer()", "Media Kit"),
        ("cameraManager.release()", "Camera Kit"),
    ],
)
def test_the_names_that_the_paper_gives_count_without_an_import(line, kit):
    assert kits_of(line, path="entry/src/main/ets/a.ts") == [kit]


@pytest.mark.parametrize(
    "line",
    [
        "@Component",
        "struct Row {",
        "  build() {",
        "label: $r('app.string.title')",
        "@State count: number = 0",
        "@Builder",
    ],
)
def test_constructs_of_ark_ui_need_no_import(line):
    assert kits_of(line) == ["ArkUI"]


def test_a_line_in_a_build_method_is_ark_ui_and_one_beside_it_is_not():
    base = (
        "struct Index {\n  load(): void {\n  }\n  build() {\n    Column() {\n    }\n"
        "  }\n}\n"
    )

    assert kits_of("    .width('50%')", base=base, start=7) == ["ArkUI"]
    assert kits_of("    let total = 1", base=base, start=3) == []


def test_a_use_counts_through_the_import_and_the_type_that_the_hunk_does_not_show():
    base = (
        "import { preferences as stored } from '@kit.ArkData';\n"
        "class Store {\n  private kept?: stored.Preferences;\n}\n"
    )

    assert kits_of("  find = stored.find", base=base, start=4) == ["ArkData"]
    assert kits_of("  all() { this.kept?.getSync() }", base=base, start=4) == [
        "ArkData"
    ]
    assert kits_of("  none() { return 0 }", base=base, start=4) == []


def test_an_import_over_several_lines_counts_if_any_of_them_is_added():
    base = "import {\n  preferences,\n} from '@kit.ArkData';\n"

    assert kits_of("  relationalStore,", base=base, start=3) == ["ArkData"]
    assert kits_of("const one = 1", base=base, start=4) == []


def test_a_name_of_the_apps_own_is_not_the_kits():
    base = "import { PixelMap } from '../model/PixelMap';\n"

    assert kits_of("let a: PixelMap", base=base, start=2) == []


def test_deleted_and_unchanged_lines_do_not_count():
    patch = (
        f"diff --git a/{PAGE} b/{PAGE}\n--- a/{PAGE}\n+++ b/{PAGE}\n@@ -1,3 +1,2 @@\n"
        " import { http } from '@kit.NetworkKit'\n"
        "-import { image } from '@kit.ImageKit'\n"
        "-let one = 1\n"
        "+let one = 2\n"
    )

    assert kits_of_patch(patch, lambda path: None) == ()


@pytest.mark.parametrize(
    "lines",
    [
        ("// import { http } from '@kit.NetworkKit'",),
        ("/* import http", " from '@kit.NetworkKit' */"),
        ("const text = 'PixelMap and $r(1)'",),
        ("const text = `struct A { AVPlayer`",),
        ("const url = 'https://example.org' // AVPlayer",),
    ],
)
def test_comments_and_strings_do_not_count(lines):
    assert kits_of(*lines) == []


def test_what_a_template_string_computes_counts():
    assert kits_of("const text = `${cameraManager.name}`") == ["Camera Kit"]


def test_a_renamed_file_keeps_the_imports_it_had():
    patch = (
        "diff --git a/entry/a.ets b/entry/b.ets\nsimilarity index 90%\n"
        "rename from entry/a.ets\nrename to entry/b.ets\n"
        "--- a/entry/a.ets\n+++ b/entry/b.ets\n@@ -1,0 +2 @@\n+http.createHttp()\n"
    )
    base = {"entry/a.ets": "import { http } from '@kit.NetworkKit'\n"}

    assert kits_of_patch(patch, base.get) == ("Network Kit",)


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("entry/src/main/ets/pages/Index.ets", True),
        ("entry/src/main/ets/test/Index.ets", True),
        ("entry/src/main/ets/entryability/a.ts", True),
        ("entry/src/ohosTest/ets/test/Ability.test.ets", False),
        ("entry/src/test/List.ets", False),
        ("entry/src/main/ets/List.test.ets", False),
        ("entry/build/default/Index.ets", False),
        ("entry/BuildProfile.ets", False),
        ("oh_modules/@ohos/axios/index.ets", False),
        ("entry/src/main/ets/node_modules/x/index.js", False),
        ("docs/Example.ets", False),
        ("README.md", False),
        ("entry/src/main/resources/rawfile/page.js", False),
        ("entry/src/main/module.json5", False),
    ],
)
def test_only_the_sources_of_the_app_count(path, counts):
    assert is_source(path) is counts
    assert bool(kits_of("import '@kit.MediaKit'", path=path)) is counts


def test_a_patch_that_does_not_fit_its_base_is_read_as_far_as_it_goes():
    assert kits_of("import '@kit.MediaKit'", base="", start=40) == ["Media Kit"]


def test_the_facts_of_the_sdk_are_whole():
    facts = sdk_facts()

    assert len(facts.modules) == 775
    assert len(facts.names) == 48
    assert {kit for kit in facts.modules.values() if kit} <= set(facts.names)
    assert sum(kit is None for kit in facts.modules.values()) == 20
    assert set(facts.specific_names.values()) <= set(facts.names)
    assert kit_of_module("@ohos.data.preferences") == "ArkData"
    assert len({kit_key(name) for name in facts.names.values()}) == 48


def test_the_published_list_is_known_in_part_and_says_so():
    path = benchmark_file("openharmony-bench", "kits.json")
    found = kit_list(path)

    assert (found.wanted, found.complete, len(found.names)) == (39, False, 48)
    printed = json.loads(path.read_text())
    assert set(printed["kits"]) < set(found.names)


def write_list(folder, **changes):
    document = {"kits": ["ArkUI"], "size": 1, "source": "by hand", **changes}
    path = folder / "kits.json"
    path.write_text(json.dumps(document))
    return path


def test_a_whole_list_is_what_coverage_is_counted_against(tmp_path):
    found = kit_list(write_list(tmp_path, kits=["ArkUI", "Scan Kit"], size=2))

    assert (found.names, found.complete) == (("ArkUI", "Scan Kit"), True)
    assert found.source == "by hand"


@pytest.mark.parametrize(
    "changes",
    [{"kits": ["ArkUI", "Ark UI"], "size": 2}, {"size": 0}, {"size": None}],
)
def test_a_list_that_cannot_be_is_refused_by_name(tmp_path, changes):
    path = write_list(tmp_path, **changes)

    with pytest.raises(KitListError, match=r"kits\.json"):
        kit_list(path)
