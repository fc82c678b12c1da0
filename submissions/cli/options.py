"""Options and values that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit
from uuid import UUID

import click

from submissions.cli.client import Server
from submissions.cli.config import Config, is_exposed, load_config
from submissions.cli.errors import usage_error
from submissions.cli.output import note

Command = TypeVar("Command", bound=Callable[..., Any])

EXISTING = click.Path(exists=True, path_type=Path)
PATH = click.Path(path_type=Path)


def server_options(command: Command) -> Command:
    """``--server`` and ``--config``, handed over as ``config``."""
    for option in (
        click.option(
            "--config",
            "config_file",
            type=EXISTING,
            help="Settings file; without it ~/.config/ohbench/config.toml.",
        ),
        click.option(
            "--server", metavar="URL", help="The server; without it OHB_SERVER."
        ),
    ):
        command = option(command)
    return command


@contextmanager
def connected(config: Config, *, needs_token: bool = False) -> Iterator[Server]:
    """A server to talk to; warns where the token could be read on its way."""
    server = Server(config, needs_token=needs_token)
    if config.token and is_exposed(config.server):
        note(f"warning: {config.server} is not encrypted; others may read the token.")
    try:
        yield server
    finally:
        server.close()


def settings(server: str | None, config_file: Path | None) -> Config:
    return load_config(server=server, path=config_file)


def submission_id(text: str) -> UUID:
    """The UUID in itself or in the address of a submission's page."""
    last = urlsplit(text).path.rstrip("/").rpartition("/")[2]
    try:
        return UUID(last)
    except ValueError:
        raise usage_error(
            f"{text!r} is no submission. Give its UUID, as `ohbench submit` printed it."
        ) from None
