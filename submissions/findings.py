"""What is wrong with an upload, in one shape for page, API and command line."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

Severity = Literal["error", "warning"]

LISTED_PER_CODE = 25
SHOWN_CHARACTERS = 80


class Code(StrEnum):
    """The closed list of findings. Scripts rely on the values; they never change."""

    ARCHIVE_FORMAT = "archive-format"
    ARCHIVE_TRUNCATED = "archive-truncated"
    ARCHIVE_CORRUPT = "archive-corrupt"
    ARCHIVE_TOO_LARGE = "archive-too-large"
    ARCHIVE_TOO_MANY_ENTRIES = "archive-too-many-entries"
    ARCHIVE_RATIO = "archive-ratio"
    ARCHIVE_EXTRA_DATA = "archive-extra-data"
    ARCHIVE_OVERLAP = "archive-overlap"
    ARCHIVE_HEADER_MISMATCH = "archive-header-mismatch"
    ARCHIVE_FEATURE = "archive-feature"
    MEMBER_NAME = "member-name"
    MEMBER_DUPLICATE = "member-duplicate"
    MEMBER_KIND = "member-kind"
    MEMBER_ENCRYPTED = "member-encrypted"
    MEMBER_COMPRESSION = "member-compression"
    MEMBER_SIZE = "member-size"
    MEMBER_TOO_LARGE = "member-too-large"

    JSON_TOO_LARGE = "json-too-large"
    JSON_ENCODING = "json-encoding"
    JSON_SYNTAX = "json-syntax"
    JSON_DEPTH = "json-depth"
    JSON_DUPLICATE_KEY = "json-duplicate-key"
    JSON_NUMBER = "json-number"
    JSON_STRING = "json-string"

    MANIFEST_MISSING = "manifest-missing"
    MANIFEST_FIELD_MISSING = "manifest-field-missing"
    MANIFEST_FIELD_UNKNOWN = "manifest-field-unknown"
    MANIFEST_FIELD_INVALID = "manifest-field-invalid"

    SNAPSHOT_UNKNOWN = "snapshot-unknown"
    SNAPSHOT_CLOSED = "snapshot-closed"
    SNAPSHOT_DIFFERS = "snapshot-differs"
    SNAPSHOT_REFUSES = "snapshot-refuses"
    RUN_COUNT = "run-count"
    RUN_NUMBER = "run-number"
    TASK_UNKNOWN = "task-unknown"
    TASK_RUN_MISSING = "task-run-missing"
    PATCH_TOO_LARGE = "patch-too-large"
    PATCH_HOSTILE = "patch-hostile"
    PATCH_LINK = "patch-link"
    PATCH_DOES_NOT_APPLY = "patch-does-not-apply"
    USAGE_INVALID = "usage-invalid"
    USAGE_CONTRADICTS = "usage-contradicts"
    TRAJECTORY_MISSING = "trajectory-missing"
    TRAJECTORY_TWICE = "trajectory-twice"
    TRAJECTORY_REPEATED = "trajectory-repeated"
    PREDICTION_INVALID = "prediction-invalid"
    PREDICTION_DUPLICATE = "prediction-duplicate"
    PREDICTION_MODEL = "prediction-model"
    PREDICTION_NULL = "prediction-null"
    HARBOR_JOBS = "harbor-jobs"
    HARBOR_FILE = "harbor-file"
    HARBOR_UNFINISHED = "harbor-unfinished"
    HARBOR_AGENT = "harbor-agent"
    HARBOR_SETTING = "harbor-setting"
    HARBOR_EXCEPTION = "harbor-exception"
    HARBOR_RETRIES = "harbor-retries"
    HARBOR_REGRADE = "harbor-regrade"
    HARBOR_DIGEST = "harbor-digest"
    HARBOR_RUN_ORDER = "harbor-run-order"
    DUPLICATE = "duplicate"
    QUOTA_MONTH = "quota-month"
    QUOTA_RUNNING = "quota-running"
    SANDBOX_MISSING = "sandbox-missing"
    CONFIGURATION_FILES = "configuration-files"
    AGENT_NOT_OFFERED = "agent-not-offered"
    MODEL_NOT_OFFERED = "model-not-offered"
    SCRIPTED_MODEL = "scripted-model"
    WARNINGS_UNACCEPTED = "warnings-unaccepted"
    SECRET = "secret"  # noqa: S105 - the name of a finding, not a password


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to correct: the place, what stands there, and how to put it right."""

    code: Code
    where: str
    saw: str
    fix: str
    severity: Severity = "error"

    def as_dict(self) -> dict[str, str]:
        return {
            "code": self.code.value,
            "where": self.where,
            "saw": self.saw,
            "fix": self.fix,
        }


class FindingsError(ValueError):
    """Something uploaded was refused; ``findings`` says everything that was seen."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__(
            "; ".join(f"{each.where}: {each.saw}. {each.fix}" for each in self.findings)
        )


@dataclass(slots=True)
class Findings:
    """Collects findings; lists the first of each code and counts the rest.

    The limit keeps the report of an archive with 20,000 bad names readable.
    """

    listed: list[Finding] = field(default_factory=list)
    counts: Counter[Code] = field(default_factory=Counter)
    error_count: int = 0
    # Gives places the names that the submitter knows, where files were converted.
    place: Callable[[str], str] = str

    def add(self, finding: Finding) -> None:
        finding = replace(finding, where=self.place(finding.where))
        self.counts[finding.code] += 1
        if finding.severity == "error":
            self.error_count += 1
        if self.counts[finding.code] <= LISTED_PER_CODE:
            self.listed.append(finding)

    def extend(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            self.add(finding)

    def error(self, code: Code, where: str, *, saw: str, fix: str) -> None:
        self.add(Finding(code, where, saw, fix))

    def warning(self, code: Code, where: str, *, saw: str, fix: str) -> None:
        self.add(Finding(code, where, saw, fix, severity="warning"))

    def all(self) -> tuple[Finding, ...]:
        """The listed findings, each cut code closed by one line with the rest."""
        severity = {each.code: each.severity for each in self.listed}
        rest = [
            Finding(
                code,
                "the whole upload",
                f"{count - LISTED_PER_CODE} more findings of this kind",
                "Correct the listed ones first; the others are likely the same.",
                severity=severity[code],
            )
            for code, count in self.counts.items()
            if count > LISTED_PER_CODE
        ]
        return (*self.listed, *rest)


@dataclass(frozen=True, slots=True)
class Report:
    """The result of checking one upload."""

    findings: tuple[Finding, ...] = ()

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(each for each in self.findings if each.severity == "error")

    @property
    def ours(self) -> bool:
        """Whether nothing is wrong with the bundle, only with this installation."""
        codes = {each.code for each in self.errors}
        return codes == {Code.SANDBOX_MISSING}

    @property
    def warnings(self) -> tuple[Finding, ...]:
        return tuple(each for each in self.findings if each.severity == "warning")

    @property
    def ok(self) -> bool:
        """Whether the upload may be accepted, once its warnings are ticked."""
        return not self.errors

    @property
    def warnings_digest(self) -> str:
        """Names exactly these warnings: a tick counts for what was read."""
        text = json.dumps([each.as_dict() for each in self.warnings])
        return hashlib.sha256(text.encode()).hexdigest()

    def is_ticked(self, tick: bool | str) -> bool:
        """Whether no warning is left that ``tick`` does not accept.

        True accepts whatever there is, a digest the warnings of that digest.
        """
        return not self.warnings or tick is True or tick == self.warnings_digest

    def as_dict(self) -> dict[str, list[dict[str, str]]]:
        return {
            "errors": [each.as_dict() for each in self.errors],
            "warnings": [each.as_dict() for each in self.warnings],
        }


def shown(value: object, *, limit: int = SHOWN_CHARACTERS) -> str:
    """Quote an uploaded value for a message: one line, no control characters, cut.

    Bidirectional controls and everything else that does not print is escaped, so
    that a message cannot be rearranged by what it quotes.

    >>> shown("a\\nb")
    '"a\\\\nb"'
    """
    match value:
        case str():
            return f'"{plain(value, limit=limit)}"'
        case bytes():
            return shown(value.decode("utf-8", "backslashreplace"), limit=limit)
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case dict():
            return f"an object with {len(value)} fields"
        case list():
            return f"a list with {len(value)} items"
        case _:
            return plain(str(value), limit=limit)


def plain(text: str, *, limit: int = SHOWN_CHARACTERS) -> str:
    """``text`` without quotes around it, escaped and cut as in ``shown``."""
    cut = text[:limit]
    escaped = "".join(
        char
        if char.isprintable()
        else char.encode("unicode_escape", "surrogatepass").decode("ascii")
        for char in cut
    )
    return escaped + ("…" if len(text) > limit else "")
