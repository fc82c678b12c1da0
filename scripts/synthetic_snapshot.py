"""Write a task package of the size and shape of v1.0 that nobody wrote a task of.

    python -m scripts.synthetic_snapshot FOLDER --megabytes 60

It measures the software: how long an import takes, what a page of 153 tasks costs. Its
tasks are words without meaning, its projects do not build and its checks check nothing,
so no number that is measured with it is a result. The benchmark is called synthetic,
and ``import_snapshot`` refuses it unless it is told ``--synthetic``. The same bytes
every time.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from scripts.steps import ROOT, say

BENCHMARK = "synthetic-bench"
VERSION = "synthetic-153"
CANARY = "5e7a3c10-0000-4000-8000-5147e71c0000"
# How many tasks, F-points and repositories there are is public, unlike the tasks.
SHAPE = ROOT / "fixtures" / "published" / "benchmark-v1.0.json"
WARNING = "Synthetic: made up to measure the software, not a task of a benchmark."
_TEXT = (
    "list page button text panel colour entry width preview title state route model "
    "store image gesture item column row scroll value index change event"
)
WORDS = tuple(_TEXT.split())
ASSETS = 4
LINE_BYTES = 60


@dataclass(frozen=True, slots=True)
class Shape:
    """What is the same for all tasks of one source."""

    source: str
    repositories: int
    f_points: int
    difficulties: tuple[str, ...]
    statement_chars: int
    reference_files: int
    reference_lines: int

    @property
    def task_count(self) -> int:
        return len(self.difficulties)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder that does not exist yet")
    parser.add_argument("--megabytes", type=int, default=60, help="about that large")
    options = parser.parse_args()
    if options.folder.exists():
        sys.exit(f"{options.folder} exists already. Name a new folder.")
    write_package(options.folder, megabytes=options.megabytes)
    say(f"A synthetic package is in {options.folder}. No number of it is a result.")


def write_package(folder: Path, *, megabytes: int, every: int = 1) -> None:
    """Write the package to ``folder``; 0 megabytes leave only what it must have.

    Only ``every`` n-th task of each source is written, to try things out with a few.
    """
    composition = json.loads(SHAPE.read_text("utf-8"))
    shapes = [
        _shape(source, found) for source, found in composition["task_sources"].items()
    ]
    kits = composition["kit_coverage"]["top_ten_percent_of_tasks"]
    count = sum(shape.task_count for shape in shapes)
    folder.mkdir(parents=True)
    _write_json(folder / "snapshot.json", _snapshot())
    (folder / "README.md").write_text(f"{WARNING}\n", "utf-8")
    for shape in shapes:
        chance = Random(shape.source)  # noqa: S311 - the same bytes every time
        f_points = _f_points(shape, chance)
        for number in range(0, shape.task_count, every):
            task = _Task(
                shape, number, f_points[number], kits, megabytes * 10**6 // count
            )
            task.write(folder)


def _shape(source: str, found: Mapping[str, Any]) -> Shape:
    return Shape(
        source=source,
        repositories=found["repositories"],
        f_points=found["f_points"],
        difficulties=tuple(
            level for level, count in found["difficulty"].items() for _ in range(count)
        ),
        statement_chars=round(found["input_length_chars"]["median"]),
        reference_files=found["reference_files_median"],
        reference_lines=round(found["reference_loc_median"]),
    )


def _f_points(shape: Shape, chance: Random) -> list[int]:
    """How many F-points each task has: one at least, together as many as published."""
    found = [1] * shape.task_count
    for _ in range(shape.f_points - shape.task_count):
        found[chance.choice([n for n, each in enumerate(found) if each < 6])] += 1
    return found


def _snapshot() -> dict[str, Any]:
    return {
        "format": 1,
        "benchmark": {"slug": BENCHMARK, "name": "Synthetic Bench", "canary": CANARY},
        "version": VERSION,
        "title": "Synthetic snapshot, not a benchmark",
        # Long before any benchmark, so that it never comes first in a list.
        "task_snapshot_date": "2000-01-01",
        "evaluation_scripts": VERSION,
        "agent": {"name": "Synthetic agent", "version": "0"},
        "prompt_template": ["synthetic"],
        "run_parameters": {},
        "sdk": "none",
        "toolchain": "none",
        "device_profile": {"name": "Synthetic device", "simulated": True},
        "runs": 3,
        "repair_limit": 5,
    }


class _Task:
    """One made-up task; ``size_bytes`` is about what its project weighs."""

    def __init__(
        self,
        shape: Shape,
        number: int,
        f_point_count: int,
        kits: Mapping[str, float],
        size_bytes: int,
    ) -> None:
        self.shape, self.number = shape, number
        self.slug = f"synthetic-{shape.source}-{number + 1:02}"
        self.f_point_count = f_point_count
        self.size_bytes = size_bytes
        self.chance = Random(self.slug)  # noqa: S311 - the same bytes every time
        self.kits = [
            kit for kit, percent in kits.items() if 100 * self.chance.random() < percent
        ]

    def write(self, folder: Path) -> None:
        task = folder / "tasks" / self.slug
        pages = self._write_project(task / "base")
        _write_json(task / "task.json", self._facts())
        (task / "statement.md").write_text(self._statement(), "utf-8")
        (task / "reference.patch").write_text(self._reference(pages), "utf-8")
        checks = task / "checks"
        checks.mkdir()
        methods = "".join(
            f"\n    def test_point_{n + 1}(self):\n        pass\n"
            for n in range(self.f_point_count)
        )
        (checks / "synthetic.py").write_text(
            f"# {WARNING} canary GUID {CANARY}\n\n\nclass synthetic:{methods}", "utf-8"
        )
        _write_json(
            checks / "synthetic.json",
            {"description": f"{WARNING} canary GUID {CANARY}"},
        )

    def _facts(self) -> dict[str, Any]:
        chosen = self.number % self.shape.repositories
        return {
            "slug": self.slug,
            "source": self.shape.source,
            "title": f"Synthetic {self.shape.source} task {self.number + 1}",
            "difficulty": self.shape.difficulties[self.number],
            "repository": f"synthetic/{self.shape.source}-{chosen + 1:02}",
            "base_commit": hashlib.sha256(self.slug.encode()).hexdigest()[:40],
            "bundle_name": f"org.example.synthetic.task{self.number + 1}",
            "kits": self.kits,
            "build_paths": [],
            "f_points": [
                {
                    "id": f"FP-{n + 1}",
                    "scenario": f"Synthetic scenario {n // 2 + 1}",
                    "description": self._words(80).capitalize() + ".",
                    "case": "synthetic",
                    "method": f"test_point_{n + 1}",
                }
                for n in range(self.f_point_count)
            ],
        }

    def _words(self, length: int) -> str:
        """Words without meaning, at least ``length`` characters of them."""
        words = self.chance.choices(WORDS, k=length // 4 + 1)
        return " ".join(words)[: length + 8].rpartition(" ")[0]

    def _statement(self) -> str:
        return f"{WARNING}\n\n{self._words(self.shape.statement_chars)}\n"

    def _write_project(self, base: Path) -> list[tuple[str, str]]:
        """Write a project's files; returns the path and text of each page."""
        pages_folder = base / "entry" / "src" / "main" / "ets" / "pages"
        pages_folder.mkdir(parents=True)
        _write_json(base / "oh-package.json5", {"name": self.slug, "version": "0.0.0"})
        # Half of it is text in files as large as pages are, half of it pictures.
        count = max(self.shape.reference_files, min(30, self.size_bytes // 13_000))
        lines = max(4, self.size_bytes // 2 // count // LINE_BYTES)
        pool = [f"  // {self._words(LINE_BYTES - 6)}" for _ in range(lines)]
        pages = []
        for number in range(count):
            name = f"Page{number + 1}"
            turned = pool[number % lines :] + pool[: number % lines]
            text = "\n".join([f"export class {name} {{", *turned, "}", ""])
            (pages_folder / f"{name}.ets").write_text(text, "utf-8")
            pages.append((f"entry/src/main/ets/pages/{name}.ets", text))
        assets = base / "entry" / "src" / "main" / "resources" / "rawfile"
        assets.mkdir(parents=True)
        for number in range(ASSETS):
            content = self.chance.randbytes(self.size_bytes // 2 // ASSETS + 16)
            (assets / f"asset-{number + 1}.bin").write_bytes(content)
        return pages

    def _reference(self, pages: list[tuple[str, str]]) -> str:
        """A patch in git's format that really applies: it adds lines at the ends."""
        files = pages[: self.shape.reference_files]
        imports = [
            f"import synthetic{n} from '@kit.{kit.replace(' ', '')}';"
            for n, kit in enumerate(self.kits)
        ]
        per_file = max(1, self.shape.reference_lines // len(files))
        parts = [f"{WARNING} canary GUID {CANARY}\n"]
        for place, (path, text) in enumerate(files):
            added = imports if place == 0 else []
            added = [*added, *self._added_lines(per_file - len(added))]
            parts.append(_diff(path, text, added))
        return "\n".join(parts)

    def _added_lines(self, count: int) -> Iterator[str]:
        for n in range(max(count, 1)):
            yield f"const synthetic{n}Line: string = '{self._words(30)}';"


def _diff(path: str, text: str, added: list[str]) -> str:
    lines = text.removesuffix("\n").split("\n")
    after = "\n".join([*lines, *added, ""])
    return "\n".join(
        [
            f"diff --git a/{path} b/{path}",
            f"index {_blob_id(text)}..{_blob_id(after)} 100644",
            f"--- a/{path}",
            f"+++ b/{path}",
            f"@@ -{len(lines) - 2},3 +{len(lines) - 2},{3 + len(added)} @@",
            *(f" {line}" for line in lines[-3:]),
            *(f"+{line}" for line in added),
            "",
        ]
    )


def _blob_id(text: str) -> str:
    content = text.encode()
    header = f"blob {len(content)}\0".encode()
    return hashlib.sha1(header + content, usedforsecurity=False).hexdigest()


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
