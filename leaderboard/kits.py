"""Which Kits of the OpenHarmony API a patch touches. Standard library only.

A patch touches a Kit where a line that it adds is part of an import of ``@kit.*`` or
of a known ``@ohos.*`` module, uses a name that its file imports from such a module or
a field or variable declared with one, or has a Kit-specific name of the paper's. ArkUI
also counts for the constructs that need no import: ``struct``, ``build()``, ``$r()``,
``@Component`` and their like, and for any line in the body of a build method. Comments
and the contents of strings do not count; nor do tests, generated output, dependencies,
documents and resources. Section 3.2 of the paper.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from leaderboard.diffs import DiffFile, diff_files
from leaderboard.kit_names import kit_name, kit_of_module, sdk_facts

ARK_UI = "ArkUI"

_CODE = frozenset({".ets", ".ts", ".js"})
_DEPENDENCIES = frozenset({"oh_modules", "node_modules", ".ohpm"})
# Judged above the source root only: below "ets" a folder may be called anything.
_NOT_SOURCES = frozenset(
    {
        *("test", "tests", "ohostest", "unittest", "mock"),
        *("build", ".preview", ".hvigor", ".cxx", ".test"),
        *("doc", "docs", "resources", "rawfile"),
    }
)
_GENERATED = frozenset({"buildprofile.ets"})
_TEST_FILE = re.compile(r"\.(test|spec)\.\w+$")

_COMMENT_OR_STRING = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))"
    r"|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`",
    re.DOTALL,
)
_INTERPOLATION = re.compile(r"\$\{([^{}]*)\}")
_IMPORT = re.compile(
    r"(?:\b(?:import|export)\b(?P<clause>[\w$*\s{},]{0,2000}?)\bfrom\s*"
    r"|\bimport\s*\(?\s*|\brequire\s*\(\s*)"
    r"(?P<quote>['\"])(?P<module>[^'\"\n]+)(?P=quote)"
)
# ``store: data.Preferences``, ``picker = new photo.Picker()``, ``x = await a.b()``
_DECLARED = re.compile(
    r"(?P<name>[A-Za-z_$][\w$]*)\s*\??\s*[:=]\s*(?:await\s+|new\s+)?"
    r"(?P<of>[A-Za-z_$][\w$]*)"
)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_ARK_UI_MARK = re.compile(
    r"\bstruct\s+\w|\bbuild\s*\(\s*\)\s*\{|\$r(?:awfile)?\s*\("
    r"|@(?:Component|ComponentV2|Entry|Preview|CustomDialog|Reusable|ReusableV2"
    r"|Builder|BuilderParam|LocalBuilder|Styles|Extend|AnimatableExtend|State|Prop"
    r"|Link|ObjectLink|Observed|ObservedV2|Trace|Track|Provide|Consume|Provider"
    r"|Consumer|Local|Param|Once|Event|Monitor|Computed|Watch|StorageLink"
    r"|StorageProp|LocalStorageLink|LocalStorageProp|Require)\b"
)
_BUILD_BODY = re.compile(
    r"(?:\bbuild\s*\(\s*\)|@(?:Local)?Builder\b[^{};]{0,1000}\)"
    r"|@(?:Styles|(?:Animatable)?Extend\s*\([^)]{0,200}\))[^{};]{0,1000}\))"
    r"\s*(?::\s*\w+\s*)?\{"
)


def kits_of_patch(text: str, base: Callable[[str], str | None]) -> tuple[str, ...]:
    """Printed names of the Kits that a patch in git's format touches, sorted.

    ``base`` gives the text of a file before the patch by its path, None without one;
    imports that a hunk does not show are then unknown.
    """
    found: set[str] = set()
    for file in diff_files(text.split("\n")):
        if is_source(file.path):
            found |= _kits_of_file(file, base(_path_before(file)) or "")
    return tuple(sorted((kit_name(kit) for kit in found), key=str.casefold))


def is_source(path: str) -> bool:
    """Whether a file counts: code, and not of tests, dependencies or a build.

    >>> is_source("entry/src/main/ets/pages/Index.ets"), is_source("a/src/test/b.ets")
    (True, False)
    """
    name = PurePosixPath(path)
    folders = [part.casefold() for part in name.parts[:-1]]
    above = folders[: folders.index("ets")] if "ets" in folders else folders
    file = name.name.casefold()
    return (
        name.suffix in _CODE
        and not _DEPENDENCIES & set(folders)
        and not _NOT_SOURCES & set(above)
        and file not in _GENERATED
        and not _TEST_FILE.search(file)
    )


def _path_before(file: DiffFile) -> str:
    for line in file.lines:
        for sign in ("rename from ", "copy from "):
            if line.kind == "meta" and line.text.startswith(sign):
                return line.text.removeprefix(sign)
    return file.path


def _kits_of_file(file: DiffFile, before: str) -> set[str]:
    lines, added = _after(file, before.split("\n") if before else [])
    if not added:
        return set()
    text = "\n".join(lines)
    with_strings = _COMMENT_OR_STRING.sub(_without_comment, text)
    code = _COMMENT_OR_STRING.sub(_without_content, text)
    found, kit_of_name = _imports(with_strings, added)
    kit_of_name |= {
        each["name"]: kit_of_name[each["of"]]
        for each in _DECLARED.finditer(code)
        if each["of"] in kit_of_name and each["name"] not in kit_of_name
    }
    code_lines = code.split("\n")
    for number in added:
        for name in _NAME.findall(code_lines[number]):
            if kit := kit_of_name.get(name):
                found.add(kit)
    if file.path.endswith(".ets") and _touches_ark_ui(code, code_lines, added):
        found.add(ARK_UI)
    return found


def _after(file: DiffFile, before: Sequence[str]) -> tuple[list[str], list[int]]:
    """Lines of the file after the patch, and which of them it added, from 0.

    Lines that neither a hunk nor ``before`` shows are missing, never a fault: whether
    a reference applies is found out where it is applied.
    """
    lines: list[str] = []
    added: list[int] = []
    at = 0
    for line in file.lines:
        if line.old is None and line.new is None:
            continue
        unchanged = line.old - 1 - at if line.old else (line.new or 1) - 1 - len(lines)
        if unchanged > 0:
            lines += before[at : at + unchanged]
            at += unchanged
        if line.new is None:
            at += 1
            continue
        if line.kind == "add":
            added.append(len(lines))
        else:
            at += 1
        lines.append(line.text[1:].rstrip("\r"))
    return lines + list(before[at:]), added


def _without_comment(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n") if found["comment"] else found[0]


def _without_content(found: re.Match[str]) -> str:
    """Only the line ends of a comment or string, and what is computed inside one."""
    if found["comment"] or not found[0].startswith("`"):
        return " " + "\n" * found[0].count("\n")
    inside = iter(_INTERPOLATION.finditer(found[0]))
    kept, end = [], 0
    for each in inside:
        kept.append("\n" * found[0].count("\n", end, each.start()) + f" {each[1]} ")
        end = each.end()
    return "".join(kept) + "\n" * found[0].count("\n", end)


def _imports(text: str, added: Iterable[int]) -> tuple[set[str], dict[str, str]]:
    """Kits whose import has an added line, and Kits by the names the file knows."""
    facts = sdk_facts()
    touched: set[str] = set()
    kit_of_name = dict(facts.specific_names)
    lines = set(added)
    for found in _IMPORT.finditer(text):
        kit = kit_of_module(found["module"])
        for name in _bound_names(found["clause"] or ""):
            # A name of the app's own is not the Kit's that is called the same.
            kit_of_name.pop(name, None)
            if kit:
                kit_of_name[name] = kit
        first = text.count("\n", 0, found.start())
        last = first + found[0].count("\n")
        if kit and lines & set(range(first, last + 1)):
            touched.add(kit)
    return touched, kit_of_name


def _bound_names(clause: str) -> Iterator[str]:
    """Names that an import clause makes known: the last word of each of its parts."""
    for part in re.split(r"[{},]", clause):
        words = part.split()
        if words and words[-1] not in {"*", "type", "lazy"}:
            yield words[-1]


def _touches_ark_ui(code: str, lines: Sequence[str], added: Sequence[int]) -> bool:
    if any(_ARK_UI_MARK.search(lines[number]) for number in added):
        return True
    bodies = _build_bodies(code)
    return any(
        lines[number].strip() and first <= number <= last
        for number in added
        for first, last in bodies
    )


def _build_bodies(code: str) -> list[tuple[int, int]]:
    """First and last line, from 0, of the body of each build method and builder."""
    bodies = []
    for found in _BUILD_BODY.finditer(code):
        depth, end = 0, len(code)
        for place in range(found.end() - 1, len(code)):
            depth += {"{": 1, "}": -1}.get(code[place], 0)
            if depth == 0:
                end = place
                break
        bodies.append((code.count("\n", 0, found.end()), code.count("\n", 0, end)))
    return bodies
