"""What a snapshot asks of SDK and device, held against what a worker has; pure.

Only what is told is compared. A field that one side does not tell is open, and stops
nobody; one that differs does, since numbers of two SDKs or screens are not comparable.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from evaluator.toolchains.command_line_tools import SdkFacts

_API_LEVEL = re.compile(r"\bAPI[ -]?(?:level )?(\d+)\b", re.IGNORECASE)
_VERSION = re.compile(r"\b(\d+(?:\.\d+)+)\b")


class Comparison(NamedTuple):
    """One field: ``ok`` is None where a side does not tell."""

    field: str
    wanted: str
    found: str
    ok: bool | None


@dataclass(frozen=True, slots=True)
class Needs:
    """SDK, toolchain and device of a snapshot, as far as it names them."""

    sdk: str = ""
    toolchain: str = ""
    model: str | None = None
    api_level: int | None = None
    resolution: tuple[int, int] | None = None

    @classmethod
    def of(cls, *, sdk: str, toolchain: str, device: Mapping[str, Any]) -> Needs:
        """From the fields of a snapshot; ``device`` are its facts beside the name."""
        size = device.get("resolution_px")
        return cls(
            sdk=sdk,
            toolchain=toolchain,
            model=device.get("model"),
            api_level=device.get("api_level"),
            resolution=(size[0], size[1]) if size else None,
        )


@dataclass(frozen=True, slots=True)
class DeviceFacts:
    """What a device says of itself; None is not told."""

    model: str | None = None
    api_level: int | None = None
    resolution: tuple[int, int] | None = None
    software: str | None = None


def compare_sdk(needs: Needs, facts: SdkFacts) -> list[Comparison]:
    """API level and version of the SDK that builds."""
    wanted = _API_LEVEL.search(needs.sdk)
    level = None if wanted is None else int(wanted[1])
    version = _VERSION.search(needs.toolchain)
    same: bool | None = None
    if version is not None and facts.version is not None:
        # 6.1 stands for every 6.1.x, but not for 6.10.
        same = f"{facts.version}.".startswith(f"{version[1]}.")
    return [
        Comparison("sdk", needs.sdk, _level(facts.api_level), _equal(level, facts)),
        Comparison("toolchain", needs.toolchain, facts.version or "not told", same),
    ]


def compare_device(needs: Needs, facts: DeviceFacts) -> list[Comparison]:
    """Model, API level and screen, as far as the snapshot names them."""
    pairs: list[tuple[str, Any, Any]] = [
        ("device model", needs.model, facts.model),
        ("device API level", needs.api_level, facts.api_level),
        ("resolution", needs.resolution, facts.resolution),
    ]
    return [
        Comparison(
            name,
            _words(wanted),
            _words(found),
            None if found is None else found == wanted,
        )
        for name, wanted, found in pairs
        if wanted is not None
    ]


def differences(comparisons: list[Comparison]) -> str:
    """The fields that differ, in words; empty if none does."""
    return "; ".join(
        f"{each.field}: {each.wanted} wanted, {each.found} found"
        for each in comparisons
        if each.ok is False
    )


def _equal(level: int | None, facts: SdkFacts) -> bool | None:
    if level is None or facts.api_level is None:
        return None
    return level == facts.api_level


def _level(level: int | None) -> str:
    return "not told" if level is None else f"API {level}"


def _words(value: object) -> str:
    if value is None:
        return "not told"
    return "x".join(map(str, value)) if isinstance(value, tuple) else str(value)
