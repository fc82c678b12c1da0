"""Rules that find reasons in stored evidence; pure, and none of them decides a score.

A rule is automatic where the evidence leaves no doubt, and a suggestion otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from leaderboard.completion_rate import Dimension
from leaderboard.failures.facts import BuildError, TaskRunFacts
from leaderboard.failures.taxonomy import FailureReason, LabelOrigin

# Raised with every change of a rule: runs labelled by older ones are due again.
RULES_VERSION = 1

# So often the same calls in a row are no waiting and no second try any more.
LOOPS_FROM = 10
_QUOTE = 300
_SOURCES = re.compile(r"(?:^|/)src/main/")
_UNKNOWN = re.compile(
    r"Cannot find (?:name|module|namespace) |Could not find a declaration"
    r"|Property '[^']{1,200}' does not exist on|has no exported member"
    r"|Unknown resource name|is not exported by|Cannot resolve module"
    r"|\(arkts-[a-z-]{2,60}\)",
    re.IGNORECASE,
)
_MISMATCH = re.compile(
    r"is not assignable to (?:parameter|type|the same)|Expected \d+(?:-\d+)? arguments?"
    r"|No overload matches this call|is missing the following propert"
    r"|is missing in type|Expected at least \d+ arguments?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a rule saw it; ``figures`` stand in the sentence of the rule."""

    artifact: str = ""
    line: int | None = None
    quote: str = ""
    figures: dict[str, int | str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return {
            "artifact": self.artifact,
            "line": self.line,
            "quote": self.quote[:_QUOTE],
            "figures": self.figures,
        }


class Rule(NamedTuple):
    """``can`` says whether the evidence that the rule needs is held."""

    code: str
    reason: FailureReason
    origin: LabelOrigin
    find: Callable[[TaskRunFacts], Evidence | None]
    can: Callable[[TaskRunFacts], bool] = lambda _: True


class Finding(NamedTuple):
    """What a rule says of a task run; ``evidence`` is None where it saw nothing."""

    rule: Rule
    evidence: Evidence | None


def findings(facts: TaskRunFacts) -> list[Finding]:
    """The answer of every rule whose evidence is held, in the order of ``RULES``."""
    return [Finding(rule, rule.find(facts)) for rule in RULES if rule.can(facts)]


def _overruled(facts: TaskRunFacts) -> Evidence | None:
    if facts.overruled_because is None:
        return None
    return Evidence(quote=facts.overruled_because)


def _no_change(facts: TaskRunFacts) -> Evidence | None:
    return Evidence() if facts.reason == "no_change" else None


def _unrelated_files(facts: TaskRunFacts) -> Evidence | None:
    """Nothing of what is changed lies where the solution lies.

    That is the source folder of a module: another solution may well take other files
    of it, so a file in the same one is never unrelated.
    """
    if facts.patch is None or facts.reference is None or not facts.patch.paths:
        return None
    roots = {_root(path) for path in facts.reference.paths}
    if roots & {_root(path) for path in facts.patch.paths}:
        return None
    return _of_paths(facts)


def _other_files(facts: TaskRunFacts) -> Evidence | None:
    """The reference only changes files that are there, and the patch none of these."""
    if facts.patch is None or facts.reference is None or facts.reference.adds:
        return None
    if not facts.patch.paths or set(facts.patch.paths) & set(facts.reference.paths):
        return None
    return _of_paths(facts)


def _root(path: str) -> str:
    """The source folder of the module that ``path`` is in, or else the file itself.

    >>> _root("entry/src/main/ets/pages/Index.ets"), _root("README.md")
    ('entry/src/main/', 'README.md')
    """
    found = _SOURCES.search(path)
    return path[: found.end()] if found else path


def _of_paths(facts: TaskRunFacts) -> Evidence | None:
    patch = facts.patch
    if patch is None:
        return None
    names = ", ".join(patch.paths[:3]) + (" …" if len(patch.paths) > 3 else "")
    return Evidence(patch.artifact, quote=names, figures={"files": len(patch.paths)})


def _build_failed(facts: TaskRunFacts) -> Evidence | None:
    if facts.reason != "build_failed":
        return None
    if facts.build is None:
        return Evidence()
    first = next(iter(facts.build.errors), None)
    return _of_error(facts, first, count=len(facts.build.errors))


def _build_hung(facts: TaskRunFacts) -> Evidence | None:
    hung = facts.reason == "timed_out" and facts.stage in {"build_first", "build_final"}
    return Evidence() if hung else None


def _unknown_name(facts: TaskRunFacts) -> Evidence | None:
    return _error_like(facts, _UNKNOWN)


def _mismatch(facts: TaskRunFacts) -> Evidence | None:
    return _error_like(facts, _MISMATCH)


def _error_like(facts: TaskRunFacts, pattern: re.Pattern[str]) -> Evidence | None:
    if facts.build is None or facts.built:
        return None
    found = [each for each in facts.build.errors if pattern.search(each.text)]
    return _of_error(facts, found[0], count=len(found)) if found else None


def _of_error(facts: TaskRunFacts, error: BuildError | None, *, count: int) -> Evidence:
    figures: dict[str, int | str] = {"errors": count}
    if error is None or facts.build is None:
        return Evidence(facts.build.log if facts.build else "", figures=figures)
    quote = f"{error.place} {error.text}".strip()
    return Evidence(facts.build.log, error.log_line, quote, figures)


def _loop(facts: TaskRunFacts) -> Evidence | None:
    seen = facts.trajectory
    if seen is None or seen.repeat is None or seen.repeat.times < LOOPS_FROM:
        return None
    repeat = seen.repeat
    return Evidence(
        seen.artifact, repeat.line, repeat.quote, figures={"times": repeat.times}
    )


def _said_so(facts: TaskRunFacts) -> Evidence | None:
    seen = facts.trajectory
    if seen is None or seen.gave_up is None:
        return None
    return Evidence(seen.artifact, seen.gave_up.line, seen.gave_up.quote)


def _regression_check(facts: TaskRunFacts) -> Evidence | None:
    if not facts.built:
        return None
    broken = [
        each for each in facts.failed_points if each.dimension == Dimension.REGRESSION
    ]
    if not broken:
        return None
    figures: dict[str, int | str] = {"points": len(broken), "point": broken[0].f_point}
    return Evidence(quote=broken[0].message, figures=figures)


def _near_miss(facts: TaskRunFacts) -> Evidence | None:
    near = facts.built and facts.checked > 1 and facts.passed == facts.checked - 1
    if not near or not facts.failed_points:
        return None
    missed = facts.failed_points[0]
    figures: dict[str, int | str] = {
        **_of_points(facts),
        "point": missed.f_point,
    }
    return Evidence(quote=missed.message, figures=figures)


def _nothing_works(facts: TaskRunFacts) -> Evidence | None:
    if facts.reason != "check_failed" or facts.passed or not facts.failed_points:
        return None
    return Evidence(quote=facts.failed_points[0].message, figures=_of_points(facts))


def _of_points(facts: TaskRunFacts) -> dict[str, int | str]:
    return {"passed": facts.passed, "checked": facts.checked}


def _app_hung(facts: TaskRunFacts) -> Evidence | None:
    hung = facts.reason == "timed_out" and facts.stage == "checks"
    return Evidence() if hung else None


def _own_trouble(facts: TaskRunFacts) -> Evidence | None:
    if facts.trouble is None:
        return None
    return Evidence(quote=facts.trouble.quote, figures={"times": facts.trouble.times})


def _has_paths(facts: TaskRunFacts) -> bool:
    return facts.patch is not None and facts.reference is not None


def _has_trajectory(facts: TaskRunFacts) -> bool:
    return facts.trajectory is not None


def _has_build(facts: TaskRunFacts) -> bool:
    return facts.build is not None


_AUTOMATIC, _SUGGESTED = LabelOrigin.AUTOMATIC, LabelOrigin.SUGGESTED
# The first of a kind that saw something gives the reason that is shown.
RULES: Sequence[Rule] = (
    Rule("overruled", FailureReason.CHEATING, _AUTOMATIC, _overruled),
    Rule("no_change", FailureReason.GIVES_UP, _AUTOMATIC, _no_change),
    Rule(
        "unrelated_files",
        FailureReason.WRONG_FILE,
        _AUTOMATIC,
        _unrelated_files,
        _has_paths,
    ),
    Rule("build_failed", FailureReason.BUILD_ERROR, _AUTOMATIC, _build_failed),
    Rule("loop", FailureReason.MODEL_LOOPING, _AUTOMATIC, _loop, _has_trajectory),
    Rule("said_so", FailureReason.GIVES_UP, _SUGGESTED, _said_so, _has_trajectory),
    Rule(
        "unknown_name",
        FailureReason.KNOWLEDGE_GAP,
        _SUGGESTED,
        _unknown_name,
        _has_build,
    ),
    Rule(
        "mismatch", FailureReason.INTEGRATION_ERROR, _SUGGESTED, _mismatch, _has_build
    ),
    Rule("build_hung", FailureReason.BUILD_ERROR, _SUGGESTED, _build_hung),
    Rule("regression_check", FailureReason.REGRESSION, _SUGGESTED, _regression_check),
    Rule("near_miss", FailureReason.MISSED_REQUIREMENT, _SUGGESTED, _near_miss),
    Rule("other_files", FailureReason.WRONG_FILE, _SUGGESTED, _other_files, _has_paths),
    Rule("nothing_works", FailureReason.WRONG_LOGIC, _SUGGESTED, _nothing_works),
    Rule("app_hung", FailureReason.WRONG_LOGIC, _SUGGESTED, _app_hung),
    Rule("own_trouble", FailureReason.INFRASTRUCTURE, _SUGGESTED, _own_trouble),
)
RULES_BY_CODE = {rule.code: rule for rule in RULES}
