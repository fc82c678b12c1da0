"""The command `ohbench`: check, convert, submit and follow submissions from anywhere.

It needs the formats and the checks of this app, and neither Django nor a database.
"""

from __future__ import annotations

from submissions.cli.app import main

__all__ = ["main"]
