"""Turning prediction files or Harbor jobs into a native bundle."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from submissions.archive import MANIFEST, Member, place_of
from submissions.archive.folder import write_zip
from submissions.archive.shapes import Shape
from submissions.cli.config import Config
from submissions.cli.errors import FindingsExit, told, usage_error
from submissions.cli.facts import ServerFacts, lookup_in, read_facts
from submissions.cli.options import EXISTING, PATH, connected, server_options, settings
from submissions.cli.output import in_words, note, print_findings, say
from submissions.cli.sources import Gathered, gather
from submissions.comparability import SnapshotFacts
from submissions.findings import Findings
from submissions.formats.bundle import Bundle
from submissions.formats.convert import convert as convert_members
from submissions.formats.native import Sources
from submissions.manifest import LIMIT_BYTES, Manifest, ManifestError, parse_manifest
from submissions.validation import SnapshotLookup, check_members


@click.command()
@click.argument("kind", type=click.Choice(["predictions", "harbor"]))
@click.argument("sources", type=EXISTING, nargs=-1, required=True)
@click.option(
    "--manifest",
    "manifest_file",
    type=EXISTING,
    required=True,
    help="What was run, with what; /submit/manifest.json on the server is a template.",
)
@click.option("--out", type=PATH, required=True, help="The bundle to write, a .zip.")
@click.option(
    "--facts", "facts_file", type=EXISTING, help="Written by `ohbench facts`."
)
@server_options
def convert(
    kind: str,
    sources: tuple[Path, ...],
    *,
    manifest_file: Path,
    out: Path,
    facts_file: Path | None,
    server: str | None,
    config_file: Path | None,
) -> None:
    """Write a bundle made of SOURCES, which are checked on the way.

    \b
    predictions  one file a run, in the order of the runs (.jsonl or .json)
    harbor       one job folder a run, or one job with several attempts a task

    Tasks are compared with the snapshot where --server or --facts is given.
    """
    if out.exists():
        raise usage_error(f"{out} exists already. Name another file.")
    if out.suffix != ".zip" or not out.parent.is_dir():
        raise usage_error(f"{out} must end in .zip and lie in a folder that exists.")
    shape = Shape(kind)
    manifest = _manifest(manifest_file)
    config = settings(server, config_file)
    with TemporaryDirectory(prefix="ohbench-") as folder:
        spool = Path(folder, "spool")
        gathered = gather(shape, sources, spool=spool)
        gathered.members.insert(0, _manifest_member(manifest_file))
        with _lookup(config, facts_file) as lookup:
            bundle, report = check_members(
                gathered.members,
                findings=Findings(),
                spool=spool,
                snapshot_for=lookup or _own_tasks(shape, manifest, gathered, spool),
                shown_as=gathered.shown_as,
            )
        found = told(report.findings)
        if bundle is None:
            raise FindingsExit("No bundle was written.", found)
        print_findings(found)
        _write(bundle, out)
    say(f"Wrote {out}: {len(bundle.units)} task runs; {in_words(found)}.")


def _manifest(path: Path) -> Manifest:
    with path.open("rb") as stream:
        data = stream.read(LIMIT_BYTES + 1)
    try:
        return parse_manifest(data, where=str(path))
    except ManifestError as error:
        raise FindingsExit(
            f"{path} is no valid manifest.", told(error.findings)
        ) from None


def _manifest_member(path: Path) -> Member:
    data = path.read_bytes()
    return Member(MANIFEST, len(data), hashlib.sha256(data).hexdigest(), path)


@contextmanager
def _lookup(config: Config, facts_file: Path | None) -> Iterator[SnapshotLookup | None]:
    """Where to look the snapshot up; None where neither file nor server is named."""
    if facts_file is not None:
        yield lookup_in(read_facts(facts_file))
    elif config.server:
        with connected(config) as connection:
            yield ServerFacts(connection)
    else:
        note("Tasks are not compared with a snapshot: give --server or --facts.")
        yield None


def _own_tasks(
    shape: Shape, manifest: Manifest, gathered: Gathered, spool: Path
) -> SnapshotLookup:
    """A snapshot as the manifest says, of the tasks that any run of the sources has."""
    converted = convert_members(
        shape,
        Sources(gathered.members, manifest, gathered.shown_as),
        spool=spool,
        findings=Findings(),
    )
    places = (place_of(member.name) for member in converted.members)
    facts = SnapshotFacts(
        benchmark=manifest.benchmark,
        benchmark_version=manifest.benchmark_version,
        task_snapshot_date=manifest.task_snapshot_date,
        evaluation_scripts=manifest.evaluation_scripts,
        agent_name=None,
        agent_version=None,
        sdk=manifest.sdk,
        toolchain=manifest.toolchain,
        device_profile=manifest.device_profile,
        runs=manifest.run_configuration.runs,
        repair_limit=manifest.run_configuration.repair_limit,
        task_slugs=tuple(sorted({place.task for place in places if place})),
    )
    return lookup_in(facts)


def _write(bundle: Bundle, out: Path) -> None:
    members = sorted(bundle.members, key=lambda member: member.name)
    write_zip(out, ((member.name, member.path) for member in members))
