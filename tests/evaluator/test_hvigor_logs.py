"""Logs of hvigor in the forms of tools 4.x to 6.x: what is read from each of them.

The texts are written for this test; their forms are those of real logs.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluator.toolchains.hvigor_log import (
    compile_result,
    failed_task,
    lacks_sdk,
    ohpm_fault,
    read_diagnostics,
    without_colors,
)

PROJECT = Path("/srv/project")
UNSIGNED = """\
> hvigor UP-TO-DATE :entry:default@PreBuild...
> hvigor Finished :entry:default@CompileArkTS... after 2 s 1 ms
> hvigor WARN: Will skip sign 'hos_hap'. No signingConfigs profile is configured.
               If needed, configure the signingConfigs in /srv/project/x.json5
> hvigor BUILD SUCCESSFUL in 4 s 9 ms
"""
OLD = """\
> hvigor ERROR: Failed :entry:default@CompileArkTS...
> hvigor ERROR: ArkTS Compiler Error
1 WARN: ArkTS:WARN: For details about ArkTS syntax errors, see FAQs
1 ERROR: ArkTS:ERROR File: E:/p/entry/src/main/ets/view/Sky.ets:102:15
 Use explicit types instead of "any" (arkts-no-any-unknown)


COMPILE RESULT:FAIL {ERROR:2 WARN:2}
> hvigor ERROR: BUILD FAILED in 2 s 1 ms
"""
NEW = """\
> hvigor ERROR: Failed :entry:default@CompileArkTS...
> hvigor ERROR: ArkTS Compiler Error
\x1b[31m1 ERROR: \x1b[31m10505001 ArkTS Compiler Error
Error Message: Property 'rain' does not exist on type 'Sky'. At File: \
/srv/project/entry/src/main/ets/Sky.ets:9:40


\x1b[39m
COMPILE RESULT:FAIL {ERROR:2 WARN:46}

* Try:
> Run with --stacktrace option to get the stack trace.

> hvigor ERROR: BUILD FAILED in 9 s 30 ms
"""
SCHEMA = """\
> hvigor ERROR: Failed :entry:default@PreBuild...
> hvigor ERROR: Schema validate failed.
\t Detail: Please check the following fields.
{
  instancePath: 'module.abilities[0]',
  keyword: 'required',
  params: { missingProperty: 'srcEntry' },
  message: "must have required property 'srcEntry'",
  location: '/srv/project/entry/src/main/module.json5:14:7'
}
> hvigor ERROR: BUILD FAILED in 412 ms
"""
SCHEMA_NEW = """\
> hvigor ERROR: Failed :entry:default@PreBuild...
> hvigor ERROR: 00303038 Configuration Error
Error Message: Schema validate failed. At File: /srv/project/entry/src/main/module.json5

> hvigor ERROR: BUILD FAILED in 412 ms
"""
RESOURCES = """\
> hvigor ERROR: Failed :entry:default@CompileResource...
> hvigor ERROR: Tools execution failed.
Error: ref `$media:cloud` don't be defined.
Error: 'icon' value `$media:cloud` invalid value.
at /srv/project/entry/build/default/module.json
\t Detail: Please check the message from tools.
> hvigor ERROR: BUILD FAILED in 1 s 2 ms
"""
RESOURCES_NEW = """\
> hvigor ERROR: Failed :entry:default@CompileResource...
> hvigor ERROR: Tools execution failed.
Error Code: 11210007
Error: Resource Pack Error
Error Message: The resource 'sky' is defined twice. at file: /srv/project/e/string.json
> hvigor ERROR: BUILD FAILED in 1 s 2 ms
"""
SENTENCE = """\
> hvigor ERROR: Unknown module 'entri' in the command line.
> hvigor ERROR: BUILD FAILED in 96 ms
"""
NO_SDK = """\
> hvigor ERROR: 00303168 Configuration Error
Error Message: SDK component missing. Please verify the integrity of your SDK.

> hvigor ERROR: BUILD FAILED in 196 ms
"""
NO_SDK_HOME = """\
> hvigor ERROR: Invalid value of 'DEVECO_SDK_HOME' in the system environment path.
> hvigor ERROR: BUILD FAILED in 90 ms
"""
MODULE = "entry/src/main/module.json5"


@pytest.mark.parametrize(
    ("log", "task", "messages"),
    [
        (UNSIGNED, "", []),
        (
            OLD,
            "CompileArkTS",
            [("", "E:/p/entry/src/main/ets/view/Sky.ets", 102, 15, "Use explicit")],
        ),
        (
            NEW,
            "CompileArkTS",
            [("10505001", "entry/src/main/ets/Sky.ets", 9, 40, "Property 'rain'")],
        ),
        (SCHEMA, "PreBuild", [("", MODULE, 14, 7, "Schema validate failed.")]),
        (SCHEMA_NEW, "PreBuild", [("00303038", MODULE, None, None, "Schema")]),
        (
            RESOURCES,
            "CompileResource",
            [
                ("", "entry/build/default/module.json", None, None, "ref `$media"),
                ("", "entry/build/default/module.json", None, None, "'icon' value"),
            ],
        ),
        (
            RESOURCES_NEW,
            "CompileResource",
            [("11210007", "e/string.json", None, None, "The resource 'sky'")],
        ),
        (SENTENCE, "", [("", "", None, None, "Unknown module 'entri'")]),
    ],
    ids=["unsigned", "old", "new", "schema", "schema new", "res", "res new", "words"],
)
def test_each_form_gives_its_task_and_its_messages(log, task, messages):
    found = read_diagnostics(log.encode(), PROJECT)

    assert failed_task(without_colors(log.encode())) == task
    told = [
        (each.code, each.file, each.line, each.column, each.message[: len(wanted[4])])
        for each, wanted in zip(found, messages, strict=True)
    ]
    assert told == messages
    assert {each.severity for each in found} <= {"error"}


@pytest.mark.parametrize(
    ("log", "lines"),
    [(OLD, [4]), (NEW, [3]), (SCHEMA, [2]), (RESOURCES, [3, 4]), (SENTENCE, [1])],
)
def test_a_message_knows_its_line_in_the_log(log, lines):
    found = read_diagnostics(log.encode(), PROJECT)

    assert [each.log_line for each in found] == lines


def test_a_field_that_is_wrong_is_named_with_its_message():
    (found,) = read_diagnostics(SCHEMA.encode(), PROJECT)

    assert "module.abilities[0]" in found.message
    assert "must have required property 'srcEntry'" in found.message


@pytest.mark.parametrize(
    ("log", "result"),
    [
        (UNSIGNED, None),
        (OLD, (False, 2, 2)),
        (NEW, (False, 2, 46)),
        ("COMPILE RESULT:PASS {ERROR:0 WARN:3}", (True, 0, 3)),
    ],
)
def test_the_compilers_own_count_is_read(log, result):
    assert compile_result(log) == result


@pytest.mark.parametrize(
    ("log", "lacking"),
    [
        (UNSIGNED, False),
        (NEW, False),
        (NO_SDK, True),
        (NO_SDK_HOME, True),
        ("1 ERROR: 10505001 E\nText of the app: SDK component missing", False),
    ],
)
def test_a_missing_sdk_is_told_by_hvigor_and_by_nobody_else(log, lacking):
    assert bool(lacks_sdk(log)) is lacking


def test_only_ohpm_tells_that_it_failed():
    good = (
        "fetch meta info of package '@ohos/hypium' success\ninstall completed in 0s 9ms"
    )
    bad = "ohpm WARN: slow\nohpm ERROR: NOTFOUND package\nohpm ERROR: Install failed"

    assert ohpm_fault(good) == ""
    assert ohpm_fault(bad) == "Install failed"
