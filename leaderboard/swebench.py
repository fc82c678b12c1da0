"""Draft tasks from a file in the form of Multi-SWE-bench: what it says, and what lacks.

One object a line: ``instance_id, org, repo, number, base, fix_patch, test_patch``, with
``title``, ``body`` and ``resolved_issues`` where they are given. Its tests are not
Hypium checks and its repository is not fetched, so a curator has to finish every task;
``TODO.md`` of each says what is left.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from leaderboard.patch_counts import PatchCounts, PatchFormatError, count_patch
from leaderboard.snapshots.faults import Fault, Faults, shown

TODO = "TODO.md"
_NOT_A_SLUG = re.compile(r"[^a-z0-9]+")
_SLUG_LENGTH = 80
_TITLE_LENGTH = 160
_UNSURE_SOURCE = "bug-fix"

Name = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[\w.-]+$")]


class _Lenient(BaseModel):
    """Other fields are left alone: files of others hold more than we use."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class Base(_Lenient):
    sha: str = Field(pattern=r"^[0-9a-f]{7,64}$")


class Issue(_Lenient):
    title: str | None = None
    body: str | None = None


class Instance(_Lenient):
    """One line of the file."""

    instance_id: str = Field(min_length=1, max_length=200)
    org: Name
    repo: Name
    number: int = Field(ge=0)
    base: Base
    fix_patch: str = Field(min_length=1)
    test_patch: str = ""
    title: str | None = None
    body: str | None = None
    resolved_issues: list[Issue] = []

    @property
    def slug(self) -> str:
        found = _NOT_A_SLUG.sub("-", self.instance_id.lower()).strip("-")
        return found[:_SLUG_LENGTH].rstrip("-")

    @property
    def address(self) -> str:
        return f"https://github.com/{self.org}/{self.repo}"


class SwebenchError(ValueError):
    """The file cannot be taken over; ``faults`` holds everything that was found."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        count = len(self.faults)
        title = "1 fault" if count == 1 else f"{count} faults"
        lines = "".join(f"\n  {fault}" for fault in self.faults)
        super().__init__(f"The file has {title}:{lines}")


def read_instances(file: Path) -> list[tuple[Instance, PatchCounts]]:
    """Every instance with what its fix changes; SwebenchError with every fault."""
    try:
        text = file.read_bytes().decode("utf-8")
    except OSError as error:
        raise SwebenchError(
            [Fault(str(file), "", str(error.strerror), "Name a file that can be read.")]
        ) from None
    except UnicodeDecodeError as error:
        fault = Fault(file.name, f"byte {error.start}", "no UTF-8", "Save it as UTF-8.")
        raise SwebenchError([fault]) from None
    faults = Faults()
    found: dict[str, tuple[Instance, PatchCounts]] = {}
    for place, line in _lines(text):
        instance = _instance(line, file.name, place, faults=faults)
        counts = None
        if instance is not None:
            counts = _counts(instance, file.name, place, faults=faults)
        if instance is None or counts is None:
            continue
        if instance.slug in found:
            faults.add(
                file.name,
                f"{place}: instance_id",
                saw=f"{shown(instance.instance_id)}, which gives the name "
                f"{instance.slug!r} a second time",
                fix="Keep one of them, or rename one.",
            )
        found[instance.slug] = instance, counts
    if not found and not faults.found:
        faults.add(file.name, "", saw="no line", fix="One object a line is expected.")
    if faults.found:
        raise SwebenchError(faults.found)
    return list(found.values())


def write_drafts(
    instances: Sequence[tuple[Instance, PatchCounts]], folder: Path
) -> None:
    """Write a task folder for each below ``folder``/tasks, which must not exist."""
    for instance, counts in instances:
        task = folder / "tasks" / instance.slug
        (task / "checks").mkdir(parents=True)
        facts = _task_json(instance)
        files = {
            "task.json": json.dumps(facts, indent=2, ensure_ascii=False) + "\n",
            "statement.md": _statement(instance),
            "reference.patch": instance.fix_patch,
            TODO: _todo(instance, counts),
        }
        if instance.test_patch.strip():
            files["checks/upstream-tests.patch"] = instance.test_patch
        for name, content in files.items():
            (task / name).write_text(content, encoding="utf-8", newline="\n")


def _lines(text: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield f"line {number}", line


def _instance(line: str, file: str, place: str, *, faults: Faults) -> Instance | None:
    try:
        return Instance.model_validate_json(line)
    except ValidationError as error:
        for detail in error.errors():
            path = ".".join(str(part) for part in detail["loc"])
            missing = detail["type"] == "missing"
            faults.add(
                file,
                f"{place}: {path}" if path else place,
                saw="nothing" if missing else shown(detail["input"]),
                fix="Add the field." if missing else f"{detail['msg']}.",
            )
        return None


def _counts(
    instance: Instance, file: str, place: str, *, faults: Faults
) -> PatchCounts | None:
    counts = None
    for name, patch in (
        ("test_patch", instance.test_patch),
        ("fix_patch", instance.fix_patch),
    ):
        if not patch.strip() and name == "test_patch":
            continue
        try:
            counts = count_patch(patch)
        except PatchFormatError as error:
            faults.add(
                file,
                f"{place}: {name}",
                saw=f"a text that is not a patch in git's format ({error})",
                fix="Take it from 'git diff --binary'.",
            )
            counts = None
    if not instance.slug:
        faults.add(
            file,
            f"{place}: instance_id",
            saw=shown(instance.instance_id),
            fix="Use letters or digits: it names the folder.",
        )
        return None
    return counts


def _task_json(instance: Instance) -> Mapping[str, Any]:
    """Everything the file tells. What a curator has to decide is left empty."""
    title = _title(instance) or f"{instance.repo} #{instance.number}"
    return {
        "slug": instance.slug,
        "source": _UNSURE_SOURCE,
        "title": " ".join(title.split())[:_TITLE_LENGTH],
        "difficulty": "",
        "repository": f"{instance.org}/{instance.repo}",
        "base_commit": instance.base.sha,
        "bundle_name": "",
        "kits": [],
        "build_paths": [],
        "f_points": [],
    }


def _title(instance: Instance) -> str:
    issues = (each.title for each in instance.resolved_issues)
    return next((text for text in (*issues, instance.title) if text), "")


def _statement(instance: Instance) -> str:
    """The issues, else the pull request: what a person wanted to have changed."""
    parts = [
        f"# {each.title or 'Issue'}\n\n{each.body or ''}".rstrip()
        for each in instance.resolved_issues
        if each.title or each.body
    ]
    if not parts and (instance.title or instance.body):
        parts = [f"# {instance.title or ''}\n\n{instance.body or ''}".rstrip()]
    return "\n\n".join(parts) + "\n" if parts else ""


def _todo(instance: Instance, counts: PatchCounts) -> str:
    issue = "an issue" if instance.resolved_issues else "the pull request"
    steps = [
        f"base.json: take over {instance.address} at {instance.base.sha} (a whole "
        "commit id, with the digest that `manage.py tree_digest` gives), or put the "
        "project into base/.",
        f"statement.md: it is the text of {issue}, as it was. Say what is to be "
        "delivered, and nothing of the solution."
        if _statement(instance)
        else "statement.md: the file told nothing. Write it.",
        "task.json: source (bug-fix is a guess), difficulty, bundle_name, kits, "
        "build_paths.",
        "task.json, f_points, and checks/<case>.py with <case>.json: Hypium cases for "
        "the behavior. "
        + (
            "checks/upstream-tests.patch shows what the project tests itself; remove "
            "it when done."
            if instance.test_patch.strip()
            else "The file held no tests."
        ),
        f"reference.patch: changes {len(counts.paths)} files, +{counts.added_lines} "
        f"-{counts.deleted_lines}. Add the canary before its first line, and look that "
        "it applies to the base project and touches no tests.",
        "checks: the canary in every file.",
        f"This file: remove {TODO} when all is done; the import refuses it.",
    ]
    listed = "".join(f"- [ ] {step}\n" for step in steps)
    origin = f"{instance.address}/pull/{instance.number}"
    return f"# {instance.instance_id}\n\nTaken over from {origin}.\n\n{listed}"
