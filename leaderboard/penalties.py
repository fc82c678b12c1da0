"""What a patch brings in that multiplies its completion rate down, with the evidence.

Nothing here is part of Task Completion. Standard library only but for the settings that
say where files of benchmarks lie.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from leaderboard.completion_rate import Penalty
from leaderboard.diffs import DiffFile, diff_files
from leaderboard.kits import is_source

# Sources of other platforms. Configuration, styles and data are no language of an app.
FOREIGN_SUFFIXES = frozenset(
    {
        *(".html", ".htm", ".js", ".mjs", ".jsx", ".tsx", ".vue", ".wasm"),
        *(".dart", ".java", ".kt", ".kts", ".swift", ".m", ".mm", ".cs", ".xaml"),
        *(".py", ".rb", ".php", ".lua"),
    }
)

# Each quantifier has a bound: lines of patches are anybody's, and may be long.
_IMPORT = re.compile(
    r"\b(?:from|import|require)\s{0,20}\(?\s{0,20}(['\"])"
    r"(?P<module>@[a-z]{1,20}\.[A-Za-z0-9_.]{1,100})\1"
)
_COMMENT = re.compile(r"//|^\s*\*|/\*")
_LONGEST_LINE = 2000
# A patch may hold thousands; a few places tell what it is about.
_MOST_NAMED = 5


class ForeignFilesError(ValueError):
    """A list of foreign files cannot be used; the message says why."""


def read_foreign_suffixes(path: Path | None) -> frozenset[str]:
    """Endings of foreign files from the file ``path``; the usual ones without it."""
    if path is None:
        return FOREIGN_SUFFIXES
    try:
        found = json.loads(path.read_text("utf-8"))["suffixes"]
    except (ValueError, KeyError, TypeError) as error:
        raise ForeignFilesError(
            f"{path} names no foreign files ({error!r}). Write an object with a list "
            "'suffixes', such as ['.html', '.js']."
        ) from None
    if not isinstance(found, list) or not all(map(_is_suffix, found)):
        raise ForeignFilesError(
            f"{path}: 'suffixes' is no list of endings in lower case with their dot, "
            "such as ['.html', '.js']."
        )
    return frozenset(found)


def _is_suffix(value: object) -> bool:
    return isinstance(value, str) and bool(re.fullmatch(r"\.[a-z0-9_+-]{1,20}", value))


def penalty_flags(
    patch: str,
    changed: Collection[str],
    base: Callable[[str], str | None],
    *,
    base_paths: Collection[str],
    foreign_suffixes: Collection[str],
    legacy_apis: Sequence[str],
) -> list[str]:
    """Flags "penalty evidence" of ``patch``, of which only ``changed`` paths count.

    ``base`` gives the text of a file before the patch. A language that the base project
    is written in already is not foreign to it, and what a file imported already is not
    brought in by the patch. ``legacy_apis`` are names of modules, ``*`` for any end.
    """
    foreign = sorted(_foreign(changed, base_paths, foreign_suffixes))
    legacy = (
        place
        for file in (diff_files(patch.split("\n")) if legacy_apis else ())
        if file.path in changed and is_source(file.path)
        for place in _legacy(file, base(file.path) or "", legacy_apis)
    )
    return [
        *_flags(Penalty.FOREIGN_LANGUAGE_FILES, foreign),
        *_flags(Penalty.LEGACY_API, list(legacy)),
    ]


def _foreign(
    changed: Collection[str], base_paths: Collection[str], suffixes: Collection[str]
) -> Iterator[str]:
    own = {_suffix(path) for path in base_paths}
    known = set(base_paths)
    for path in changed:
        if path not in known and _suffix(path) in suffixes and _suffix(path) not in own:
            yield path


def _suffix(path: str) -> str:
    return PurePosixPath(path).suffix.casefold()


def _legacy(file: DiffFile, before: str, names: Sequence[str]) -> Iterator[str]:
    for line in file.lines:
        if line.kind != "add":
            continue
        text = line.text[1 : _LONGEST_LINE + 1]
        for found in _IMPORT.finditer(text):
            module = found["module"]
            if (
                any(fnmatchcase(module, name) for name in names)
                and not _COMMENT.search(text, 0, found.start())
                and f"'{module}'" not in before
                and f'"{module}"' not in before
            ):
                yield f"{file.path}:{line.new} {module}"


def _flags(penalty: Penalty, places: Sequence[str]) -> list[str]:
    named = [f"{penalty} {place}" for place in places[:_MOST_NAMED]]
    more = len(places) - len(named)
    return [*named, f"{penalty} and {more} more"] if more else named
