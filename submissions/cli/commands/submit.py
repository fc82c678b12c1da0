"""Submitting a bundle."""

from __future__ import annotations

from pathlib import Path

import click

from submissions.cli.bundles import as_archive
from submissions.cli.commands.follow import follow
from submissions.cli.commands.validate import check_with
from submissions.cli.errors import FindingsExit, told
from submissions.cli.options import (
    EXISTING,
    connected,
    server_options,
    settings,
    submission_id,
)
from submissions.cli.output import note, print_findings, say
from submissions.cli.uploading import SUBMIT, upload


@click.command()
@click.argument("path", type=EXISTING)
@click.option(
    "--no-check", is_flag=True, help="Leave the check to the server; upload at once."
)
@click.option("--team", help="The slug of a team of yours that is to own it.")
@click.option(
    "--accept-warnings",
    is_flag=True,
    help="Submit although the check has warnings, which you have read.",
)
@click.option(
    "--copy-of",
    metavar="UUID",
    help="The submission of yours from whose manifest this one was begun.",
)
@click.option("--watch", "watching", is_flag=True, help="Then follow the evaluation.")
@server_options
def submit(
    path: Path,
    *,
    no_check: bool,
    team: str | None,
    accept_warnings: bool,
    copy_of: str | None,
    watching: bool,
    server: str | None,
    config_file: Path | None,
) -> None:
    """Check PATH, upload it, and have it evaluated. The last word printed is its UUID.

    PATH is a bundle, prediction files or Harbor jobs, as archive or folder.
    """
    config = settings(server, config_file)
    with connected(config, needs_token=True) as connection, as_archive(path) as bundle:
        # What cannot be packed is missing in the archive: the server would not see it.
        found = told(bundle.findings) if no_check else check_with(connection, bundle)
        if any(each.severity == "error" for each in found):
            raise FindingsExit("Nothing was uploaded.", found)
        if found and not accept_warnings:
            raise FindingsExit(
                "Nothing was uploaded. Read the warnings; to submit all the same, add "
                "--accept-warnings.",
                found,
            )
        print_findings(found)
        form = {"team": team, "copy_of": copy_of and str(submission_id(copy_of))}
        if accept_warnings:
            form["accept_warnings"] = "true"
        answer = upload(connection, SUBMIT, bundle.archive, **form)
        note(f"Follow it at {answer.get('url', '')}")
        say(f"Submitted to {answer.get('snapshot', '')}: {answer['id']}")
        if watching:
            follow(connection, answer["id"])
