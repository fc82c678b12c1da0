"""Checking a bundle, here or on the server."""

from __future__ import annotations

from pathlib import Path

import click

from submissions.cli.bundles import LocalBundle, as_archive, checked
from submissions.cli.client import Server
from submissions.cli.config import Config
from submissions.cli.errors import ExitCode, FindingsExit, Told, usage_error
from submissions.cli.facts import ServerFacts, lookup_in, read_facts
from submissions.cli.options import EXISTING, connected, server_options, settings
from submissions.cli.output import (
    as_document,
    in_words,
    print_findings,
    print_json,
    say,
)
from submissions.cli.uploading import VALIDATE, upload


@click.command()
@click.argument("path", type=EXISTING)
@click.option(
    "--facts",
    "facts_file",
    type=EXISTING,
    help="What the snapshot asks for, written by `ohbench facts`: no network needed.",
)
@click.option(
    "--remote",
    is_flag=True,
    help="Have the server check as well; it stores nothing and counts nothing.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@server_options
@click.pass_context
def validate(
    context: click.Context,
    path: Path,
    *,
    facts_file: Path | None,
    remote: bool,
    as_json: bool,
    server: str | None,
    config_file: Path | None,
) -> None:
    """Check PATH: a bundle, prediction files or Harbor jobs, as archive or folder.

    The same checks run here as on the server. All faults are told at once.
    """
    if facts_file is not None and remote:
        raise usage_error("Give --facts or --remote, not both.")
    config = settings(server, config_file)
    with as_archive(path) as bundle:
        if facts_file is not None:
            known = read_facts(facts_file)
            found = checked(
                bundle,
                snapshot_for=lookup_in(known),
                known_versions=[known.benchmark_version],
            )
        else:
            found = _with_server(config, bundle, remote=remote)
    _tell(path, found, as_json=as_json)
    if any(each.severity == "error" for each in found):
        context.exit(ExitCode.FINDINGS)


def _with_server(config: Config, bundle: LocalBundle, *, remote: bool) -> list[Told]:
    with connected(config, needs_token=remote) as connection:
        found = check_with(connection, bundle)
        if remote and not any(each.severity == "error" for each in found):
            found = _remote(connection, bundle.archive)
    return found


def check_with(connection: Server, bundle: LocalBundle) -> list[Told]:
    """Check a bundle here, against what the server knows of its snapshot."""
    lookup = ServerFacts(connection)
    return checked(bundle, snapshot_for=lookup, known_versions=lookup.open_versions())


def _remote(connection: Server, archive: Path) -> list[Told]:
    try:
        answer = upload(connection, VALIDATE, archive)
    except FindingsExit as refusal:
        return list(refusal.findings)
    warnings = answer.get("warnings")
    return [
        Told("warning", *(str(each.get(name, "")) for name in Told._fields[1:]))
        for each in (warnings if isinstance(warnings, list) else [])
        if isinstance(each, dict)
    ]


def _tell(path: Path, found: list[Told], *, as_json: bool) -> None:
    if as_json:
        print_json(as_document(found))
        return
    print_findings(found)
    say(f"{path}: {in_words(found)}.")
