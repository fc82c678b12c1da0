"""Taking the manifest of a submission, to begin another bundle from it."""

from __future__ import annotations

import json
from pathlib import Path

import click

from submissions.cli.errors import usage_error
from submissions.cli.options import (
    PATH,
    connected,
    server_options,
    settings,
    submission_id,
)
from submissions.cli.output import note, say


@click.command()
@click.argument("uuid")
@click.option(
    "--out",
    type=PATH,
    default=Path("manifest.json"),
    show_default=True,
    help="The file to write; one that is there is left alone.",
)
@server_options
def manifest(
    uuid: str, *, out: Path, server: str | None, config_file: Path | None
) -> None:
    """Write the manifest of the submission UUID to a file, to begin another from it."""
    found = submission_id(uuid)
    if out.exists():
        raise usage_error(f"{out} exists already. Name another file with --out.")
    with connected(settings(server, config_file), needs_token=True) as connection:
        document = connection.get(f"/submissions/{found}/manifest/")
    text = json.dumps(document, indent=2, ensure_ascii=False)
    out.write_text(f"{text}\n", "utf-8")
    note(f"Link the new submission to it with: ohbench submit PATH --copy-of {found}")
    say(f"Wrote {out}.")
