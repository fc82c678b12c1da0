"""The simulated hvigorw: what it builds, what it refuses, and how it says so."""

from __future__ import annotations

import json
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.evaluator.simulator.arkts import (
    FILES,
    HVIGORW,
    INDEX,
    MODULE,
    Build,
    build,
    build_many,
    need_node,
    page,
    write_project,
)

MODULE_FILE = "entry/src/main/module.json5"
PROFILE = "entry/src/main/resources/base/profile/main_pages.json"
STRINGS = "entry/src/main/resources/base/element/string.json"
COLORS = "entry/src/main/resources/base/element/color.json"
ABILITY_FILE = "entry/src/main/ets/entryability/EntryAbility.ets"


@pytest.fixture(autouse=True)
def node():
    need_node()


def module_with(**changes: object) -> str:
    """module.json5 with other values; None leaves a key out."""
    about = {**MODULE["module"], **changes}
    kept = {key: value for key, value in about.items() if value is not None}
    return json.dumps({"module": kept}, indent=2)


def ability_with(**changes: object) -> str:
    return module_with(abilities=[{**MODULE["module"]["abilities"][0], **changes}])


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


def test_a_sound_project_builds_in_the_form_of_the_real_tool(tmp_path: Path):
    done = build(write_project(tmp_path))

    assert done.status == 0
    lines = done.text.splitlines()
    assert lines[0].startswith("> hvigor UP-TO-DATE :entry:default@PreBuild...")
    assert [line.split("...")[0] for line in lines if " Finished " in line] == [
        f"> hvigor Finished :entry:{task}"
        for task in (
            "default@GenerateMetadata",
            "default@CompileResource",
            "default@CompileArkTS",
            "default@PackageHap",
            "default@SignHap",
            "assembleHap",
        )
    ]
    assert "WARN: Will skip sign 'hos_hap'. No signingConfigs" in done.text
    assert lines[-1].startswith("> hvigor BUILD SUCCESSFUL in ")
    assert done.hap.is_file()


def test_the_build_scripts_of_a_project_are_never_run(tmp_path: Path):
    marker = tmp_path / "ran"
    script = f"require('fs').writeFileSync({json.dumps(str(marker))}, '');\n"
    changes = {"hvigorfile.ts": script, "entry/hvigorfile.ts": script}

    assert build(write_project(tmp_path / "project", changes)).status == 0

    assert not marker.exists()


def test_a_failed_build_reads_like_the_real_one(tmp_path: Path):
    text = page("      Text(nowhere)\n      Text(noplace)")
    done = build(write_project(tmp_path, {INDEX: text}))

    assert done.status == 255
    lines = [line.rstrip() for line in done.text.splitlines() if line.strip()]
    assert "> hvigor ERROR: Failed :entry:default@CompileArkTS..." in lines
    assert "> hvigor ERROR: ArkTS Compiler Error" in lines
    # The count includes one line for the summary, as in real logs.
    assert "COMPILE RESULT:FAIL {ERROR:3 WARN:0}" in lines
    assert lines[-1].startswith("> hvigor ERROR: BUILD FAILED in ")
    assert "\x1b[31m1 ERROR: \x1b[31m10505001 ArkTS Compiler Error" in done.raw
    assert not done.hap.exists()
    assert [each.number for each in done.findings] == [1, 2]
    assert {each.line for each in done.findings} == {
        line_of(text, "nowhere"),
        line_of(text, "noplace"),
    }


STRUCT_WITHOUT_BUILD = "@Component\nexport struct Part {\n}\n"
OTHER = "entry/src/main/ets/view/Part.ets"
PART = "@Component\nexport struct Part {\n  @Prop size: number = 0;\n  build() {}\n}\n"
NEWER = """@ComponentV2
export struct Part {
  @State size: number = 0;
  build() {}
}
"""
USES_PART = "import { Part } from '../view/Part';"

# What is wrong, the changed files, the code, the file, a text on the line of the
# error, and a part of the message.
ARKTS_ERRORS = {
    "a missing bracket": (
        {INDEX: page("      Text('a'")},
        ("10505001", INDEX, "    }", "',' expected"),
    ),
    "an import of a missing file": (
        {INDEX: page("      Text(x)", top="import { x } from '../model/Nowhere';")},
        ("10505001", INDEX, "import", "Cannot find module '../model/Nowhere'"),
    ),
    "an import of a missing name": (
        {OTHER: PART, INDEX: page("", top="import { Port } from '../view/Part';")},
        ("10505001", INDEX, "import", "has no exported member 'Port'"),
    ),
    "an undefined name": (
        {INDEX: page("      Text('a').onClick(() => { undeclared(); })")},
        ("10505001", INDEX, "undeclared", "Cannot find name 'undeclared'"),
    ),
    "an undeclared component": (
        {INDEX: page("      NoSuchCard({ title: 'x' })")},
        ("10505001", INDEX, "NoSuchCard", "Cannot find name 'NoSuchCard'"),
    ),
    "an unknown member": (
        {INDEX: page("      Text(this.missing)")},
        ("10505001", INDEX, "missing", "'missing' does not exist on type 'Index'"),
    ),
    "an unknown parameter of a component": (
        {OTHER: PART, INDEX: page("      Part({ sise: 1 })", top=USES_PART)},
        ("10505001", INDEX, "sise", "'sise' does not exist"),
    ),
    "a wrong type": (
        {INDEX: page("", members="  private count: number = 'one';")},
        ("10505001", INDEX, "count", "'string' is not assignable to type 'number'"),
    ),
    "a value that may be missing": (
        {INDEX: page("", members="  a(b?: string): number { return b.length; }")},
        ("10505001", INDEX, "b.length", "possibly 'undefined'"),
    ),
    "too few arguments": (
        {INDEX: page("", members="  a(b: string): void { this.a(); }")},
        ("10505001", INDEX, "this.a()", "Expected 1 arguments, but got 0"),
    ),
    "a misspelled attribute": (
        {INDEX: page("      Text('a')\n        .fontSiz(12)")},
        ("10505001", INDEX, "fontSiz", "Did you mean 'fontSize'?"),
    ),
    "an unknown string resource": (
        {INDEX: page("      Text($r('app.string.nope'))")},
        ("10903329", INDEX, "nope", "Unknown resource name 'nope'"),
    ),
    "an unknown picture": (
        {INDEX: page("      Image($r('app.media.nope'))")},
        ("10903329", INDEX, "nope", "Unknown resource name 'nope'"),
    ),
    "an unknown resource type": (
        {INDEX: page("      Text($r('app.strings.app_name'))")},
        ("10903330", INDEX, "strings", "Unknown resource type 'strings'"),
    ),
    "a missing raw file": (
        {INDEX: page("      Image($rawfile('no.png'))")},
        ("10904333", INDEX, "no.png", "No such 'no.png' resource"),
    ),
    "a statement in a UI block": (
        {INDEX: page("      let a = 1;\n      Text(`${a}`)")},
        ("10905209", INDEX, "let a", "does not meet UI component syntax"),
    ),
    "a call of the console in a UI block": (
        {INDEX: page("      console.info('x')")},
        ("10905209", INDEX, "console", "does not meet UI component syntax"),
    ),
    "a plain method in a UI block": (
        {INDEX: page("      this.plain()", members="  plain(): void {}")},
        ("10905209", INDEX, "this.plain", "does not meet UI component syntax"),
    ),
    "a component in the wrong place": (
        {INDEX: page("      Row() {\n        if (true) { ListItem() {} }\n      }")},
        ("10905236", INDEX, "ListItem", "nested in the 'List, ListItemGroup' parent"),
    ),
    "a component inside a Text": (
        {INDEX: page("      Text('a') {\n        Row() {}\n      }")},
        ("10905219", INDEX, "Text('a')", "child component 'Span,ImageSpan,SymbolSpan"),
    ),
    "a component behind a condition inside a Text": (
        {INDEX: page("      Text() {\n        if (true) { Button('a') }\n      }")},
        ("10905219", INDEX, "Text()", "The component 'Text' can only have"),
    ),
    "a row of a list that is no ListItem": (
        {INDEX: page("      List() {\n        ForEach([1], () => { Row() })\n      }")},
        ("10905219", INDEX, "List()", "child component 'ListItem,ListItemGroup'"),
    ),
    "a block after a component that holds nothing": (
        {INDEX: page("      TextInput() {\n        Text('a')\n      }")},
        ("10905222", INDEX, "TextInput()", "'TextInput' can't have any child"),
    ),
    "a button with a label and a child": (
        {INDEX: page("      Button('a') {\n        Text('b')\n      }")},
        ("10905202", INDEX, "Button('a')", "with a label parameter"),
    ),
    "a list item with two children": (
        {
            INDEX: page(
                "      List() {\n        ListItem() {\n          Text('a')\n"
                "          Text('b')\n        }\n      }"
            )
        },
        ("10905220", INDEX, "ListItem()", "can have only one child component"),
    ),
    "a class that is a component": (
        {INDEX: page("", top="@Component\nclass Part {}")},
        ("10905337", INDEX, "@Component", "'@Component' decorator can only be used"),
    ),
    "a function that is an entry": (
        {INDEX: page("", top="@Entry\nfunction part() {}")},
        ("10905337", INDEX, "@Entry", "can only be used with 'struct'"),
    ),
    "a state of a class": (
        {INDEX: page("", top="class Part {\n  @State size: number = 0;\n}")},
        ("10905337", INDEX, "@State", "'@State' decorator can only be used"),
    ),
    "a state of the older kind in a newer component": (
        {OTHER: NEWER, INDEX: page("", top=USES_PART)},
        ("10905339", OTHER, "@State", "in a 'struct' decorated with '@Component'"),
    ),
    "a state of the newer kind in an older component": (
        {INDEX: page("", members="  @Local size: number = 0;")},
        ("10905338", INDEX, "@Local", "in a 'struct' decorated with '@ComponentV2'"),
    ),
    "a child of a switch": (
        {
            INDEX: page(
                "      Toggle({ type: ToggleType.Switch }) {\n        Row()\n      }"
            )
        },
        ("10905223", INDEX, "Toggle", "set 'type' as 'Switch', it can't have any"),
    ),
    "a struct without build": (
        {OTHER: STRUCT_WITHOUT_BUILD, INDEX: page("", top=USES_PART)},
        ("10905401", OTHER, "struct", "one and only one 'build' method"),
    ),
    "a struct that is no component": (
        {OTHER: PART.replace("@Component", ""), INDEX: page("", top=USES_PART)},
        ("10905244", OTHER, "struct", "is missing for struct 'Part'"),
    ),
    "a page without @Entry": (
        {INDEX: page("").replace("@Entry", "")},
        ("10905402", INDEX, "", "must have one and only one '@Entry'"),
    ),
    "the type any": (
        {INDEX: page("", members="  private value: any = 1;")},
        ("10605008", INDEX, "any", "arkts-no-any-unknown"),
    ),
    "a variable declared with var": (
        {INDEX: page("", members="  a(): void { var b = 1; console.info(`${b}`); }")},
        ("10605005", INDEX, "var", "arkts-no-var"),
    ),
    "an object of no class": (
        {INDEX: page("", members="  a(): void { const b = { c: 1 }; this.a(); }")},
        ("10605038", INDEX, "const b", "arkts-no-untyped-obj-literals"),
    ),
    "a destructured declaration": (
        {INDEX: page("", members="  a(b: number[]): void { const [c] = b; }")},
        ("10605074", INDEX, "const [c]", "arkts-no-destruct-decls"),
    ),
    "source nested without end": (
        {INDEX: page(f"      Text({'(' * 20_000}1{')' * 20_000})")},
        ("10505001", MODULE_FILE, "module", "The compiler gave up"),
    ),
    "names that every object has": (
        {INDEX: page("      Text($r('app.string.constructor'))")},
        ("10903329", INDEX, "constructor", "Unknown resource name 'constructor'"),
    ),
    "a listed page that is absent": (
        {PROFILE: '{\n  "src": ["pages/Index", "pages/Gone"]\n}'},
        ("10904101", PROFILE, "pages/Gone", "'pages/Gone' does not exist"),
    ),
    "a profile of pages that is absent": (
        {PROFILE: None},
        ("11210000", MODULE_FILE, "$profile:main_pages", "is not defined"),
    ),
}


# As above; these are errors of configuration and resource files.
FILE_ERRORS = {
    "malformed build-profile.json5": (
        {"build-profile.json5": '{\n  "app": {},\n  "modules": [}\n'},
        ("00303038", "build-profile.json5", 3, "Malformed JSON5"),
    ),
    "a bare word in app.json5": (
        {"AppScope/app.json5": "{\n app: {\n  bundleName: com\n }\n}"},
        ("00303038", "AppScope/app.json5", 3, "strings need quotes"),
    ),
    "malformed module.json5": (
        {MODULE_FILE: '{ "module": { "name": "entry" '},
        ("00303038", MODULE_FILE, 2, "Malformed JSON5"),
    ),
    "malformed oh-package.json5": (
        {"entry/oh-package.json5": '{ "name": entry }\n'},
        ("00303038", "entry/oh-package.json5", 1, "strings need quotes"),
    ),
    "a missing app.json5": (
        {"AppScope/app.json5": None},
        ("00303038", "AppScope/app.json5", 1, "does not exist"),
    ),
    "a missing hvigorfile.ts": (
        {"entry/hvigorfile.ts": None},
        ("00303038", "entry/hvigorfile.ts", 1, "does not exist"),
    ),
    "an invalid bundle name": (
        {"AppScope/app.json5": "{ app: { bundleName: 'x', versionCode: 1, "
         "versionName: '1' } }"},
        ("00303038", "AppScope/app.json5", 1, "no valid bundle name"),
    ),
    "a module without ability": (
        {MODULE_FILE: module_with(abilities=[], mainElement=None)},
        ("00303038", MODULE_FILE, None, "needs at least one ability"),
    ),
    "a main element that is no ability": (
        {MODULE_FILE: module_with(mainElement="Other")},
        ("00303038", MODULE_FILE, None, "'Other' is none of the abilities"),
    ),
    "an ability without its source": (
        {ABILITY_FILE: None},
        ("00303038", MODULE_FILE, None, "does not exist"),
    ),
    "an ability without srcEntry": (
        {MODULE_FILE: ability_with(srcEntry=None)},
        ("00303038", MODULE_FILE, None, "needs 'srcEntry'"),
    ),
    "a label that is not defined": (
        {MODULE_FILE: ability_with(label="$string:nope")},
        ("11210000", MODULE_FILE, None, "'$string:nope' is not defined"),
    ),
    "malformed strings": (
        {STRINGS: '{\n  "string": [\n    { "name": "app_name" "value": "x" }\n  ]\n}'},
        ("11210000", STRINGS, 3, "Malformed JSON"),
    ),
    "a string defined twice": (
        {STRINGS: FILES[STRINGS].replace('"hint"', '"greeting"')},
        ("11210000", STRINGS, 5, "is defined twice"),
    ),
    "a color that is none": (
        {COLORS: FILES[COLORS].replace("#0A59F7", "blue")},
        ("11210000", COLORS, 2, "expected is #RRGGBB"),
    ),
}  # fmt: skip


CASES = {**ARKTS_ERRORS, **FILE_ERRORS}

# Projects that build.
TWO_MODULES = FILES["build-profile.json5"].replace(
    '"targets": [] }', '"targets": [] }, { "name": "part", "srcPath": "./part" }'
)
UNREGISTERED = page(
    "      Text('a').onClick(() => { router.pushUrl({ url: 'pages/No' }); })",
    top="import { router } from '@kit.ArkUI';",
)
SOUND = {
    "as it is": {},
    "once more": {},
    "with what nobody uses": {
        "entry/src/main/ets/Unused.ets": "this is no ArkTS {",
        INDEX: page(
            "      Text(title)",
            top="import { http } from '@kit.NetworkKit';\n"
            "import camera from '@ohos.multimedia.camera';\n"
            "import { BusinessError } from '@kit.BasicServicesKit';\n"
            "const title: string = 'x';\n"
            "class Later { session?: camera.Session; request?: http.HttpRequest;\n"
            "  fail(error: BusinessError<void>): ClickEvent | null { return null; } }",
        ),
    },
    "with a local module": {
        "build-profile.json5": TWO_MODULES,
        "entry/oh-package.json5": '{ "dependencies": { "part": "file:../part" } }',
        "part/oh-package.json5": '{ "name": "part", "main": "Index.ets" }',
        "part/build-profile.json5": "{}",
        "part/hvigorfile.ts": "",
        "part/src/main/module.json5": '{ "module": { "name": "part", "type": "har" } }',
        "part/Index.ets": "export { Part } from './src/main/ets/Part';",
        "part/src/main/ets/Part.ets": PART,
        INDEX: page("      Part({ size: 1 })", top="import { Part } from 'part';"),
    },
    "going to an unregistered page": {INDEX: UNREGISTERED},
    "with what only looks misplaced": {
        OTHER: PART,
        INDEX: page(
            "      Text() { Span('a'); if (true) { ContainerSpan() { Span('b') } } }\n"
            "      List() { ListItem() { if (true) { Text('c') } else { Row() {} } }\n"
            "        ForEach([1], () => { Part({ size: 1 }) }) }\n"
            "      Button() { Row() { Text('d'); Text('e') } }\n"
            "      Button({ type: ButtonType.Normal }) { Text('f') }",
            top=f"{USES_PART}\n@Observed\nclass Kept {{ a: number = 1; }}",
        ),
    },
    "a page that says @Entry only": {INDEX: page("").replace("@Component", "")},
}


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Build]:
    """The build of every project above."""
    need_node()
    folder = tmp_path_factory.mktemp("builds")
    broken = {name: changes for name, (changes, _) in CASES.items()}
    cases = {**SOUND, **broken}
    roots = [
        write_project(folder / str(number), changes)
        for number, changes in enumerate(cases.values())
    ]
    return dict(zip(cases, build_many(roots), strict=True))


@pytest.mark.parametrize("case", ARKTS_ERRORS)
def test_an_error_is_told_with_its_place_and_code(builds: dict[str, Build], case: str):
    _, (code, file, where, message) = ARKTS_ERRORS[case]
    done = builds[case]

    assert done.status == 255, done.text
    found = done.findings[0]
    assert (found.code, found.file) == (code, file)
    assert message in found.message
    text = (done.root / file).read_text()
    assert found.line == line_of(text, where)
    assert found.column >= 1


@pytest.mark.parametrize("case", FILE_ERRORS)
def test_a_broken_file_is_told_before_anything_is_compiled(
    builds: dict[str, Build], case: str
):
    _, (code, file, line, message) = FILE_ERRORS[case]
    done = builds[case]

    assert done.status == 255, done.text
    found = done.findings[0]
    assert (found.code, found.file) == (code, file)
    assert message in found.message
    assert line is None or found.line == line
    assert "CompileArkTS" not in done.text


def test_every_page_of_the_runtime_tests_builds_without_a_warning(package: Path):
    assert (package / "module.json").is_file()


def test_what_the_tool_cannot_do_is_no_failed_build(tmp_path: Path):
    package = '{ "dependencies": { "@ohos/axios": "^2.0.0" } }'
    root = write_project(tmp_path, {"entry/oh-package.json5": package})

    done = build(root)
    other = build(root, "assembleApp")

    assert (done.status, other.status) == (3, 3)
    assert "not simulated: ohpm package @ohos/axios\n" in done.text
    assert "not simulated: hvigor task assembleApp\n" in other.text
    assert "BUILD" not in done.text + other.text


def test_clean_removes_what_was_built(tmp_path: Path):
    root = write_project(tmp_path)
    hap = build(root).hap

    assert build(root, "clean").status == 0

    assert not hap.exists()


def test_a_wrong_command_line_is_explained(tmp_path: Path):
    root = write_project(tmp_path)

    done = build(root, "assembleHap", "-p", "module=other@default")

    assert done.status == 255
    assert "Unknown module 'other'. Known: entry." in done.text
    assert "No task given." in build(root, "--no-daemon").text


def test_ohpm_has_nothing_to_install(tmp_path: Path):
    ohpm = HVIGORW.parent / "ohpm"

    done = subprocess.run(
        [ohpm, "install", "--all"], capture_output=True, text=True, check=True
    )
    other = subprocess.run([ohpm, "publish"], capture_output=True, text=True)

    assert "nothing to install" in done.stdout
    assert other.returncode == 3
    assert other.stdout == "not simulated: ohpm publish\n"


def test_the_package_holds_module_resources_and_compiled_sources(
    builds: dict[str, Build],
):
    with zipfile.ZipFile(builds["as it is"].hap) as hap:
        assert hap.testzip() is None
        about = json.loads(hap.read("module.json"))
        values = json.loads(hap.read("resources/resources.index.json"))
        compiled = json.loads(hap.read("ets/modules.json"))
        assert hap.read("resources/base/media/icon.png").startswith(b"\x89PNG")
    assert about["app"]["bundleName"] == "com.example.sample"
    assert about["module"]["mainElement"] == "EntryAbility"
    assert values["string"]["greeting"] == {"base": "Dear %s", "en_US": "Hello %s"}
    assert values["color"]["accent"] == {"base": "#0A59F7"}
    assert compiled["pages"] == {"pages/Index": INDEX}
    assert set(compiled["modules"]) == {INDEX, ABILITY_FILE}
    assert "struct" not in compiled["modules"][INDEX]["code"]


def test_the_same_project_gives_the_same_bytes(builds: dict[str, Build]):
    first, second = (builds[name].hap for name in ("as it is", "once more"))

    assert first.read_bytes() == second.read_bytes()


def test_unused_files_and_imports_of_the_platform_do_no_harm(
    builds: dict[str, Build],
):
    done = builds["with what nobody uses"]

    assert done.status == 0, done.text


def test_entry_alone_makes_a_component_as_well(builds: dict[str, Build]):
    done = builds["a page that says @Entry only"]

    assert done.status == 0, done.text


def test_components_stand_where_they_may(builds: dict[str, Build]):
    done = builds["with what only looks misplaced"]

    assert done.status == 0, done.text


def test_a_local_module_is_compiled_into_the_package(builds: dict[str, Build]):
    done = builds["with a local module"]

    assert done.status == 0, done.text
    with zipfile.ZipFile(done.hap) as hap:
        compiled = json.loads(hap.read("ets/modules.json"))["modules"]
    assert "part/src/main/ets/Part.ets" in compiled


def test_going_to_an_unregistered_page_is_a_warning(builds: dict[str, Build]):
    """The real build lets it pass as well; the app then fails to go there."""
    done = builds["going to an unregistered page"]

    assert done.status == 0
    line = line_of(UNREGISTERED, "pages/No")
    assert f"1 WARN: ArkTS:WARN File: {done.root / INDEX}:{line}:" in done.text
    assert "'pages/No' is not registered in main_pages.json" in done.text
