"""What the calls of an agent do: commands, files that are read, files that are written.

Agents name their tools as they like; the names and arguments of the common ones are
known, and whatever has a ``command`` is a shell.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from submissions.integrity.steps import Call

_COMMANDS = ("command", "cmd", "script", "bash_command", "keystrokes")
_PATHS = (
    *("filePath", "file_path", "path", "file", "filename", "target_file"),
    *("relative_workspace_path", "absolute_path", "notebook_path", "directory", "dir"),
)
_PATTERNS = ("pattern", "glob", "include", "glob_pattern")
_FOLDERS = ("cwd", "workdir", "working_directory")
_WRITERS = re.compile(r"write|edit|create|replace|patch|insert|delete|move", re.I)
# Whatever else a tool without a command is called, it may have changed a file: agents
# that are sent by agents among them, whose own work is not in the trajectory.
_READERS = re.compile(
    r"read|view|list|\bls\b|glob|grep|search|find|fetch|browse|think|todo|plan|question"
    r"|skill|diagnostic|screenshot|open|cat|get|show|lsp",
    re.I,
)
_DELEGATES = re.compile(r"(?:task|agent|sub_?agent|delegate|dispatch)", re.I)
_READ_ONLY_VERBS = {"view", "read", "open", "list"}
_EDITOR_VERBS = {"create", "str_replace", "insert", "undo_edit", *_READ_ONLY_VERBS}
# Longer commands are looked at up to here; patterns stay linear in what is left.
_LONGEST_COMMAND = 32 * 1024
_ADDRESS = re.compile(r"\b\w{2,12}://\S+|\b[\w.-]{1,80}@[\w.-]{1,80}:\S+")
_BREAKS = re.compile(r"[\s'\"`()<>=;|&,]+")
_FILE = re.compile(r"[\w.*-]*[A-Za-z*][\w*-]*\.[A-Za-z]\w{0,9}")
_DOCUMENT = re.compile(r"<<-?\s{0,9}['\"]?(\w{1,80})['\"]?")
_EXPRESSION = re.compile(r"[sy]/|/\^|\^")
_PARTS = re.compile(r"[;\n|]|&&")
_REDIRECTION = re.compile(r"\d?>{1,2}(?!&)(\S*)")
_MAY_WRITE = re.compile(
    r">|\b(?:tee|sed|perl|awk|cp|mv|rm|touch|mkdir|patch|apply|python\d?|node|bash|sh"
    r"|ed|ex|vim?|dd|install|ln|tar|unzip|curl|wget|checkout|restore|stash|reset|clone"
    r"|apply_patch|truncate|rsync|npx|ohpm|npm)\b|\./"
)
_BUILD = re.compile(r"\bhvigorw?\b[^\n;|&]{0,200}\b(assemble|build|--mode)", re.I)
_BUILD_TOOL = re.compile(r"build|compile|assemble", re.I)
_BUILT = re.compile(r"BUILD SUCCESSFUL|build (?:succeeded|passed)", re.I)


class Write(NamedTuple):
    """A file that a call writes; ``exact`` when the tool is an editor, not a shell."""

    path: str
    exact: bool


def command_of(call: Call) -> str:
    """The shell command of a call, "" if it has none."""
    for name in _COMMANDS:
        value = call.arguments.get(name)
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            value = " ".join(value)
        if isinstance(value, str) and value not in _EDITOR_VERBS:
            return without_documents(value[:_LONGEST_COMMAND])
    return ""


def without_documents(command: str) -> str:
    """A command without the here-documents in it: they are contents of files."""
    kept, end = [], ""
    for line in command.split("\n"):
        if end:
            end = "" if line.strip() == end else end
            continue
        kept.append(line)
        if found := _DOCUMENT.search(line):
            end = found[1]
    return "\n".join(kept)


def named_paths(call: Call) -> Iterator[str]:
    """Paths that are arguments of their own."""
    for name in (*_PATHS, *_FOLDERS):
        value = call.arguments.get(name)
        if isinstance(value, str) and value and "\n" not in value:
            yield plain_path(value)


def patterns(call: Call) -> Iterator[str]:
    """Patterns by which files are looked for."""
    for name in _PATTERNS:
        value = call.arguments.get(name)
        if isinstance(value, str):
            yield plain_path(value)


def paths_in(command: str) -> Iterator[str]:
    """What looks like a path in a command; addresses of the web do not."""
    for word in _BREAKS.split(_ADDRESS.sub(" ", command)):
        if word.startswith("-") or _EXPRESSION.match(word):
            continue
        if "/" in word or "\\" in word or _FILE.fullmatch(word):
            yield plain_path(word)


def writes(call: Call) -> Iterator[Write]:
    """Files that a call writes, as far as its arguments tell."""
    if is_editor(call):
        for path in named_paths(call):
            yield Write(path, exact=True)
    for part in _PARTS.split(command_of(call)):
        for path in _written_by(part.split()):
            yield Write(plain_path(path), exact=False)


def _written_by(words: list[str]) -> Iterator[str]:
    """The files that one simple command writes, deletes or moves onto."""
    for word, following in pairwise([*words, ""]):
        if found := _REDIRECTION.fullmatch(word):
            yield found[1] or following
    given = [word for word in words if word != "sudo" and "=" not in word]
    verb, *rest = given or [""]
    names = [word for word in rest if not word.startswith("-")]
    if verb in {"tee", "rm", "truncate", "touch"}:
        yield from names
    elif verb in {"cp", "mv", "ln"} and len(names) > 1:
        yield names[-1]
    elif verb == "sed" and any(word.startswith("-i") for word in rest):
        yield from names[-1:]


def is_editor(call: Call) -> bool:
    """Whether the tool changes files by itself, without a shell."""
    verb = call.arguments.get("command")
    if isinstance(verb, str) and verb in _EDITOR_VERBS:
        return verb not in _READ_ONLY_VERBS
    return bool(_WRITERS.search(call.tool)) and "todo" not in call.tool.lower()


def may_write(call: Call) -> bool:
    """Whether a call could have changed a file; in doubt it could."""
    command = command_of(call)
    if command:
        return bool(_MAY_WRITE.search(command))
    verb = call.arguments.get("command")
    if isinstance(verb, str) and verb in _READ_ONLY_VERBS:
        return False
    return is_editor(call) or not _READERS.search(call.tool)


def is_delegation(call: Call) -> bool:
    """Whether another agent is sent, whose steps and tokens stand elsewhere."""
    return bool(_DELEGATES.match(call.tool))


def is_build(call: Call) -> bool:
    command = command_of(call)
    return bool(_BUILD.search(command) if command else _BUILD_TOOL.search(call.tool))


def build_passed(call: Call) -> bool | None:
    """How a build ended; None where the answer of the tool is not there."""
    return None if call.output is None else bool(_BUILT.search(call.output))


def plain_path(text: str) -> str:
    """A path with slashes and without detours; ``..`` stays where it leads out.

    >>> plain_path("entry/./src/../build.log"), plain_path("..\\\\x")
    ('entry/build.log', '../x')
    """
    path = text.strip().strip("'\"").replace("\\", "/")
    return posixpath.normpath(path) if path else ""
