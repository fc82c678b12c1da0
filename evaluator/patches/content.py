"""Rules on what stands in the files: binaries, and notes for an audit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from evaluator.patches import json5

_IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a")
_PROGRAMS = (
    *(b"\x7fELF", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"!<arch>\n", b"\0asm"),
    *(b"MZ", b"PANDA\0", b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe", b"\xfd7zXZ\0"),
    *(b"BZh", b"7z\xbc\xaf", b"(\xb5/\xfd"),
)
_PREBUILT = re.compile(
    rb"\.(har|hsp|hap|app|abc|so|so\.[\d.]+|a|o|node|wasm|jar|zip|tgz)$", re.IGNORECASE
)
_SOURCES = (b".ets", b".ts", b".js")
_NOTED_IN_SOURCES = {
    "test_kit_in_main_code": re.compile(
        rb"@ohos\.UiTest|@kit\.TestKit|@ohos/hypium|abilityDelegatorRegistry",
        re.IGNORECASE,
    ),
    "code_from_text": re.compile(rb"\.(loadData|runJavaScript\w*)\s*\(|\beval\s*\("),
    "transparent_overlay": re.compile(rb"HitTestMode\s*\.\s*Transparent"),
    "asks_whether_tested": re.compile(
        rb"isRunningInStabilityTest|isUserAMonkey|@ohos\.systemParameter"
        rb"|\bsystemParameterEnhance\b|\bprocess\.(?:env|argv)\b"
    ),
    "long_literal": re.compile(rb"[A-Za-z0-9+/=_-]{4096,}"),
}
# An app that cannot fail where it begins hides what a check would see.
_ENTRY_POINT = re.compile(
    rb"\b(?:onCreate|onWindowStageCreate|onForeground|aboutToAppear|onPageShow)\s*\("
)
_SWALLOWED = re.compile(rb"\bcatch\s{0,9}(?:\([^)\n]{0,80}\))?\s{0,99}\{\s{0,99}\}")
_DEPENDENCIES = ("dependencies", "devDependencies", "dynamicDependencies", "overrides")


def binary_problem(path: bytes, content: bytes, *, image_bytes: int) -> str:
    """What is wrong with a new or changed file as to its kind; "" if nothing is."""
    is_webp = content[:4] == b"RIFF" and content[8:12] == b"WEBP"
    if is_webp or content.startswith(_IMAGES):
        if b"resources" not in path.split(b"/")[:-1]:
            return "is an image outside a resources folder"
        if len(content) > image_bytes:
            return f"is an image of {len(content)} bytes; {image_bytes} are allowed"
        return ""
    if _PREBUILT.search(path):
        return "is a prebuilt library or package by its name"
    if content.startswith(_PROGRAMS):
        return "is a program or an archive by its first bytes"
    if b"\0" in content:
        return "is binary and none of the known image formats (PNG, JPEG, GIF, WebP)"
    return ""


def changes_signing(path: bytes, old: bytes | None, new: bytes | None) -> bool:
    """Whether a build profile signs in another way, or cannot be read to tell."""
    if path.rpartition(b"/")[2] != b"build-profile.json5":
        return False
    before, after = _read(old), _read(new)
    return after is None or _signing(before) != _signing(after)


def notes(path: bytes, old: bytes | None, new: bytes | None) -> Iterator[str]:
    """Codes of what an auditor may want to look at. They never decide anything."""
    name = path.rpartition(b"/")[2]
    if path.endswith(_SOURCES):
        for code, pattern in _NOTED_IN_SOURCES.items():
            if pattern.search(new or b"") and not pattern.search(old or b""):
                yield code
        if _ENTRY_POINT.search(new or b"") and _swallows_more(old, new):
            yield "errors_swallowed"
    if name not in _NOTED_IN_SETTINGS:
        return
    before, after = _read(old), _read(new)
    if after is None:
        yield "unreadable_json5"
    else:
        yield from _NOTED_IN_SETTINGS[name](before, after)


def _swallows_more(old: bytes | None, new: bytes | None) -> bool:
    return len(_SWALLOWED.findall(new or b"")) > len(_SWALLOWED.findall(old or b""))


def _package_notes(before: Any, after: Any) -> Iterator[str]:
    if any(_at(before, key) != _at(after, key) for key in _DEPENDENCIES):
        yield "dependency_changed"
    values = [_at(after, key) for key in _DEPENDENCIES]
    wanted = [
        text
        for value in values
        if isinstance(value, dict)
        for text in value.values()
        if isinstance(text, str)
    ]
    if any(re.match(r"(file|git|https?|ssh)\b|.*\.git$", text) for text in wanted):
        yield "dependency_from_elsewhere"
    if _at(before, "scripts") != _at(after, "scripts"):
        yield "package_script_changed"


def _app_notes(before: Any, after: Any) -> Iterator[str]:
    if _at(before, "app", "bundleName") != _at(after, "app", "bundleName"):
        yield "bundle_name_changed"


def _module_notes(before: Any, after: Any) -> Iterator[str]:
    if _at(before, "module", "deviceTypes") != _at(after, "module", "deviceTypes"):
        yield "device_types_changed"
    added = _permissions(after) - _permissions(before)
    if added:
        yield "permission_added"
    if "ohos.permission.INTERNET" in added:
        yield "internet_permission_added"


def _profile_notes(before: Any, after: Any) -> Iterator[str]:
    if before != after:
        yield "build_profile_changed"


_NOTED_IN_SETTINGS = {
    b"oh-package.json5": _package_notes,
    b"app.json5": _app_notes,
    b"module.json5": _module_notes,
    b"build-profile.json5": _profile_notes,
}


def _read(content: bytes | None) -> Any:
    """The value of a JSON5 file: {} where there is none, None where it is broken."""
    if content is None:
        return {}
    try:
        return json5.parse(content.decode("utf-8"))
    except ValueError:
        return None


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _permissions(settings: Any) -> set[str]:
    wanted = _at(settings, "module", "requestPermissions")
    names = [_at(each, "name") for each in wanted] if isinstance(wanted, list) else []
    return {name for name in names if isinstance(name, str)}


def _signing(profile: Any) -> list[Any]:
    products = _at(profile, "app", "products")
    each = products if isinstance(products, list) else []
    return [
        _at(profile, "app", "signingConfigs") or None,
        [found for product in each if (found := _at(product, "signingConfig"))],
    ]
