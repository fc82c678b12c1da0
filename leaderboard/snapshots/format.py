"""The task-package format: what its JSON files may hold.

The descriptions are part of the JSON Schemas and of docs/task-format.md, which a test
keeps equal.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from leaderboard.models import Difficulty, ScoringPolicy

# One name of a folder or file: no separators, nothing that a shell or URL must escape.
SLUG = r"^[a-z0-9]+(-[a-z0-9]+)*$"
VERSION = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
IDENTIFIER = r"^[A-Za-z_][A-Za-z0-9_]*$"
KIT = r"^[A-Za-z0-9][A-Za-z0-9 ._-]*$"
BUNDLE_NAME = r"^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+$"
MODULE = r"^@[a-z]+\.[A-Za-z0-9_.]*\*?$"
GUID = r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
SHA256 = r"^[0-9a-f]{64}$"
COMMIT = r"^([0-9a-f]{40}|[0-9a-f]{64})$"
CURATOR = r"^[a-z0-9][a-z0-9._@+-]*$"
# A folder below the top of a repository, with slashes.
FOLDER = r"^[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*$"
HTTPS_OR_FILE = r"^(https|file)://[^\s\x00-\x1f\x7f]+$"

Line: TypeAlias = Annotated[str, Field(min_length=1, pattern=r"^[^\x00-\x1f\x7f]+$")]
Slug: TypeAlias = Annotated[str, Field(pattern=SLUG, max_length=80)]

Source: TypeAlias = Annotated[str, Field(pattern=SLUG, max_length=40)]

_UNIQUE: JsonDict = {"uniqueItems": True}


def _in_english(texts: dict[str, str]) -> dict[str, str]:
    if "en" not in texts:
        raise PydanticCustomError("no_english", "Give it in English (en) at least")
    return texts


Texts: TypeAlias = Annotated[
    dict[Literal["en", "zh-hans"], Line],
    Field(min_length=1, json_schema_extra={"required": ["en"]}),
    AfterValidator(_in_english),
]


class FormatModel(BaseModel):
    """Every field is known, typed and required unless it has a default."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class BenchmarkName(FormatModel):
    """What a benchmark is called."""

    slug: str = Field(
        pattern=SLUG,
        max_length=50,
        description="Name in addresses.",
        examples=["openharmony-bench"],
    )
    name: Line = Field(
        max_length=100, description="Name on pages.", examples=["OpenHarmony Bench"]
    )


class PackagedBenchmark(BenchmarkName):
    """The benchmark whose version this is."""

    canary: str = Field(
        pattern=GUID,
        description="GUID that every hidden file of every version carries, so that "
        "training data can be searched for it. One per benchmark.",
        examples=["4c1b1f0e-6f0d-4e5c-9d62-6f2f0c6b7a11"],
    )


class Agent(FormatModel):
    """The agent that the benchmark fixes."""

    name: Line = Field(
        max_length=80, description="Name of the agent.", examples=["DevEco Code"]
    )
    version: Line = Field(
        max_length=40, description="Its version.", examples=["0.1.0-1.3"]
    )


class DeviceProfile(FormatModel):
    """The device that checks run on."""

    name: Line = Field(
        max_length=120,
        description="Name of the profile; it is also the device pool of the workers.",
        examples=["Pura 90 Pro Max emulator"],
    )
    simulated: bool = Field(
        description="Whether the device is simulated; such results stand apart.",
        examples=[False],
    )
    resolution_px: list[int] | None = Field(
        default=None,
        min_length=2,
        max_length=2,
        description="Width and height in pixels.",
        examples=[[1308, 2880]],
    )
    screen_inches: float | None = Field(
        default=None, gt=0, description="Diagonal in inches.", examples=[6.9]
    )
    model: Line | None = Field(
        default=None,
        max_length=80,
        description="What the device says of itself (const.product.model); workers "
        "refuse another one.",
        examples=["PUR-AL90"],
    )
    api_level: int | None = Field(
        default=None,
        ge=1,
        description="API level of the device's system (const.ohos.apiversion); workers "
        "refuse another one.",
        examples=[23],
    )

    def facts(self) -> dict[str, object]:
        """What is recorded of the device beside its name."""
        return self.model_dump(exclude={"name", "simulated"}, exclude_none=True)


class DerivedFrom(FormatModel):
    """The version that this one was made from, and what is different in it."""

    version: str = Field(
        pattern=VERSION,
        max_length=40,
        description="Version of the same benchmark.",
        examples=["v1.0"],
    )
    reason: Line = Field(
        max_length=1000,
        description="Why there is a new version; public.",
        examples=["The check of penkit-crash accepted an empty page."],
    )
    added: list[Slug] = Field(
        default=[],
        json_schema_extra=_UNIQUE,
        description="Tasks that the earlier version has not.",
        examples=[["penkit-rotation"]],
    )
    changed: list[Slug] = Field(
        default=[],
        json_schema_extra=_UNIQUE,
        description="Tasks that are different from those of the same name there.",
        examples=[["penkit-crash"]],
    )
    retired: list[Slug] = Field(
        default=[],
        json_schema_extra=_UNIQUE,
        description="Tasks of the earlier version that this one has not.",
        examples=[["gallery-text-entry"]],
    )


class StreamEntry(FormatModel):
    """A set of tasks that a benchmark by pass rate divides its tables into."""

    slug: Source = Field(
        description="What tasks give as their `source`; also its name in addresses.",
        examples=["app-conversions"],
    )
    names: Texts = Field(
        description="Name on pages by language: English (`en`), and Chinese "
        "(`zh-hans`) where there is one.",
        examples=[{"en": "App conversions", "zh-hans": "应用转换"}],
    )
    focus: Texts | None = Field(
        default=None,
        description="What its tasks are about, by language.",
        examples=[{"en": "Cross-platform apps rewritten as native ones"}],
    )


class SnapshotFile(FormatModel):
    """``snapshot.json``: all that must be equal for two results to be compared."""

    format: Literal[1] = Field(description="Version of this format.", examples=[1])
    benchmark: PackagedBenchmark
    policy: ScoringPolicy = Field(
        default=ScoringPolicy.TASK_COMPLETION,
        description="How task runs become the figures of its tables. One for all "
        "versions of a benchmark.",
        examples=["task-completion"],
    )
    streams: list[StreamEntry] = Field(
        default=[],
        description="The sources of its tasks in the order of pages, where the policy "
        "fixes none.",
    )
    version: str = Field(
        pattern=VERSION,
        max_length=40,
        description="Version of the benchmark; what is open never changes.",
        examples=["v1.1"],
    )
    title: Line = Field(
        max_length=100, description="Title on pages.", examples=["OpenHarmony Bench"]
    )
    task_snapshot_date: date = Field(
        description="Day that the tasks stand for (ISO 8601).", examples=["2026-11-01"]
    )
    evaluation_scripts: Line = Field(
        max_length=80,
        description="Name of the evaluation-script snapshot; the digest of the checks "
        "is computed.",
        examples=["v1.1"],
    )
    agent: Agent
    prompt_template: list[Line] = Field(
        description="Parts of the prompt, in their order.",
        examples=[["task definition", "code generation instructions"]],
    )
    run_parameters: dict[str, int | float | str | bool] = Field(
        description="Parameters of the model, by name; units stand in the names.",
        examples=[{"temperature": 0, "context_window_tokens": 200000}],
    )
    sdk: Line = Field(
        max_length=40, description="OpenHarmony SDK.", examples=["API 23"]
    )
    toolchain: Line = Field(
        max_length=80,
        description="DevEco Studio or toolchain.",
        examples=["DevEco 6.1"],
    )
    device_profile: DeviceProfile
    runs: int = Field(
        ge=1, le=100, description="Independent full-suite runs, k.", examples=[3]
    )
    repair_limit: int = Field(
        ge=0, le=100, description="Most compile repairs of a task run.", examples=[5]
    )
    asks_for_trajectories: bool = Field(
        default=False,
        description="Whether a completed task run without a trajectory makes an "
        "evaluation unverified and unranked.",
        examples=[True],
    )
    publish_references: bool = Field(
        default=False,
        description="Whether task pages show the reference patches at once; with the "
        "release of hidden files they are shown in any case.",
        examples=[False],
    )
    legacy_apis: list[Annotated[str, Field(pattern=MODULE, max_length=120)]] = Field(
        default=[],
        json_schema_extra=_UNIQUE,
        description="Outdated modules, `*` for any end. A patch that imports one is "
        "flagged `legacy_api`, which multiplies its completion rate down and nothing "
        "else.",
        examples=[["@ohos.router", "@system.*"]],
    )
    contamination: dict[Source, Line] = Field(
        default={},
        json_schema_extra={"additionalProperties": False},
        description="By task source: how models may have seen its tasks in training; "
        "public.",
        examples=[{"bug-fix": "The fixes are public pull requests of 2024 and 2025."}],
    )
    derived_from: DerivedFrom | None = None


class FPointEntry(FormatModel):
    """One F-point: the method of a Hypium case that decides it."""

    id: str = Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$",
        max_length=40,
        description="Name of the F-point, unique in its task.",
        examples=["FP-1"],
    )
    scenario: Line = Field(
        max_length=200,
        description="User path that it belongs to; F-points with the same scenario "
        "form one group of the specification.",
        examples=["Action tray"],
    )
    description: str = Field(
        min_length=1,
        description="Behavior that is checked, in a sentence; public.",
        examples=["Pressing + opens a tray with Album, Camera and Location."],
    )
    case: str = Field(
        pattern=IDENTIFIER,
        max_length=80,
        description="Hypium case: `checks/<case>.py` with `class <case>`, and "
        "`checks/<case>.json`.",
        examples=["chat_input_bar"],
    )
    method: str = Field(
        pattern=IDENTIFIER,
        max_length=80,
        description="Method of that class; each is named by one F-point only.",
        examples=["test_plus_opens_the_action_tray"],
    )
    dimension: str = Field(
        default="functional",
        pattern=SLUG,
        max_length=20,
        description="What kind of behavior it is. A `regression` check passes on the "
        "base already and has to go on passing; every other fails there.",
        examples=["functional"],
    )
    weight: int = Field(
        default=1,
        ge=1,
        le=1000,
        description="Weight in diagnostics; Task Completion knows no weights.",
        examples=[1],
    )
    required: bool = Field(
        default=True,
        description="Whether the task is completed only if it passes. Only a "
        "`regression` check may say false: it is then a diagnostic.",
        examples=[True],
    )


class WrongPatchEntry(FormatModel):
    """A solution that looks right and is not: the checks have to find it out."""

    patch: str = Field(
        pattern=SLUG,
        max_length=80,
        description="Its name: the patch is `wrong/<name>.patch`.",
        examples=["forgets-to-save"],
    )
    f_points: list[str] = Field(
        min_length=1,
        json_schema_extra=_UNIQUE,
        description="F-points that have to fail with it, by `id`.",
        examples=[["FP-2"]],
    )
    why: Line = Field(
        max_length=300,
        description="What is wrong with it; for curators.",
        examples=["The message is shown, and gone after a restart."],
    )


class Screen(FormatModel):
    """A screen that the checks keep a picture of."""

    name: str = Field(
        pattern=SLUG,
        max_length=40,
        description="Name of the screen; its reference is `screens/<name>.png` or "
        "`.jpeg`, and a check keeps the app's with `screen.keep(driver, name)`.",
        examples=["note-list"],
    )
    ignored_px: list[Annotated[list[int], Field(min_length=4, max_length=4)]] = Field(
        default=[],
        description="Parts that are not compared, such as a status bar: left, top, "
        "right, bottom in pixels of the reference.",
        examples=[[[0, 0, 1308, 120]]],
    )


class Visual(FormatModel):
    """What the visual judge compares; a diagnostic."""

    weight: int = Field(
        default=1,
        ge=1,
        le=1000,
        description="Weight of the dimension `visual` in the completion rate, beside "
        "those of the F-points.",
        examples=[2],
    )
    screens: list[Screen] = Field(
        min_length=1,
        max_length=20,
        description="Screens with a reference picture; no part of Task Completion.",
    )


class TaskFile(FormatModel):
    """``tasks/<slug>/task.json``."""

    slug: Slug = Field(
        description="Name of the task; its folder has the same.",
        examples=["chat-input-bar"],
    )
    source: Source = Field(
        description="Task source: `new-feature`, `spec-driven` or `bug-fix`; under a "
        "policy that fixes none, the slug of a stream in snapshot.json.",
        examples=["spec-driven"],
    )
    title: Line = Field(
        max_length=160,
        description="Title on pages.",
        examples=["Chat input bar with action tray"],
    )
    difficulty: Difficulty = Field(
        description="Judged while the task is made.", examples=["medium"]
    )
    repository: Line = Field(
        max_length=200,
        description="Repository that the project is from.",
        examples=["gitee.com/openharmony/applications_app_samples"],
    )
    base_commit: str = Field(
        pattern=r"^[0-9a-f]{7,64}$",
        description="Commit of the base project; its git tree id where it has none.",
        examples=["9853b7e7db14315c388adfb8c472d84a1c27e7e6"],
    )
    bundle_name: str = Field(
        pattern=BUNDLE_NAME,
        max_length=120,
        description="Bundle name of the app, which checks start.",
        examples=["com.example.chat"],
    )
    kits: list[Annotated[str, Field(pattern=KIT, max_length=50)]] = Field(
        json_schema_extra=_UNIQUE,
        description="Kits that the reference touches.",
        examples=[["ArkUI", "Ability Kit"]],
    )
    build_paths: list[Line] = Field(
        json_schema_extra=_UNIQUE,
        description="Build files that a patch may change, below the base project; all "
        "others are restored before a build.",
        examples=[["entry/oh-package.json5"]],
    )
    f_points: list[FPointEntry] = Field(
        min_length=1,
        description="The checks; a task is completed when all that are required pass.",
    )
    wrong_patches: list[WrongPatchEntry] = Field(
        default_factory=list,
        description="Plausible solutions that are wrong; the admission proves that the "
        "checks fail them.",
    )
    visual: Visual | None = None
