"""Broken and garbled projects: refused in their place, never upsetting the tool.

All of the demo's mutants are tried by ``make mutants``; here a few of each kind are.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from tests.evaluator.simulator.arkts import (
    FILES,
    INDEX,
    PAGES,
    Build,
    need_node,
    page,
    write_project,
)
from tests.evaluator.simulator.mutation import (
    MODULE,
    a_few_of_each,
    build_changed,
    complaint,
    mutants_of,
    sample_apps,
)

PROFILE = "entry/src/main/resources/base/profile/main_pages.json"
PACKAGE = "entry/oh-package.json5"
STRINGS = "entry/src/main/resources/base/element/string.json"
FRAGMENTS = (
    *("{", "}", "(", ")", "[", "]", "`", "${", '"', "'", ";", ".", ",", "=>", "..."),
    *("struct ", "struct {", "@", "@Builder ", "@Extend ", "@Styles ", "@Entry", "$$"),
    *(
        "!!",
        "if ",
        "else ",
        "ForEach(",
        "$r(",
        "import ",
        "import {",
        "export default ",
    ),
    *(
        "export * from",
        "class ",
        "function ",
        "enum ",
        "new ",
        "await ",
        "static ",
        "/*",
    ),
    *(
        "/a",
        "<div>",
        "\0",
        "\ufeff",
        "build()",
        "switch(",
        "let ",
        "const {a}=",
        "=",
        ":",
    ),
)
ODD_SOURCES = (
    "struct {",
    "struct {}",
    "export default struct {}",
    "@(1 + 2) @Component struct A { build() {} }",
    "@Builder function f();",
    "@Styles function f() { let a = 1; }",
    "@Extend(5) function f() { return; }",
    "@Entry @Component struct Index { build(); }",
    "import a from f();",
    "import a from `b`;",
    "await 5;",
    "return 5;",
    "let let = 1;",
    "a: a: while (true) {}",
    "const a = /(/;",
    "const a = /x/zz;",
    "const a: number;",
    "type A = A;",
    page("ForEach()"),
    page("ForEach(...[1])"),
    page("LazyForEach([])"),
    page("Repeat()"),
    page("Toggle({ isOn: 5!! })"),
    page("Text('a').stateStyles(5)"),
    page("Text('a').stateStyles({ normal() {} })"),
    page("", members="  a() { break; }"),
    page("", members="  a() { continue x; }"),
    page("", members="  @Builder a();"),
)
DEEP = "[" * 20_000
MODULE_TEXT = FILES[MODULE]
ODD_CONFIGURATION = (
    *((path, DEEP) for path in ("build-profile.json5", MODULE, PACKAGE, STRINGS)),
    (MODULE, MODULE_TEXT.replace('"./ets/entryability/EntryAbility.ets"', '"./ets"')),
    (MODULE, MODULE_TEXT.replace('"mainElement": "EntryAbility"', '"mainElement": {}')),
    (MODULE, MODULE_TEXT.replace('"$profile:main_pages"', "{}")),
    (MODULE, MODULE_TEXT.replace('"type"', '"extensionAbilities": [5], "type"')),
    (
        MODULE,
        MODULE_TEXT.replace('"type"', '"routerMap": "$profile:main_pages", "type"'),
    ),
    (PROFILE, '{ "src": [{}] }'),
    (PACKAGE, '{ "dependencies": [{}] }'),
    (PACKAGE, '{ "dependencies": { "a": {} } }'),
)


@pytest.fixture(autouse=True)
def node():
    need_node()


def is_explained(done: Build) -> bool:
    """The build failed with a diagnostic that names a file of the project."""
    return done.status == 255 and all(each.line >= 1 for each in done.findings[:1])


def test_every_app_of_the_demo_builds_and_its_mutants_are_refused_in_place(
    tmp_path: Path,
):
    apps = sample_apps(tmp_path)
    mutants = [each for app, root in apps.items() for each in mutants_of(app, root)]
    tried = a_few_of_each(mutants, 5)

    sound = build_changed((root, {}) for root in apps.values())
    broken = build_changed((apps[each.app], each.changes) for each in tried)

    assert {done.status for done in sound} == {0}
    assert len({each.kind for each in tried}) == 11
    complaints = [
        f"{mutant.app}, {mutant.kind}, {set(mutant.changes)}: {said}"
        for mutant, done in zip(tried, broken, strict=True)
        if (said := complaint(mutant, done))
    ]
    assert not complaints


def garbled(text: str, chance: random.Random) -> str:
    """The text cut off, with pieces gone or swapped, or with fragments put in."""
    how = chance.randrange(4)
    if how == 0:
        return text[: chance.randrange(len(text))]
    if how == 1:
        at = chance.randrange(len(text))
        return text[:at] + text[at + chance.randrange(200) :]
    if how == 2:
        words = re.findall(r"\w+|\s+|\W", text)
        for _ in range(3):
            a, b = chance.randrange(len(words)), chance.randrange(len(words))
            words[a], words[b] = words[b], words[a]
        return "".join(words)
    for _ in range(chance.randrange(1, 6)):
        at = chance.randrange(len(text) + 1)
        text = text[:at] + chance.choice(FRAGMENTS) + text[at:]
    return text


def test_garbled_sources_never_upset_the_tool(tmp_path: Path):
    root = write_project(tmp_path)
    chance = random.Random(8)
    texts = [path.read_text() for path in sorted(PAGES.glob("*.ets"))]
    cut = [text[: text.rindex("}")] for text in texts]
    tried = [
        *cut,
        *ODD_SOURCES,
        *(garbled(chance.choice(texts), chance) for _ in range(40)),
    ]

    builds = build_changed((root, {INDEX: text}) for text in tried)

    upset = [
        (text[:80], done.text[:300])
        for text, done in zip(tried, builds, strict=True)
        if not is_explained(done) and done.status != 0
    ]
    assert not upset
    certain = builds[: len(cut) + len(ODD_SOURCES)]
    assert [done.status for done in certain] == [255] * len(certain)
    assert all(done.findings for done in builds if done.status == 255)


def test_odd_configuration_never_upsets_the_tool(tmp_path: Path):
    root = write_project(tmp_path)

    builds = build_changed((root, {path: text}) for path, text in ODD_CONFIGURATION)

    for (path, text), done in zip(ODD_CONFIGURATION, builds, strict=True):
        assert done.status == 255, (path, text[:200], done.text[:300])
        assert done.findings[0].file in (path, MODULE), (path, text[:200])


def test_a_source_may_use_the_names_of_the_platform_for_its_own(tmp_path: Path):
    top = "const module: number = 1;\nenum Color { Mine }\nclass Context {}"
    root = write_project(tmp_path)

    [done] = build_changed([(root, {INDEX: page("Text(`${module}`)", top=top)})])

    assert done.status == 0, done.text
