"""Checking an upload: one pass, one report with everything that is to be said."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from submissions.archive import (
    MANIFEST,
    ArchiveError,
    ArchiveLimits,
    Member,
    open_bundle,
)
from submissions.comparability import (
    DEVIATIONS,
    SnapshotFacts,
    deviations,
    differences,
)
from submissions.findings import Code, Findings, Report, plain, shown
from submissions.formats import Shape, detect
from submissions.formats.bundle import (
    Bundle,
    group_by_unit,
    manifest_member,
    read_units,
)
from submissions.formats.convert import convert, with_origin
from submissions.formats.native import Sources
from submissions.formats.words import WORDS
from submissions.key_shapes import find_keys
from submissions.manifest import (
    LIMIT_BYTES,
    Manifest,
    ManifestError,
    Origin,
    parse_manifest,
    stated_by,
)
from submissions.manifest_fields import Stated
from submissions.patch_checks import check_patches
from submissions.unit_checks import check_trajectories, check_units

SnapshotLookup = Callable[[str, str], SnapshotFacts | None]


def validate(
    archive_path: Path,
    *,
    spool: Path,
    snapshot_for: SnapshotLookup,
    known_versions: Sequence[str],
    limits: ArchiveLimits | None = None,
) -> tuple[Bundle | None, Report]:
    """Read and check an uploaded archive; what is no bundle is made one on the way.

    ``snapshot_for`` takes benchmark and version; ``known_versions`` are the snapshots
    that take submissions, for the advice when another one was named. The bundle is
    None whenever the report has an error; its files lie in ``spool`` by their SHA-256.
    """
    findings = Findings()
    try:
        members = open_bundle(archive_path, spool=spool, limits=limits)
    except ArchiveError as error:
        findings.extend(error.findings)
        if not error.members:
            return None, Report(findings.all())
        members = error.members
    return check_members(
        members,
        findings=findings,
        spool=spool,
        snapshot_for=snapshot_for,
        known_versions=known_versions,
        limits=limits,
    )


def check_members(
    members: list[Member],
    *,
    findings: Findings,
    spool: Path,
    snapshot_for: SnapshotLookup,
    known_versions: Sequence[str] = (),
    limits: ArchiveLimits | None = None,
    shown_as: Mapping[str, str] | None = None,
) -> tuple[Bundle | None, Report]:
    """Check what is in an upload, wherever it was read from.

    ``findings`` holds what was noted while reading; ``shown_as`` are the names under
    which the submitter knows members, where those differ.
    """
    check = _Check(findings, snapshot_for, known_versions)
    bundle = check.bundle(members, spool=spool, limits=limits, shown_as=shown_as or {})
    report = Report(findings.all())
    return (bundle if report.ok else None), report


class _Check:
    """One upload under check; every step notes and goes on."""

    def __init__(
        self,
        findings: Findings,
        snapshot_for: SnapshotLookup,
        known_versions: Sequence[str],
    ) -> None:
        self.findings = findings
        self.snapshot_for = snapshot_for
        self.known_versions = known_versions

    def bundle(
        self,
        members: list[Member],
        *,
        spool: Path,
        limits: ArchiveLimits | None,
        shown_as: Mapping[str, str],
    ) -> Bundle | None:
        shape = detect(members)
        manifest, stated = self.manifest(members)
        snapshot = self.snapshot(stated)
        if stated.get("mode") == "configuration":
            return self.configuration(members, manifest)
        if shape is not Shape.BUNDLE:
            digests = snapshot.task_digests if snapshot else {}
            converted = convert(
                shape,
                Sources(
                    members,
                    manifest,
                    shown_as,
                    task_digests=digests,
                    readable=stated,
                ),
                spool=spool,
                findings=self.findings,
                limits=limits,
            )
            members = converted.members
            manifest = manifest and with_origin(manifest, converted.origin)
            if snapshot:
                self.deviations(converted.origin, snapshot)
            # From here on the files are ours; places are those of the upload.
            self.findings.place = converted.places.original
        words = WORDS[shape]
        grouped = group_by_unit(members)
        if snapshot is not None:
            check_units(grouped, snapshot, findings=self.findings, words=words)
        units = read_units(
            grouped,
            repair_limit=snapshot.repair_limit if snapshot else None,
            findings=self.findings,
        )
        check_trajectories(
            units,
            asked_for=snapshot is not None and snapshot.asks_for_trajectories,
            findings=self.findings,
            words=words,
        )
        check_patches(units, snapshot, findings=self.findings)
        self.keys(members)
        return Bundle(manifest, units, tuple(members)) if manifest else None

    def configuration(
        self, members: list[Member], manifest: Manifest | None
    ) -> Bundle | None:
        """A bundle whose work is still to be done: there is nothing but a manifest."""
        others = [each.name for each in members if each.name != MANIFEST]
        if others:
            self.findings.error(
                Code.CONFIGURATION_FILES,
                others[0],
                saw=f"{len(others)} files beside the manifest of a configuration",
                fix='Leave them out: with mode "configuration" the agent is run here. '
                'To hand in finished work, give "workspaces" as the mode.',
            )
        self.keys(members)
        return Bundle(manifest, [], tuple(members)) if manifest else None

    def manifest(self, members: list[Member]) -> tuple[Manifest | None, Stated]:
        """The manifest if it is sound, and what can be read of it in any case."""
        member = manifest_member(members)
        if member is None:
            self.findings.error(
                Code.MANIFEST_MISSING,
                MANIFEST,
                saw="no such file in the archive",
                fix="Put manifest.json at the top of the archive.",
            )
            return None, {}
        with member.path.open("rb") as stream:
            data = stream.read(LIMIT_BYTES + 1)
        try:
            manifest = parse_manifest(data)
        except ManifestError as error:
            self.findings.extend(error.findings)
            return None, error.readable
        return manifest, stated_by(manifest)

    def snapshot(self, stated: Stated) -> SnapshotFacts | None:
        """The snapshot meant by the manifest; notes where the two differ.

        None as well where the manifest does not tell which one it means.
        """
        benchmark, version = stated.get("benchmark"), stated.get("benchmark_version")
        if benchmark is None or version is None:
            return None
        snapshot = self.snapshot_for(benchmark, version)
        if snapshot is None:
            self.findings.error(
                Code.SNAPSHOT_UNKNOWN,
                f"{MANIFEST}: benchmark_version",
                saw=f"{plain(benchmark)} {plain(version)}",
                fix=self.open_ones(),
            )
            return None
        if not snapshot.takes_submissions:
            self.findings.error(
                Code.SNAPSHOT_CLOSED,
                f"{MANIFEST}: benchmark_version",
                saw=f"{plain(version)}, which is frozen",
                fix=self.open_ones(),
            )
        for difference in differences(stated, snapshot):
            self.difference(*difference, snapshot.refused_differences)
        return snapshot

    def deviations(self, origin: Origin, snapshot: SnapshotFacts) -> None:
        """What the conversion noted is told by it; here it may be refused as well."""
        if DEVIATIONS in snapshot.refused_differences:
            for each in deviations(origin):
                self.difference(*each, snapshot.refused_differences)

    def open_ones(self) -> str:
        known = ", ".join(self.known_versions) or "none at present"
        return f"Name a snapshot that takes submissions: {known}."

    def difference(
        self, field: str, submitted: object, expected: object, refused: Sequence[str]
    ) -> None:
        where = f"{MANIFEST}: {field}"
        saw = f"{shown(submitted)}, and the snapshot has {shown(expected)}"
        if field == "run_configuration.runs":
            self.findings.error(
                Code.RUN_COUNT,
                where,
                saw=shown(submitted),
                fix=f"Give {expected}: the snapshot asks for {expected} runs.",
            )
        elif field in refused:
            self.findings.error(
                Code.SNAPSHOT_REFUSES,
                where,
                saw=saw,
                fix=f"This snapshot takes only {shown(expected)} here: measure again "
                "under its conditions.",
            )
        else:
            self.findings.warning(
                Code.SNAPSHOT_DIFFERS,
                where,
                saw=saw,
                fix="Correct it if it is a slip; as it stands the results are shown "
                "apart and not ranked with the snapshot's.",
            )

    def keys(self, members: list[Member]) -> None:
        seen: set[str] = set()
        for member in members:
            if member.sha256 in seen:
                continue
            seen.add(member.sha256)
            for kind, line, masked in find_keys(member.path):
                self.findings.error(
                    Code.SECRET,
                    f"{member.name}:{line}",
                    saw=f"what looks like a {kind}, {masked}",
                    fix="Remove it and revoke the key: uploads become public.",
                )
