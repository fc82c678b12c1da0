"""Checks the Hypium cases of a task: each F-point must be a method of one."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from leaderboard.check_values import read_rules
from leaderboard.snapshots.faults import Faults, shown
from leaderboard.snapshots.outline import PointOutline
from leaderboard.snapshots.strict import is_json, read_text


def check_scripts(
    folder: Path,
    task: str,
    f_points: Sequence[PointOutline] | None,
    *,
    faults: Faults,
) -> None:
    """Note every case that is missing, broken or not needed. No script is run."""
    points = f_points or ()
    by_case: dict[str, list[PointOutline]] = {}
    for f_point in points:
        if f_point.case is not None:
            by_case.setdefault(f_point.case, []).append(f_point)
    for case, entries in by_case.items():
        script = f"{task}/checks/{case}.py"
        text = read_text(folder, script, faults=faults)
        if text is not None:
            methods = _methods(text, script, case=case, faults=faults)
            for entry in entries if methods is not None else ():
                if entry.method and entry.method not in (methods or ()):
                    faults.add(
                        script,
                        f"class {case}",
                        saw=f"no method {entry.method}, which "
                        f"{entry.id or 'an F-point'} names",
                        fix="Add the method, or correct task.json.",
                    )
        settings = f"{task}/checks/{case}.json"
        text = read_text(folder, settings, faults=faults)
        if text is not None and is_json(text, settings, faults=faults):
            _check_values(text, settings, faults=faults)
    if points and all(each.case for each in points):
        _note_strays(folder, task, cases=set(by_case), faults=faults)


def _check_values(text: str, settings: str, *, faults: Faults) -> None:
    try:
        read_rules(json.loads(text))
    except ValidationError as error:
        for detail in error.errors():
            place = ".".join(str(part) for part in ("values", *detail["loc"]))
            faults.add(
                settings, place, saw=shown(detail["input"]), fix=f"{detail['msg']}."
            )


def _methods(
    text: str, script: str, *, case: str, faults: Faults
) -> frozenset[str] | None:
    """Methods of the case's class, which Hypium wants named as the file is."""
    try:
        module = ast.parse(text)
    except SyntaxError as error:
        faults.add(
            script,
            f"line {error.lineno}",
            saw=f"text that is not Python ({error.msg})",
            fix="Correct the script at this place.",
        )
        return None
    for node in module.body:
        if isinstance(node, ast.ClassDef) and node.name == case:
            return frozenset(
                each.name for each in node.body if isinstance(each, ast.FunctionDef)
            )
    faults.add(
        script,
        "",
        saw=f"no class {case}",
        fix="Name the test case's class as its file; Hypium looks for it there.",
    )
    return None


def _note_strays(folder: Path, task: str, *, cases: set[str], faults: Faults) -> None:
    checks = folder / task / "checks"
    wanted = {f"{case}{suffix}" for case in cases for suffix in (".py", ".json")}
    for path in sorted(checks.iterdir()) if checks.is_dir() else ():
        if path.name not in wanted:
            faults.add(
                f"{task}/checks/{path.name}",
                "",
                saw="a file that no F-point names",
                fix="Remove it, or name its case in task.json.",
            )
