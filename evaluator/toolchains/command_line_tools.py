"""Where the DevEco command-line tools of this machine are, and what they say they are.

Two layouts are known: the Command Line Tools package and an installed DevEco Studio.
Nothing here has met either of them yet; every path can be named by a setting instead.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

_SUFFIXES = (".bat", ".cmd", ".exe", "") if sys.platform == "win32" else ("",)
# Below the folder that OHB_DEVECO_TOOLS names: first Command Line Tools, then Studio.
_HVIGORW = ("bin/hvigorw", "hvigor/bin/hvigorw", "tools/hvigor/bin/hvigorw")
_OHPM = ("bin/ohpm", "ohpm/bin/ohpm", "tools/ohpm/bin/ohpm")
_NODE = ("tool/node/bin/node", "tool/node/node", "tools/node/bin/node")
_NODE_ON_WINDOWS = ("tools/node/node",)
_SDK = ("sdk",)
_JAVA = ("jbr/Contents/Home", "jbr")
_HDC = ("default/openharmony/toolchains/hdc", "toolchains/hdc")
_SDK_FACTS = ("default/sdk-pkg.json", "sdk-pkg.json")
_COMPONENT_FACTS = ("default/openharmony/ets/oh-uni-package.json",)


@dataclass(frozen=True, slots=True)
class NamedTools:
    """What the settings name; None is looked for below ``root``, then on PATH."""

    root: Path | None = None
    hvigorw: Path | None = None
    ohpm: Path | None = None
    hdc: Path | None = None
    sdk: Path | None = None
    java_home: Path | None = None
    node: Path | None = None


@dataclass(frozen=True, slots=True)
class FoundTools:
    """What is there; None is not. ``sdk`` is the folder for DEVECO_SDK_HOME."""

    hvigorw: Path | None
    ohpm: Path | None
    hdc: Path | None
    sdk: Path | None
    java_home: Path | None
    node: Path | None
    folders: tuple[Path, ...] = ()

    def build_environment(self, system: Mapping[str, str]) -> Mapping[str, str]:
        """All that a build gets of the environment, but for its home.

        ``system`` are the variables without which nothing runs on Windows.
        """
        homes = {
            "DEVECO_SDK_HOME": self.sdk,
            "JAVA_HOME": self.java_home,
            "NODE_HOME": self.node_home,
        }
        java = self.java_home / "bin" if self.java_home else None
        tools = [self.hvigorw, self.ohpm, self.node]
        folders = [*(each and each.parent for each in tools), java]
        named = {name: str(home) for name, home in homes.items() if home}
        path = search_path(folders, system)
        return {"LANG": "C.UTF-8", **system, **named, "PATH": path}

    @property
    def node_home(self) -> Path | None:
        if self.node is None:
            return None
        folder = self.node.parent
        return folder.parent if folder.name == "bin" else folder


def find_tools(named: NamedTools) -> FoundTools:
    """Look for every tool: where the settings say, in the known layouts, on PATH."""
    root = named.root
    sdk = named.sdk or _first(root, _SDK, folder=True)
    java = shutil.which("java")
    found = FoundTools(
        hvigorw=_tool(named.hvigorw, root, _HVIGORW, "hvigorw"),
        ohpm=_tool(named.ohpm, root, _OHPM, "ohpm"),
        hdc=_tool(named.hdc, sdk, _HDC, "hdc"),
        sdk=sdk if sdk is not None and sdk.is_dir() else None,
        java_home=named.java_home
        or _first(root, _JAVA, folder=True)
        or (Path(java).resolve().parent.parent if java else None),
        node=_tool(named.node, root, (*_NODE, *_NODE_ON_WINDOWS), "node"),
    )
    folders = [root, found.sdk, found.java_home, found.node_home]
    if root is None:
        # A script in bin/ leads to the tool beside it.
        tools = (found.hvigorw, found.ohpm)
        folders += [each.resolve().parent.parent for each in tools if each]
    shown = tuple(dict.fromkeys(each for each in folders if each is not None))
    return replace(found, folders=shown)


@dataclass(frozen=True, slots=True)
class SdkFacts:
    """What an SDK says of itself; None is not told."""

    api_level: int | None
    version: str | None


def read_sdk(sdk: Path | None) -> SdkFacts:
    """The facts in the SDK's own JSON files; unreadable ones tell nothing."""
    names = () if sdk is None else (*_SDK_FACTS, *_COMPONENT_FACTS)
    for path in [Path(sdk or "", name) for name in names]:
        try:
            data = json.loads(path.read_text("utf-8"))
            facts = data.get("data", data)
            level, version = str(facts["apiVersion"]), facts.get("version")
        except (OSError, ValueError, KeyError, AttributeError, TypeError):
            continue
        digits = level.partition(".")[0]
        if digits.isdigit():
            told = None if version is None else str(version)
            return SdkFacts(int(digits), told)
    return SdkFacts(None, None)


def search_path(folders: Iterable[Path | None], system: Mapping[str, str]) -> str:
    """A PATH that leads to ``folders`` first and to the system's afterwards."""
    root = system.get("SYSTEMROOT")
    of_system = (
        [rf"{root}\System32"] if root else ["/usr/local/bin", "/usr/bin", "/bin"]
    )
    named = [str(each) for each in folders if each is not None]
    return os.pathsep.join(dict.fromkeys([*named, *of_system]))


def _tool(
    named: Path | None, root: Path | None, places: Iterable[str], name: str
) -> Path | None:
    if named is not None:
        return named if named.is_file() else None
    found = _first(root, places, folder=False)
    if found is None and (on_path := shutil.which(name)):
        found = Path(on_path)
    return found


def _first(root: Path | None, places: Iterable[str], *, folder: bool) -> Path | None:
    if root is None:
        return None
    for place in places:
        for suffix in ("",) if folder else _SUFFIXES:
            path = root / f"{place}{suffix}"
            if path.is_dir() if folder else path.is_file():
                return path
    return None
