"""Labelled cases: what the rules must see, and where they must see nothing.

A folder holds one made-up task (``task/``) and cases (``cases/*.json``). A case has one
task run (a trajectory and patches), or ``across``: what several task runs have in
common, or ``result``: how the evaluator's gate and checks ended. ``labels`` are the
codes that it must give, no more and no fewer.
"""

from __future__ import annotations

import io
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from evaluator.patches.gate import apply_patch
from evaluator.verdicts import FailReason
from submissions.integrity.across import (
    Alike,
    Held,
    Seen,
    Twin,
    repeated_patches,
    repeated_trajectories,
    similar_patches,
)
from submissions.integrity.brief import RunBrief, TaskBrief
from submissions.integrity.catalogue import Code
from submissions.integrity.leaks import hidden_shingles
from submissions.integrity.packages import check_texts, text_files
from submissions.integrity.patches import patch_sightings
from submissions.integrity.results import result_sightings
from submissions.integrity.sketches import (
    FEWEST,
    NEARLY,
    likeness,
    may_be_alike,
    patch_shingles,
    sample_of,
    sketch_of,
)
from submissions.integrity.trajectory import first_of_each, look_through

# Whatever is the reference is like it; a person sees at once why.
_OF_REFERENCE = {Code.REFERENCE_SIMILAR, Code.REFERENCE_COMMENT}


class LabelledError(ValueError):
    """A folder of cases, or a case, that cannot be used."""


@dataclass(slots=True)
class Report:
    """How the rules did. ``missed`` and ``false_alarms`` name case and code.

    ``references`` were looked through; ``not_held`` are those without a base project.
    """

    clean: int = 0
    planted: Counter[Code] = field(default_factory=Counter)
    seen: Counter[Code] = field(default_factory=Counter)
    missed: list[tuple[str, Code]] = field(default_factory=list)
    false_alarms: list[tuple[str, Code]] = field(default_factory=list)
    references: int = 0
    not_held: int = 0

    @property
    def is_good(self) -> bool:
        """Every planted incident seen, and nothing else."""
        return not self.missed and not self.false_alarms

    def lacking(self, *, each: int) -> list[Code]:
        """Codes with fewer planted incidents than ``each``."""
        return [code for code in Code if self.planted[code] < each]


class Case(NamedTuple):
    name: str
    data: Mapping[str, Any]

    @property
    def labels(self) -> set[Code]:
        return {Code(label) for label in self.data["labels"]}


def read_cases(folder: Path) -> list[Case]:
    """All cases of ``folder`` by name."""
    paths = sorted((folder / "cases").glob("*.json"))
    if not paths:
        raise LabelledError(f"{folder / 'cases'} holds no cases (*.json).")
    cases = []
    for path in paths:
        try:
            cases.append(Case(path.stem, json.loads(path.read_text("utf-8"))))
            assert cases[-1].labels is not None  # noqa: S101 - reads every label
        except (ValueError, KeyError, TypeError) as error:
            raise LabelledError(
                f"{path} is no case: {type(error).__name__}: {error}. It is an object "
                f"with labels out of {', '.join(Code)}."
            ) from None
    return cases


def brief_of_folder(folder: Path, **known: Any) -> TaskBrief:
    """The brief of a task folder; ``known`` are facts that its files do not tell."""
    base, paths = text_files(folder / "base")
    return TaskBrief(
        statement=(folder / "statement.md").read_text("utf-8"),
        base=base,
        base_paths=paths,
        reference=(folder / "reference.patch").read_text("utf-8"),
        checks=check_texts(folder / "checks"),
        **known,
    )


def report_on(folder: Path, snapshot: Path | None = None) -> Report:
    """Look through the cases of ``folder``, and the references of ``snapshot``."""
    known = json.loads((folder / "task" / "known.json").read_text("utf-8"))
    brief = brief_of_folder(
        folder / "task",
        slug=known["slug"],
        title=known["title"],
        repository=known["repository"],
        methods=frozenset(known["methods"]),
        scripts=frozenset(known["scripts"]),
        hosts=tuple(known["hosts"]),
    )
    base = folder / "task" / "base"
    report = Report()
    for case in read_cases(folder):
        found, labels = codes_of(case.data, brief, base), case.labels
        report.clean += not labels
        report.planted.update(labels)
        report.seen.update(labels & found)
        report.missed += [(case.name, code) for code in sorted(labels - found)]
        report.false_alarms += [(case.name, code) for code in sorted(found - labels)]
    for task in sorted((snapshot / "tasks").iterdir()) if snapshot else ():
        if not (task / "base").is_dir():
            report.not_held += 1
            continue
        report.references += 1
        alarms = sorted(_alarms_of_reference(task))
        report.false_alarms += [(f"reference of {task.name}", code) for code in alarms]
    return report


def codes_of(case: Mapping[str, Any], brief: TaskBrief, base: Path) -> set[Code]:
    """Every code that the rules give for one case."""
    if "across" in case:
        return {each.sighting.code for each in _across(case["across"], brief)}
    if "result" in case:
        return _of_result(case["result"], base)
    final, first = _patch(case["final_patch"]), case.get("first_patch")
    run = RunBrief(
        final_patch=final,
        first_patch=None if first is None else _patch(first),
        total_tokens=(case["usage"] or {}).get("total_tokens"),
        first_build_ok=case["first_build_ok"],
    )
    counted = look_through(
        io.BytesIO(trajectory_bytes(case)),
        lines=case["file"].endswith(".jsonl"),
        brief=brief,
        run=run,
        hidden=hidden_shingles(brief),
    )
    counted += first_of_each(patch_sightings(final, brief))
    return {each.sighting.code for each in counted}


def trajectory_bytes(case: Mapping[str, Any]) -> bytes:
    """The trajectory as its file would hold it."""
    steps = case["trajectory"]
    if case["file"].endswith(".jsonl"):
        return b"".join(json.dumps(each).encode() + b"\n" for each in steps)
    return json.dumps(steps, indent=1).encode()


def _patch(lines: list[str]) -> str:
    return "\n".join(lines)


def _across(runs: list[Mapping[str, Any]], brief: TaskBrief) -> Iterator[Seen]:
    """``runs`` are task runs of one task; those with a ``model`` are of others."""
    own = [run for run in runs if "model" not in run]
    others = [run for run in runs if "model" in run]
    trajectories = [
        Held(number, brief.slug, json.dumps(run["trajectory"]))
        for number, run in enumerate(own, start=1)
        if "trajectory" in run
    ]
    yield from repeated_trajectories(trajectories)
    patches = {
        Held(number, brief.slug, text): patch_shingles(text, brief)
        for number, run in enumerate(own, start=1)
        if (text := _patch(run.get("patch", [])))
    }
    twins = [
        Twin(brief.slug, text, len(text.encode()), run["model"], number, number)
        for number, run in enumerate(others, start=1)
        if (text := _patch(run.get("patch", [])))
    ]
    yield from repeated_patches(patches, twins)
    alike = [
        Alike(held, twin.sha256, share)
        for held, mine in patches.items()
        for twin in twins
        if held.sha256 != twin.sha256
        and (share := _share(mine, patch_shingles(twin.sha256, brief))) >= NEARLY
    ]
    yield from similar_patches(alike, twins)


def _share(one: set[int], other: set[int]) -> float:
    """How alike two patches are, by the same steps as in an audit."""
    if min(len(one), len(other)) < FEWEST:
        return 0.0
    samples = [sample_of(sketch_of(each).signature) for each in (one, other)]
    return likeness(one, other) if may_be_alike(*samples) else 0.0


def _of_result(result: Mapping[str, Any], base: Path) -> set[Code]:
    """What the gate makes of a patch, and what the rules make of that."""
    reason, detail, flags, empty = _gated(_patch(result["patch"]).encode(), base)
    seen = result_sightings(
        completed=result["completed"] and not reason,
        reason=reason,
        detail=detail,
        flags=flags,
        unchanged=empty,
    )
    return {each.code for each in seen}


def _gated(
    patch: bytes, base: Path, allowed: frozenset[str] = frozenset()
) -> tuple[str, str, list[str], bool]:
    with tempfile.TemporaryDirectory(prefix="ohb-labelled-") as scratch:
        gate = apply_patch(
            base, patch, Path(scratch) / "workspace", allowed_build_paths=allowed
        )
    if not gate.accepted:
        problems = "; ".join(map(str, gate.problems))
        return FailReason.PATCH_REJECTED.value, problems, [], False
    flags = [*(f"restored {path}" for path in gate.restored), *gate.flags]
    return "", "", flags, gate.empty


def _alarms_of_reference(task: Path) -> set[Code]:
    """What a reference patch must not give: it is somebody's honest work.

    A note of the gate is none; it decides nothing and may be right.
    """
    facts = json.loads((task / "task.json").read_text("utf-8"))
    points = facts["f_points"]
    brief = brief_of_folder(
        task,
        slug=task.name,
        title=facts["title"],
        methods=frozenset(point["method"] for point in points),
        scripts=frozenset(f"{point['case']}.py" for point in points),
    )
    allowed = frozenset(facts.get("build_paths", ()))
    patch = (task / "reference.patch").read_bytes()
    reason, detail, flags, empty = _gated(patch, task / "base", allowed)
    found = {each.code for each in patch_sightings(brief.reference, brief)}
    found |= {
        each.code
        for each in result_sightings(
            completed=True, reason=reason, detail=detail, flags=flags, unchanged=empty
        )
    }
    return found - _OF_REFERENCE - {Code.PATCH_NOTE}
