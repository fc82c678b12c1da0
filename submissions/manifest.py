"""The manifest of a submission: what was run, with what, and whom to ask.

The fields follow the reproducibility requirements of the benchmark. All are required
unless they have a default, and unknown ones are refused: a misspelled optional field
would otherwise be lost without a word.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
)

from submissions import strict_json
from submissions.archive import MANIFEST
from submissions.findings import Finding, Findings, FindingsError
from submissions.manifest_fields import Stated, readable_in, stated_in
from submissions.manifest_findings import findings_of

SCHEMA_VERSION = 1
LIMIT_BYTES = 256 * 1024

# What JSON Schema can say of the checks below; it is enforced by them.
_ONE_LINE_PATTERN = r"^\S(?:[^\u0000-\u001f\u007f]*\S)?$"
_EMAIL = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _(text: str) -> str:
    """Marks a text for the translations; here and on the command line it is English."""
    return text


class ManifestError(FindingsError):
    """The manifest is refused; every field at fault has a finding of its own.

    ``readable`` holds the values of the sound fields, by dotted name.
    """

    def __init__(
        self, findings: Iterable[Finding], *, readable: Stated | None = None
    ) -> None:
        super().__init__(findings)
        self.readable: Stated = readable or {}


def _one_line(value: str) -> str:
    """Text that shows as it is: one line, composed, no spaces around it."""
    if not value.isprintable():
        raise ValueError(_("one line of text without control or invisible characters"))
    return _tidy(value)


def _tidy(value: str) -> str:
    if value != value.strip():
        raise ValueError(_("text without spaces at its ends"))
    if value != unicodedata.normalize("NFC", value):
        raise ValueError(_("text in composed form (Unicode NFC)"))
    return value


def _lines(value: str) -> str:
    if not value.replace("\n", "").isprintable():
        raise ValueError(_("text without control or invisible characters"))
    return value


def _this_version(value: object) -> object:
    # True equals 1 in Python, but it is another value in JSON.
    if type(value) is not int:
        raise ValueError(f"the number {SCHEMA_VERSION}")
    return value


def _email(value: str) -> str:
    if _EMAIL.fullmatch(value) is None:
        raise ValueError(_("an e-mail address"))
    return value


def _iso_date(value: object) -> date:
    if not isinstance(value, str) or _DATE.fullmatch(value) is None:
        raise ValueError(_("a date written YYYY-MM-DD"))
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise ValueError(_("a day that exists, written YYYY-MM-DD")) from None


_OneLine = (
    AfterValidator(_one_line),
    Field(json_schema_extra={"pattern": _ONE_LINE_PATTERN}),
)
# The lengths are those of the columns that keep the values.
Text40 = Annotated[str, Field(min_length=1, max_length=40), *_OneLine]
Text50 = Annotated[str, Field(min_length=1, max_length=50), *_OneLine]
Text60 = Annotated[str, Field(min_length=1, max_length=60), *_OneLine]
Text80 = Annotated[str, Field(min_length=1, max_length=80), *_OneLine]
Text100 = Annotated[str, Field(min_length=1, max_length=100), *_OneLine]
Text120 = Annotated[str, Field(min_length=1, max_length=120), *_OneLine]
Text200 = Annotated[str, Field(min_length=1, max_length=200), *_OneLine]
Notes = Annotated[str, Field(max_length=4000), AfterValidator(_lines)]
Email = Annotated[
    str,
    Field(max_length=254, json_schema_extra={"pattern": f"^{_EMAIL.pattern}$"}),
    AfterValidator(_email),
]
IsoDate = Annotated[
    date,
    BeforeValidator(_iso_date),
    WithJsonSchema({"type": "string", "format": "date"}),
]
RunOrder = Literal["as given", "by start of the job", "assigned by start order"]
Tokens = Annotated[int, Field(ge=0, le=10**9)]


class Part(BaseModel):
    """A strict object: no unknown fields, no conversion between types."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, allow_inf_nan=False
    )


class Agent(Part):
    name: Text80 = Field(description=_("the coding agent"), examples=["DevEco Code"])
    version: Text40 = Field(
        description=_("the agent's version"), examples=["0.1.0-1.3"]
    )


class Model(Part):
    identifier: Text100 = Field(
        description=_("the model as its provider names it"), examples=["sample-model-a"]
    )
    provider: Text100 = Field(
        description=_("who serves the model"), examples=["Sample Lab"]
    )
    family: Text60 | None = Field(
        default=None, description=_("the model family"), examples=["Sample"]
    )


class RunParameters(Part):
    temperature: float = Field(
        ge=0, le=10, description=_("the sampling temperature"), examples=[0]
    )
    context_window_tokens: Tokens = Field(
        description=_("the size of the context window"), examples=[200000]
    )
    reasoning_budget_tokens: Tokens = Field(
        description=_("the most tokens spent on reasoning"), examples=[65500]
    )


class RunConfiguration(Part):
    runs: int = Field(
        ge=1, le=99, description=_("the number of independent runs"), examples=[3]
    )
    repair_limit: int = Field(
        ge=0, le=100, description=_("the most compile repair rounds"), examples=[5]
    )


class ExecutionEnvironment(Part):
    operating_system: Text200 = Field(
        description=_("where the agent ran"), examples=["Ubuntu 24.04"]
    )
    hardware: Text200 = Field(
        description=_("what it ran on"), examples=["16 cores, 64 GB of memory"]
    )
    notes: Notes = Field(default="", description=_("anything else worth knowing"))


class Contact(Part):
    name: Text200 = Field(description=_("whom to ask"), examples=["A. Person"])
    email: Email = Field(
        description=_("where to write"), examples=["person@example.org"]
    )


class Origin(Part):
    """What the bundle was made from; written by the conversion, not by hand.

    ``deviations`` name what speaks against comparing the result with others,
    ``remarks`` what a reviewer should know.
    """

    format: Literal["predictions", "harbor"] = Field(
        description=_("the format before the conversion"), examples=["harbor"]
    )
    run_order: RunOrder = Field(
        description=_("how the runs got their numbers"), examples=["as given"]
    )
    deviations: list[Text200] = Field(
        default=[], max_length=50, description=_("settings that break comparability")
    )
    remarks: list[Text200] = Field(
        default=[], max_length=50, description=_("anything a reviewer should know")
    )


class Manifest(Part):
    """The whole manifest. Versions are text: "1.10" is not 1.1."""

    schema_version: Annotated[Literal[1], BeforeValidator(_this_version)] = Field(
        description=_("the version of this format"), examples=[SCHEMA_VERSION]
    )
    mode: Literal["workspaces", "configuration"] = Field(
        description=_(
            "what is handed in: patches of finished workspaces, or a configuration "
            "whose agent is run here"
        ),
        examples=["workspaces"],
    )
    benchmark: Text50 = Field(
        description=_("the benchmark's short name"), examples=["openharmony-bench"]
    )
    benchmark_version: Text40 = Field(
        description=_("the version of the benchmark"), examples=["demo-0.1"]
    )
    task_snapshot_date: IsoDate = Field(
        description=_("the date of the task snapshot"), examples=["2026-11-01"]
    )
    evaluation_scripts: Text80 = Field(
        description=_("the evaluation-script snapshot"), examples=["demo-0.1"]
    )
    agent: Agent = Field(description=_("the coding agent and its version"))
    model: Model = Field(description=_("the model behind the agent"))
    sdk: Text40 = Field(description=_("the OpenHarmony SDK"), examples=["API 23"])
    toolchain: Text80 = Field(
        description=_("the build toolchain"), examples=["Simulated DevEco 6.1"]
    )
    device_profile: Text120 = Field(
        description=_("the device profile"), examples=["Simulated Pura 90 Pro Max"]
    )
    run_parameters: RunParameters = Field(description=_("the model's parameters"))
    run_configuration: RunConfiguration = Field(
        description=_("number of runs and limit of repair rounds")
    )
    execution_environment: ExecutionEnvironment = Field(
        description=_("the machine on which the agent ran")
    )
    contact: Contact = Field(description=_("whom to ask about this submission"))
    origin: Origin | None = Field(
        default=None, description=_("what the bundle was converted from, if it was")
    )


def parse_manifest(data: bytes, *, where: str = MANIFEST) -> Manifest:
    """Read a manifest; ``ManifestError`` tells every fault at once."""
    findings = Findings()
    replaced: frozenset[strict_json.Path] = frozenset()
    try:
        value = strict_json.loads(data, where=where, limit_bytes=LIMIT_BYTES)
    except strict_json.StrictJsonError as error:
        if not error.is_whole:
            raise ManifestError(error.findings) from None
        findings.extend(error.findings)
        value, replaced = error.value, error.replaced
    try:
        manifest = Manifest.model_validate(value)
    except ValidationError as error:
        told = findings_of(error, Manifest, where=where, told_already=replaced)
        findings.extend(told)
    else:
        if not findings.error_count:
            return manifest
    readable = dict(readable_in(value, Manifest))
    for path in replaced:
        readable.pop(strict_json.dotted(path), None)
    raise ManifestError(findings.all(), readable=readable)


def stated_by(manifest: Manifest) -> Stated:
    """The manifest's values by dotted name."""
    return dict(stated_in(manifest))


def reusable(kept: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest of a submission as another bundle may begin with it.

    What a conversion wrote is left out, and so are optional fields without a value.
    """
    manifest = Manifest.model_validate_json(json.dumps(kept))
    return manifest.model_dump(mode="json", exclude={"origin"}, exclude_none=True)
