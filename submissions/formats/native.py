"""The files of a native bundle in the making, and what they are made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from submissions.archive import Member
from submissions.archive.shapes import UNIT_FILE
from submissions.archive.spool import MemberError, Spool
from submissions.findings import Code, Findings, shown
from submissions.formats.places import Places
from submissions.manifest import Manifest, Origin, stated_by
from submissions.manifest_fields import Stated


@dataclass(frozen=True, slots=True)
class Converted:
    """The members of a native bundle, where each came from, how they came about."""

    members: list[Member]
    places: Places
    origin: Origin


@dataclass(slots=True)
class Sources:
    """What a conversion reads.

    ``shown_as`` holds the names under which the submitter knows the members, where
    those differ. ``manifest`` is None when it was refused; ``readable`` is then what
    is sound of it, by dotted name. ``task_digests`` are those of the snapshot, by slug.
    """

    members: Sequence[Member]
    manifest: Manifest | None = None
    shown_as: Mapping[str, str] = field(default_factory=dict)
    task_digests: Mapping[str, str] = field(default_factory=dict)
    readable: Stated = field(default_factory=dict)

    @property
    def stated(self) -> Stated:
        """What the manifest says, as far as it can be read."""
        return stated_by(self.manifest) if self.manifest else self.readable

    @property
    def run_count(self) -> int | None:
        return self.stated.get("run_configuration.runs")

    @property
    def benchmark(self) -> str | None:
        return self.stated.get("benchmark")

    def name(self, member_name: str) -> str:
        """The member's name for people; also that of a folder of members."""
        if member_name in self.shown_as:
            return self.shown_as[member_name]
        folder, slash, rest = member_name.partition("/")
        return self.shown_as.get(folder, folder) + slash + rest


class NativeFiles:
    """Collects the files of a bundle, in a spool, with the place each came from."""

    def __init__(self, spool: Spool, *, findings: Findings) -> None:
        self.spool = spool
        self.findings = findings
        self.places = Places()
        self.members: list[Member] = []

    def write(self, run: int, task: str, *, file: str, data: bytes, place: str) -> None:
        """Add a file with new content."""
        name = f"runs/{run}/{task}/{file}"
        try:
            member = self.spool.store(name, iter([data]))
        except MemberError as error:
            self.findings.error(error.code, place, saw=error.saw, fix=error.fix)
            return
        self._add(member, place)

    def carry(
        self, run: int, task: str, *, file: str, member: Member, place: str
    ) -> None:
        """Add a member of the upload as it is."""
        self._add(replace(member, name=f"runs/{run}/{task}/{file}"), place)

    def _add(self, member: Member, place: str) -> None:
        self.places.note(member.name, place)
        self.members.append(member)


def is_unit(run: int, task: str) -> bool:
    """Whether run and task can stand in the names of a bundle."""
    return UNIT_FILE.fullmatch(f"runs/{run}/{task}/final.patch") is not None


def task_of(name: str, *, benchmark: str | None) -> str | None:
    """The task's slug in ``slug`` or ``benchmark/slug``; None for another benchmark."""
    owner, _, slug = name.rpartition("/")
    if owner and benchmark is not None and owner != benchmark:
        return None
    return slug


def unknown_task(findings: Findings, where: str, name: object, fix: str) -> None:
    findings.error(Code.TASK_UNKNOWN, where, saw=f"the task {shown(name)}", fix=fix)
