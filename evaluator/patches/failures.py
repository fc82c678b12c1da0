"""Why git did not apply a patch, in words for the person who made it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from evaluator.patches.results import PatchProblem, ProblemCode, shown

_MOST = 20
_UNSAFE = re.compile(r"error: invalid path '(?P<path>.*)'$")
_KNOWN = [
    (
        ProblemCode.LINK,
        re.compile(r"error: affected file '(?P<path>.*)' is beyond a symbolic link$"),
        "lies behind a symbolic link",
    ),
    (
        ProblemCode.DOES_NOT_APPLY,
        re.compile(r"error: patch failed: (?P<path>.*):(?P<line>\d+)$"),
        "the lines around line {line} are not those of the base project",
    ),
    (
        ProblemCode.DOES_NOT_APPLY,
        re.compile(r"error: (?P<path>.*): already exists in index$"),
        "is created by the patch, but the base project has it",
    ),
    (
        ProblemCode.DOES_NOT_APPLY,
        re.compile(r"error: (?P<path>.*): does not exist in index$"),
        "is changed by the patch, but the base project does not have it",
    ),
    (
        ProblemCode.MALFORMED,
        re.compile(r"error: (?P<what>(No valid patches|unrecognized input).*)$"),
        "this is not a patch in git's format ({what})",
    ),
    (
        ProblemCode.MALFORMED,
        re.compile(
            r"error: (?P<what>(corrupt|unrecognized|patch fragment|git apply:|"
            r"git diff header|invalid mode|inconsistent|unable to find filename).*)$"
        ),
        "the patch is damaged: {what}",
    ),
]
_REPEATED = re.compile(r"error: .*: patch does not apply$")
_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")

OldContent = Callable[[bytes], bytes | None]


def explain(message: str, patch: bytes, old_content: OldContent) -> list[PatchProblem]:
    """Turn the ``message`` of a failed ``git apply`` into problems, at least one."""
    if _has_crlf_headers(patch):
        detail = (
            "its own header lines end in CRLF; send the output of git diff as it is"
        )
        return [PatchProblem(ProblemCode.CRLF_MISMATCH, "", detail)]
    problems = list(dict.fromkeys(_problems(message)))[:_MOST]
    if not problems:
        detail = (
            f"git refused it: {shown(message.strip().encode())[:500] or 'no reason'}"
        )
        problems = [PatchProblem(ProblemCode.DOES_NOT_APPLY, "", detail)]
    mismatched = dict(_mismatched_line_ends(patch, old_content))
    return [
        PatchProblem(ProblemCode.CRLF_MISMATCH, problem.path, mismatched[problem.path])
        if problem.code.means_not_applied and problem.path in mismatched
        else problem
        for problem in problems
    ]


def _problems(message: str) -> Iterator[PatchProblem]:
    for line in message.splitlines():
        line = line.replace("fatal: ", "error: ", 1)
        if found := _UNSAFE.match(line):
            path = shown(found["path"].encode())
            leaves = ".." in found["path"].split("/")
            yield (
                PatchProblem(ProblemCode.UNSAFE_PATH, path, "leads out of the project")
                if leaves
                else PatchProblem(ProblemCode.GIT_PATH, path, "belongs to git itself")
            )
            continue
        for code, pattern, detail in _KNOWN:
            if found := pattern.match(line):
                facts = {
                    key: shown(text.encode()) for key, text in found.groupdict().items()
                }
                yield PatchProblem(code, facts.pop("path", ""), detail.format(**facts))
                break
        else:
            if line.startswith("error: ") and not _REPEATED.match(line):
                said = shown(line.removeprefix("error: ").encode())[:300]
                yield PatchProblem(ProblemCode.DOES_NOT_APPLY, "", said)


def _has_crlf_headers(patch: bytes) -> bool:
    headers = [
        line
        for line in patch.split(b"\n")
        if line.startswith((b"diff --git ", b"--- ", b"+++ "))
    ]
    return bool(headers) and all(line.endswith(b"\r") for line in headers)


def _mismatched_line_ends(
    patch: bytes, old_content: OldContent
) -> Iterator[tuple[str, str]]:
    """Files where the patch and the base project disagree on CRLF in every line."""
    for path, ends in _old_line_ends(patch).items():
        content = old_content(path) or b""
        has_crlf = content.count(b"\r\n") * 2 > content.count(b"\n")
        if has_crlf and not ends[True]:
            yield (
                shown(path),
                "the base project's file has CRLF line ends, the patch LF",
            )
        elif b"\r\n" not in content and content and not ends[False]:
            yield (
                shown(path),
                "the base project's file has LF line ends, the patch CRLF",
            )


def _old_line_ends(patch: bytes) -> dict[bytes, Counter[bool]]:
    """For each file: of its context and removed lines, how many end in CRLF or not."""
    found: dict[bytes, Counter[bool]] = {}
    path, old, new = b"", 0, 0
    for line in patch.split(b"\n"):
        if old > 0 or new > 0:
            old -= line[:1] in (b" ", b"-", b"")
            new -= line[:1] in (b" ", b"+", b"")
            if line[:1] in (b" ", b"-"):
                found.setdefault(path, Counter())[line.endswith(b"\r")] += 1
        elif line.startswith(b"--- "):
            path = line[4:].partition(b"\t")[0].removeprefix(b"a/")
        elif hunk := _HUNK.match(line):
            old, new = (1 if count is None else int(count) for count in hunk.groups())
    return found
