"""Checking an upload that is given as names and contents."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from submissions.comparability import SnapshotFacts
from submissions.findings import Code, Finding, Report
from submissions.formats.bundle import Bundle, UnitFiles
from submissions.validation import validate
from tests.submissions.corpus.contents import FACTS
from tests.submissions.corpus.zips import Entry, write_zip


class Checked(NamedTuple):
    """What validation said of an upload."""

    bundle: Bundle | None
    report: Report

    @property
    def errors(self) -> set[Code]:
        return {each.code for each in self.report.errors}

    @property
    def warnings(self) -> set[Code]:
        return {each.code for each in self.report.warnings}

    def finding(self, code: Code) -> Finding:
        found = [each for each in self.report.findings if each.code == code]
        assert len(found) == 1, self.report.findings
        return found[0]

    def unit(self, run: int, task: str) -> UnitFiles:
        assert self.bundle is not None, self.report.errors
        return next(
            each for each in self.bundle.units if (each.run, each.task) == (run, task)
        )


def check_upload(
    files: Mapping[str, bytes], folder: Path, *, facts: SnapshotFacts | None = FACTS
) -> Checked:
    archive = folder / "upload.zip"
    archive.write_bytes(write_zip([Entry(name, data) for name, data in files.items()]))
    return Checked(
        *validate(
            archive,
            spool=folder / "spool",
            snapshot_for=lambda benchmark, version: facts,
            known_versions=["1.10"],
        )
    )
