"""Installed packages: unpacking a HAP with care, and what `bm` knows about it."""

from __future__ import annotations

import json
import re
import shutil
import stat
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

MAX_FILES = 10_000
MAX_BYTES = 256 * 1024 * 1024

_BUNDLE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)+")
_HOME_ACTIONS = {"action.system.home", "ohos.want.action.home"}


class BadPackageError(Exception):
    """A package that cannot be installed; ``code`` is the bundle manager's, if any."""

    def __init__(self, message: str, code: int | None = None) -> None:
        self.code = code
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Installed:
    """One installed bundle: its unpacked package and its private data."""

    bundle: str
    module: str
    abilities: tuple[str, ...]
    main_ability: str
    home_abilities: frozenset[str]
    folder: Path
    data: Path


class Packages:
    """The bundles of one device, below ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._code = folder / "bundles"
        self._data = folder / "app_data"
        self._installed: dict[str, Installed] = {}
        for place in (self._code, self._data):
            place.mkdir(parents=True, exist_ok=True)

    def get(self, bundle: str) -> Installed | None:
        return self._installed.get(bundle)

    def names(self) -> list[str]:
        return sorted(self._installed)

    def install(self, package: Path) -> Installed:
        """Unpack ``package`` and register its bundle; an older one is replaced.

        The private data of a replaced bundle stays. Raises BadPackageError.
        """
        arriving = self._code / ".arriving"
        shutil.rmtree(arriving, ignore_errors=True)
        try:
            unpack(package, arriving)
            profile = _read_profile(arriving / "module.json")
            bundle = _bundle_name(profile)
            target = self._code / bundle
            shutil.rmtree(target, ignore_errors=True)
            arriving.rename(target)
        finally:
            shutil.rmtree(arriving, ignore_errors=True)
        data = self._data / bundle
        data.mkdir(exist_ok=True)
        found = _describe(profile, bundle=bundle, folder=target, data=data)
        self._installed[bundle] = found
        return found

    def uninstall(self, bundle: str) -> bool:
        found = self._installed.pop(bundle, None)
        if found is None:
            return False
        shutil.rmtree(found.folder, ignore_errors=True)
        shutil.rmtree(found.data, ignore_errors=True)
        return True

    def clean(self, bundle: str) -> bool:
        """Empty the private data of a bundle."""
        found = self._installed.get(bundle)
        if found is None:
            return False
        shutil.rmtree(found.data, ignore_errors=True)
        found.data.mkdir(exist_ok=True)
        return True


def unpack(package: Path, folder: Path) -> None:
    """Write the files of a zip into ``folder``; raises BadPackageError.

    Refuses names that lead outside or collide, links, and more than the device holds.
    """
    folder.mkdir(parents=True)
    try:
        with zipfile.ZipFile(package) as archive:
            members = [item for item in archive.infolist() if not item.is_dir()]
            if len(members) > MAX_FILES:
                raise BadPackageError(f"more than {MAX_FILES} files")
            if sum(item.file_size for item in members) > MAX_BYTES:
                raise BadPackageError(f"more than {MAX_BYTES} bytes unpacked")
            seen: set[str] = set()
            for item in members:
                target = folder / _safe_name(item, seen)
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(item) as source, target.open("xb") as sink:
                    _copy(source, sink, item.file_size)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise BadPackageError(f"not a readable package: {error}") from error


def _safe_name(item: zipfile.ZipInfo, seen: set[str]) -> PurePosixPath:
    name = PurePosixPath(item.filename)
    bad = (
        name.is_absolute()
        or ".." in name.parts
        or not name.parts
        or "\\" in item.filename
        or ":" in item.filename
        or any(ord(letter) < 32 for letter in item.filename)
        or stat.S_ISLNK(item.external_attr >> 16)
    )
    if bad:
        raise BadPackageError(f"the file name {item.filename!r} is not allowed")
    folded = str(name).casefold()
    if folded in seen:
        raise BadPackageError(f"the file name {item.filename!r} comes twice")
    seen.add(folded)
    return name


def _copy(source: Any, sink: Any, size: int) -> None:
    left = size
    while chunk := source.read(1 << 16):
        left -= len(chunk)
        if left < 0:
            raise BadPackageError("a file is longer than its entry says")
        sink.write(chunk)


def _read_profile(path: Path) -> dict[str, Any]:
    try:
        profile = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        raise BadPackageError("install parse profile failed", 9568259) from None
    if not isinstance(profile, dict):
        raise BadPackageError("install parse profile failed", 9568259)
    return profile


def _bundle_name(profile: dict[str, Any]) -> str:
    app = profile.get("app")
    name = app.get("bundleName") if isinstance(app, dict) else None
    name = name or profile.get("bundleName")
    if not isinstance(name, str) or not _BUNDLE_NAME.fullmatch(name):
        raise BadPackageError("install parse profile missing prop", 9568259)
    return name


def _describe(
    profile: dict[str, Any], *, bundle: str, folder: Path, data: Path
) -> Installed:
    module = profile.get("module")
    module = module if isinstance(module, dict) else profile
    listed = module.get("abilities")
    abilities = [
        item
        for item in (listed if isinstance(listed, list) else [])
        if isinstance(item, dict) and isinstance(item.get("name"), str)
    ]
    names = tuple(item["name"] for item in abilities)
    main = module.get("mainElement")
    return Installed(
        bundle=bundle,
        module=str(module.get("name") or "entry"),
        abilities=names,
        main_ability=str(main) if main in names else next(iter(names), ""),
        home_abilities=frozenset(
            item["name"] for item in abilities if _opens_from_home(item)
        ),
        folder=folder,
        data=data,
    )


def _opens_from_home(ability: dict[str, Any]) -> bool:
    skills = ability.get("skills")
    for skill in skills if isinstance(skills, list) else []:
        actions = skill.get("actions") if isinstance(skill, dict) else None
        if isinstance(actions, list) and _HOME_ACTIONS & set(map(str, actions)):
            return True
    return False
