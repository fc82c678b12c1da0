"""Whether the edits of a trajectory, done again on the base, give the patch.

Only where every change is told in full: files written whole, or pieces of text
replaced. A shell that may have written ends the attempt, and nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from submissions.integrity import tools
from submissions.integrity.brief import RunBrief, TaskBrief
from submissions.integrity.catalogue import Code
from submissions.integrity.diffs import patched
from submissions.integrity.roots import Root
from submissions.integrity.sightings import Sighting, excerpt
from submissions.integrity.steps import Call, Step

_OLD = ("oldString", "old_string", "old_str")
_NEW = ("newString", "new_string", "new_str")
_WHOLE = ("content", "contents", "file_text", "text")
_ALL = ("replaceAll", "replace_all")


class Replay:
    """Does every edit again, as long as all of them can be followed."""

    def __init__(self, brief: TaskBrief, run: RunBrief, root: Root) -> None:
        self._base = brief.base
        self._run = run
        self._root = root
        self._files: dict[str, str] = {}
        self._edits = 0
        self._possible = bool(brief.base)
        self._last = 0

    def see(self, step: Step) -> Iterator[Sighting]:
        for call in step.calls:
            if self._possible and not call.failed and tools.may_write(call):
                self._last = step.number
                self._possible = self._follow(call)
        return iter(())

    def _follow(self, call: Call) -> bool:
        """Do one edit; False where it cannot be followed."""
        if tools.is_build(call):
            return True
        path = self._root.relative(next(tools.named_paths(call), ""))
        if not tools.is_editor(call) or not path or path.startswith(("/", "..")):
            return False
        self._edits += 1
        old, new = _text(call.arguments, _OLD), _text(call.arguments, _NEW)
        whole = _text(call.arguments, _WHOLE)
        if old:
            return self._replace(path, old, new or "", everywhere=_is_set(call, _ALL))
        if whole is None:
            whole = new
        if whole is None or (old is None and "insert" in _verb(call)):
            return False
        self._files[path] = whole
        return True

    def _replace(self, path: str, old: str, new: str, *, everywhere: bool) -> bool:
        text = self._files.get(path, self._base.get(path))
        if text is None or old not in text:
            return False
        self._files[path] = text.replace(old, new, -1 if everywhere else 1)
        return True

    def end(self) -> Iterator[Sighting]:
        if not self._possible or not self._edits:
            return
        results = [
            patched(self._base, patch)
            for patch in (self._run.final_patch, self._run.first_patch)
            if patch is not None
        ]
        # A trajectory may end with the first build; repairs are then told elsewhere.
        if None in results or any(self._agrees(each or {}) for each in results):
            return
        names = sorted(self._differing(results[0] or {}))
        seen = (
            f"{self._edits} edits give other files than the patch: {', '.join(names)}"
        )
        yield Sighting(Code.REPLAY_MISMATCH, 0.8, excerpt(seen), self._last)

    def _agrees(self, result: Mapping[str, str | None]) -> bool:
        return not self._differing(result)

    def _differing(self, result: Mapping[str, str | None]) -> set[str]:
        return {
            path
            for path in {*self._files, *result}
            if _same(self._files.get(path, self._base.get(path)))
            != _same(result.get(path, self._base.get(path)))
        }


def _same(text: str | None) -> str | None:
    """Line ends and space at the end of lines do not count."""
    if text is None:
        return None
    return "\n".join(line.rstrip() for line in text.rstrip().split("\n"))


def _text(arguments: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    for name in names:
        value = arguments.get(name)
        if isinstance(value, str):
            return value
    return None


def _is_set(call: Call, names: tuple[str, ...]) -> bool:
    return any(call.arguments.get(name) is True for name in names)


def _verb(call: Call) -> str:
    return f"{call.tool} {call.arguments.get('command')}".lower()
