"""The native bundle: a manifest and one folder of files per run and task."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from submissions.archive import MANIFEST, Member, place_of
from submissions.findings import Code, Findings
from submissions.formats.usage import (
    LIMIT_BYTES,
    NOT_REPORTED,
    Usage,
    UsageError,
    parse_usage,
)
from submissions.manifest import Manifest

MAX_PATCH_BYTES = 8 * 1024 * 1024
PATCHES = ("first.patch", "final.patch")
TRAJECTORIES = ("trajectory.jsonl", "trajectory.json")


@dataclass(frozen=True, slots=True)
class UnitFiles:
    """What was uploaded for one task run; None where the file is not there."""

    run: int
    task: str
    final_patch: Member
    first_patch: Member | None = None
    build_log: Member | None = None
    trajectory: Member | None = None
    usage: Usage = NOT_REPORTED


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle that was read; units are ordered by run and task."""

    manifest: Manifest
    units: list[UnitFiles]
    members: tuple[Member, ...]

    @property
    def content_sha256(self) -> str:
        """Digest of names and contents, the same whatever archive carried them."""
        return content_digest((each.name, each.sha256) for each in self.members)


def content_digest(files: Iterable[tuple[str, str]]) -> str:
    """SHA-256 over the sorted names and digests of files."""
    lines = "".join(f"{sha256}  {name}\n" for name, sha256 in sorted(files))
    return hashlib.sha256(lines.encode()).hexdigest()


UnitKey = tuple[int, str]
UnitMembers = Mapping[UnitKey, Mapping[str, Member]]


def manifest_member(members: Iterable[Member]) -> Member | None:
    return next((member for member in members if member.name == MANIFEST), None)


def group_by_unit(members: Iterable[Member]) -> UnitMembers:
    """The members of each (run, task) by file name, in order of run and task."""
    units: dict[UnitKey, dict[str, Member]] = {}
    for member in members:
        place = place_of(member.name)
        if place is not None:
            units.setdefault((place.run, place.task), {})[place.file] = member
    return dict(sorted(units.items()))


def read_units(
    grouped: UnitMembers, *, repair_limit: int | None, findings: Findings
) -> list[UnitFiles]:
    """Check every unit's files; units without a final patch are left out silently.

    ``repair_limit`` is None while the snapshot is unknown.
    """
    units = []
    for (run, task), files in grouped.items():
        _check_patches(files, findings)
        trajectory = _trajectory(files, findings)
        usage = _usage(files.get("usage.json"), repair_limit, findings)
        final_patch = files.get("final.patch")
        _check_usage(usage, files, findings)
        if final_patch is not None:
            units.append(
                UnitFiles(
                    run=run,
                    task=task,
                    final_patch=final_patch,
                    first_patch=files.get("first.patch"),
                    build_log=files.get("build.log"),
                    trajectory=trajectory,
                    usage=usage,
                )
            )
    return units


def _check_patches(files: Mapping[str, Member], findings: Findings) -> None:
    for name in PATCHES:
        member = files.get(name)
        if member is not None and member.size_bytes > MAX_PATCH_BYTES:
            findings.error(
                Code.PATCH_TOO_LARGE,
                member.name,
                saw=f"{member.size_bytes} bytes",
                fix=f"Keep a patch within {MAX_PATCH_BYTES} bytes; "
                "leave build products and other generated files out of it.",
            )


def _check_usage(usage: Usage, files: Mapping[str, Member], findings: Findings) -> None:
    """Warn of figures that the files beside them speak against."""
    first, final = files.get("first.patch"), files.get("final.patch")
    if usage.repair_rounds == 0 and first and final and first.sha256 != final.sha256:
        findings.warning(
            Code.USAGE_CONTRADICTS,
            f"{files['usage.json'].name}: repair_rounds",
            saw="0, and first.patch is not final.patch",
            fix="Give the rounds that led from one to the other, or leave first.patch "
            "out when it is no state before compile repair.",
        )
    if usage.total_tokens == 0 and final and final.size_bytes:
        findings.warning(
            Code.USAGE_CONTRADICTS,
            f"{files['usage.json'].name}: total_tokens",
            saw="0, and a patch that changes something",
            fix="Leave the field out when it was not measured; 0 means none were used.",
        )


def _trajectory(files: Mapping[str, Member], findings: Findings) -> Member | None:
    """The trajectory, unless it is empty, which is the same as none."""
    found = [files[name] for name in TRAJECTORIES if name in files]
    if len(found) > 1:
        findings.error(
            Code.TRAJECTORY_TWICE,
            found[1].name,
            saw=f"a second trajectory beside {found[0].name}",
            fix="Keep one of the two.",
        )
    return next((member for member in found if member.size_bytes), None)


def _usage(
    member: Member | None, repair_limit: int | None, findings: Findings
) -> Usage:
    if member is None:
        return NOT_REPORTED
    # A file far over the limit is not even loaded; the reader words the refusal.
    with member.path.open("rb") as stream:
        data = stream.read(LIMIT_BYTES + 1)
    try:
        return parse_usage(data, where=member.name, repair_limit=repair_limit)
    except UsageError as error:
        findings.extend(error.findings)
        return NOT_REPORTED
