"""Keeping the facts of a snapshot, to check bundles without a network."""

from __future__ import annotations

from pathlib import Path

import click

from submissions.cli.errors import CliError, ExitCode
from submissions.cli.facts import ServerFacts, write_facts
from submissions.cli.options import PATH, connected, server_options, settings
from submissions.cli.output import say


@click.command()
@click.argument("version")
@click.option("--benchmark", default="openharmony-bench", show_default=True)
@click.option("--out", type=PATH, required=True, help="The file to write.")
@server_options
def facts(
    version: str,
    *,
    benchmark: str,
    out: Path,
    server: str | None,
    config_file: Path | None,
) -> None:
    """Write what snapshot VERSION asks for to a file, for `validate --facts`."""
    with connected(settings(server, config_file)) as connection:
        lookup = ServerFacts(connection)
        found = lookup(benchmark, version)
        if found is None:
            known = ", ".join(lookup.open_versions()) or "none"
            raise CliError(
                f"There is no snapshot {version!r} of {benchmark!r}. Those that take "
                f"submissions: {known}.",
                ExitCode.NOT_FOUND,
            )
    write_facts(found, out)
    say(f"Wrote {out}: {len(found.task_slugs)} tasks, {found.runs} runs.")
