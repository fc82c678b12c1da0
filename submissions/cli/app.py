"""The command line itself: its commands, and how it ends."""

from __future__ import annotations

from collections.abc import Sequence

import click

from submissions.cli.commands.convert import convert
from submissions.cli.commands.download import download
from submissions.cli.commands.facts import facts
from submissions.cli.commands.follow import status, watch
from submissions.cli.commands.manifest import manifest
from submissions.cli.commands.submit import submit
from submissions.cli.commands.validate import validate
from submissions.cli.errors import CliError, ExitCode, FindingsExit
from submissions.cli.output import in_words, note, print_findings

_CODES = """
\b
Exit codes:
  0  all is well
  1  the upload has errors, or warnings that were not accepted; all are told
  2  wrong usage, settings or files
  3  no answer from the server, or trouble there
  4  no token, or one that may not do this
  5  no such submission, evaluation or snapshot
  6  the server refused: a quota, a limit, the wrong moment
  7  a download that does not match its checksums
  8  an evaluation that ended without a result, or waits for a maintainer
  130  interrupted
"""


@click.group(
    epilog=_CODES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 88},
)
@click.version_option(package_name="openharmony-bench", prog_name="ohbench")
def app() -> None:
    """Check, convert, submit and follow submissions to OpenHarmony Bench.

    The server comes from --server, OHB_SERVER or the settings file; the token from
    OHB_TOKEN or the settings file, ~/.config/ohbench/config.toml.
    """


for command in (
    validate,
    submit,
    status,
    watch,
    download,
    convert,
    manifest,
    facts,
):
    app.add_command(command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code, which the caller hands to the shell."""
    try:
        returned = app.main(
            None if arguments is None else list(arguments),
            prog_name="ohbench",
            standalone_mode=False,
        )
    except FindingsExit as error:
        print_findings(error.findings)
        note(f"{error.format_message()} ({in_words(error.findings)})")
        return error.code
    except CliError as error:
        error.show()
        return error.code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        note("Interrupted.")
        return ExitCode.INTERRUPTED
    # The code of Context.exit(); commands themselves return nothing.
    return returned if isinstance(returned, int) else ExitCode.OK
