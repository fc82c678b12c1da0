"""Paths that a patch changes in vain: they are put back from the base. Severity V.

They run as code in the build, decide what is installed, or hold the project's own
tests. A task may name exceptions, the paths that its reference solution touches.
"""

from __future__ import annotations

from itertools import pairwise

from evaluator.patches.rules import HARMLESS_GIT_NAMES

_BUILD_SCRIPTS = {
    "hvigorfile.ts",
    "hvigorfile.js",
    "hvigorconfig.ts",
    "hvigorconfig.js",
}
_SETTINGS = {"oh-package-lock.json5", ".ohpmrc", ".npmrc", "local.properties"}
_PACKAGES = {"oh_modules", "node_modules"}
_CONTINUOUS_INTEGRATION = {
    *(".circleci", ".ci", ".travis.yml", ".woodpecker", ".woodpecker.yml"),
    *("jenkinsfile", "azure-pipelines.yml"),
}
_TEST_SOURCES = {"ohostest", "test", "mock"}
_GENERATED = {".hvigor", ".preview", ".idea", ".cxx"}


def is_protected(path: bytes) -> bool:
    """Whether ``path`` stays as the base has it. Upper and lower case are the same."""
    names = path.decode("utf-8", "surrogateescape").casefold().split("/")
    name = names[-1]
    return (
        name in _BUILD_SCRIPTS
        or name in _SETTINGS
        or any(part.startswith("hvigorw") for part in names)
        or names[0] == "hvigor"
        or any(part in _PACKAGES or part in HARMLESS_GIT_NAMES for part in names)
        or any(part in _CONTINUOUS_INTEGRATION for part in names)
        or any(a == "src" and b in _TEST_SOURCES for a, b in pairwise(names))
        or is_generated(path)
    )


def is_generated(path: bytes) -> bool:
    """Whether ``path`` is what tools leave behind: packages, build output, git's."""
    names = path.decode("utf-8", "surrogateescape").casefold().split("/")
    outside_sources = names[: names.index("src")] if "src" in names else names[:-1]
    return (
        "build" in outside_sources
        or any(name in _GENERATED or name in _PACKAGES for name in names[:-1])
        or ".git" in names
    )
