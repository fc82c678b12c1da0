"""Breaks sample apps in every way it knows, and asks the simulated hvigorw to notice.

``python -m tests.evaluator.simulator.mutation`` (``make mutants``) tries every mutant
of the demo snapshot's apps and prints counts; the test suite tries a few of each kind.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.evaluator.simulator.arkts import HVIGORW, NODE, Build

ROOT = Path(__file__).resolve().parents[3]
APPS = ROOT / "fixtures" / "snapshots" / "demo" / "tasks"
DRIVER = Path(__file__).with_name("build_mutants.mjs")
MAIN = "entry/src/main"
MODULE = f"{MAIN}/module.json5"
PAGES = f"{MAIN}/resources/base/profile/main_pages.json"

_IMPORT = re.compile(r"from\s+'(\.[^']+)'")
_TEXTS = re.compile(r"//.*|/\*[\s\S]*?\*/|`[^`]*`|'[^'\n]*'|\"[^\"\n]*\"")
_COMPONENT = re.compile(r"^\s*(Column|Row|Text|Button|List|Stack|Scroll|Image)\(", re.M)


class Mutant(NamedTuple):
    """A change of one project, and where its first error has to be told.

    ``places`` are pairs of file and line; a line of 0 means that the error may be on
    any line from ``after`` on, as of a bracket that is missed further down.
    """

    app: str
    kind: str
    changes: Mapping[str, str | None]
    places: frozenset[tuple[str, int]]
    after: int = 1


def sample_apps(folder: Path) -> dict[str, Path]:
    """Copies of the demo apps, before and after the reference patch of their task."""
    found = {}
    for task in sorted(APPS.iterdir()):
        if not (task / "base").is_dir():
            continue
        for name, patch in ((task.name, None), (f"{task.name}+", "reference.patch")):
            found[name] = folder / name
            shutil.copytree(task / "base", found[name])
            if patch:
                subprocess.run(
                    ["git", "apply", "--unsafe-paths", task / patch],
                    cwd=found[name],
                    env={"PATH": "/usr/bin:/bin", "GIT_DIR": "/nonexistent"},
                    check=True,
                )
    return found


def mutants_of(app: str, root: Path) -> Iterator[Mutant]:
    """Every mutant of one app, in a fixed order."""
    project = _Project(app, root)
    for path in sorted(project.sources):
        yield from project.broken_source(path)
    for path in sorted(project.texts):
        if path.endswith((".json5", ".json")) and path not in project.unread:
            yield from project.broken_json(path)
    yield from project.renamed_resources()
    yield from project.missing_files()


class _Project:
    def __init__(self, app: str, root: Path) -> None:
        self.app = app
        self.texts = {
            path.relative_to(root).as_posix(): path.read_text()
            for path in sorted(root.rglob("*"))
            if path.is_file() and path.suffix in (".ets", ".json", ".json5")
            if "build" not in path.relative_to(root).parts
        }
        self.unread = {"hvigor/hvigor-config.json5"}
        self.pages = [
            f"{MAIN}/ets/{url}.ets" for url in json.loads(self.texts[PAGES])["src"]
        ]
        [entry] = re.findall(r"srcEntry\W+(ets/[\w/]+\.ets)", self.texts[MODULE])
        self.entry = f"{MAIN}/{entry}"
        self.sources: set[str] = set()
        for path in (self.entry, *self.pages):
            self._reach(path)

    def _reach(self, path: str) -> None:
        """Only what pages and abilities import is compiled."""
        if path in self.sources:
            return
        self.sources.add(path)
        for _, target in self._imports(path):
            self._reach(target)

    def _imports(self, path: str) -> Iterator[tuple[int, str]]:
        for found in _IMPORT.finditer(self.texts[path]):
            folder = Path("/", path).parent
            target = (folder / f"{found[1]}.ets").resolve().relative_to("/").as_posix()
            yield self._line(path, found.start(1)), target

    def _line(self, path: str, at: int) -> int:
        return self.texts[path].count("\n", 0, at) + 1

    def _mutant(self, kind: str, path: str, span: tuple[int, int], new: str) -> Mutant:
        text, (start, end) = self.texts[path], span
        line = self._line(path, start)
        changes = {path: text[:start] + new + text[end:]}
        return Mutant(self.app, kind, changes, frozenset({(path, line)}))

    def _further_down(self, mutant: Mutant) -> Mutant:
        [(path, line)] = mutant.places
        return mutant._replace(places=frozenset({(path, 0)}), after=line)

    def broken_source(self, path: str) -> Iterator[Mutant]:
        text = self.texts[path]
        # What stands in texts and comments is no code, but as long.
        code = _TEXTS.sub(lambda found: " " * len(found[0]), text)
        for found in re.finditer(r"[{}()\[\]]", code):
            yield self._further_down(
                self._mutant("bracket deleted", path, found.span(), "")
            )
        for found in _COMPONENT.finditer(code):
            name = found[1]
            wrong = name[:-2] + name[-1] + name[-2] + "s"
            yield self._mutant("component misspelled", path, found.span(1), wrong)
        for found in re.finditer(r"\bthis\.(\w+)", code):
            yield self._mutant(
                "member misspelled", path, found.span(1), f"{found[1]}Gone"
            )
        for found in re.finditer(r"@(State|Prop|Link|Component|Entry|Builder)\b", code):
            yield self._mutant("decorator misspelled", path, found.span(1), "Stadium")
        for found in re.finditer(r"import \{ (\w+)[^}]*\} from '\.", text):
            yield self._mutant(
                "imported name misspelled", path, found.span(1), f"{found[1]}Gone"
            )
        # A file of constants alone has no bracket to be cut off before.
        before_the_last = code[: max(code.rfind("}"), 0)]
        for found in list(re.finditer(r"\{\n", before_the_last))[:6]:
            yield self._further_down(
                self._mutant("file cut off", path, (found.end(), len(text)), "")
            )

    def broken_json(self, path: str) -> Iterator[Mutant]:
        text = self.texts[path]
        # A bracket or colon in a string is a part of its text.
        code = re.sub(
            r'"[^"\n]*"', lambda found: f'"{" " * (len(found[0]) - 2)}"', text
        )
        places = [found.span() for found in re.finditer(r"[{}\[\]:]", code)]
        places += [found.span() for found in re.finditer(r'"(?=[\w$.:/]+")', text)]
        for span in sorted(places):
            yield self._further_down(self._mutant("JSON5 broken", path, span, ""))

    def renamed_resources(self) -> Iterator[Mutant]:
        for path, text in self.texts.items():
            if not re.search(r"resources/base/element/\w+\.json$", path):
                continue
            for found in re.finditer(r'"name":\s*"(\w+)"', text):
                uses = frozenset(self._uses(found[1], Path(path).stem))
                if uses and not self._is_defined_elsewhere(path, found[1]):
                    mutant = self._mutant(
                        "resource renamed", path, found.span(1), f"{found[1]}_gone"
                    )
                    yield mutant._replace(places=uses)

    def _uses(self, name: str, kind: str) -> Iterator[tuple[str, int]]:
        wanted = re.compile(rf"\$r\('app\.{kind}\.{name}'|\"\${kind}:{name}\"")
        for path, text in self.texts.items():
            if path.endswith(".ets") and path not in self.sources:
                continue
            for found in wanted.finditer(text):
                yield path, self._line(path, found.start())

    def _is_defined_elsewhere(self, path: str, name: str) -> bool:
        return any(
            f'"{name}"' in text and "/element/" in other
            for other, text in self.texts.items()
            if other != path
        )

    def missing_files(self) -> Iterator[Mutant]:
        for path in self.pages:
            url = path.removeprefix(f"{MAIN}/ets/").removesuffix(".ets")
            line = self._line(PAGES, self.texts[PAGES].index(url))
            yield self._removed("page dropped", path, {(PAGES, line)})
        at = self.texts[MODULE].index(self.entry.removeprefix(f"{MAIN}/"))
        place = (MODULE, self._line(MODULE, at))
        yield self._removed("entry ability removed", self.entry, {place})
        for path in sorted(self.sources - {self.entry, *self.pages}):
            importers = {
                (other, line)
                for other in self.sources
                for line, target in self._imports(other)
                if target == path
            }
            yield self._removed("imported file dropped", path, importers)

    def _removed(self, kind: str, path: str, places: set[tuple[str, int]]) -> Mutant:
        return Mutant(self.app, kind, {path: None}, frozenset(places))


def a_few_of_each(mutants: Iterable[Mutant], count: int) -> list[Mutant]:
    """``count`` of each kind, spread over all apps and files."""
    kinds: dict[str, list[Mutant]] = {}
    for each in mutants:
        kinds.setdefault(each.kind, []).append(each)
    return [
        group[at * len(group) // min(count, len(group))]
        for group in kinds.values()
        for at in range(min(count, len(group)))
    ]


def build_changed(jobs: Iterable[tuple[Path, Mapping[str, str | None]]]) -> list[Build]:
    """Build projects with their changes, all in one process; -1 stands for a crash."""
    jobs = list(jobs)
    lines = "".join(
        json.dumps({"root": str(root), "changes": changes}) + "\n"
        for root, changes in jobs
    )
    assert NODE is not None
    done = subprocess.run(
        [NODE, DRIVER, HVIGORW.parent.parent / "hvigor" / "main.mjs"],
        input=lines,
        capture_output=True,
        text=True,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return [
        Build(
            -1 if answer["status"] is None else answer["status"], answer["text"], root
        )
        for (root, _), answer in zip(jobs, answers, strict=True)
    ]


def complaint(mutant: Mutant, done: Build) -> str | None:
    """What is wrong with the build of a mutant; None if it was refused in its place."""
    if done.status == -1:
        return f"the tool crashed: {done.text[:300]}"
    if done.status != 255:
        return f"the status is {done.status}"
    if not done.findings:
        return "no diagnostic"
    told = [(found.file, found.line) for found in done.findings]
    if any(place in mutant.places for place in told):
        return None
    further = [line for file, line in told if (file, 0) in mutant.places]
    if any(line >= mutant.after for line in further):
        return None
    found = done.findings[0]
    wanted = sorted(mutant.places)[:3]
    return f"told at {found.file}:{found.line} ({found.message}), wanted {wanted}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=0, help="so many of each kind only")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        apps = sample_apps(Path(folder))
        mutants = [each for app, root in apps.items() for each in mutants_of(app, root)]
        if options.each:
            mutants = a_few_of_each(mutants, options.each)
        builds = build_changed((apps[each.app], each.changes) for each in mutants)
        tried: Counter[str] = Counter()
        refused: Counter[str] = Counter()
        for mutant, done in zip(mutants, builds, strict=True):
            tried[mutant.kind] += 1
            if (said := complaint(mutant, done)) is None:
                refused[mutant.kind] += 1
            else:
                path = min(mutant.changes)
                sys.stdout.write(f"{mutant.app} {mutant.kind} {path}: {said}\n")
    for kind, count in tried.items():
        sys.stdout.write(f"{kind:28} {refused[kind]:5} of {count:5} refused in place\n")
    total, good = tried.total(), refused.total()
    sys.stdout.write(f"{len(apps)} apps, {good} of {total} mutants refused in place\n")
    return 0 if good == total else 1


if __name__ == "__main__":
    sys.exit(main())
