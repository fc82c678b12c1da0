"""Whether the composition figures of a report agree with each other.

Only what follows from other figures of the same report is checked: sums, means and
shares. A printed share is right if some rounding to its last digit gives it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any


def failed_checks(composition: Mapping[str, Any]) -> list[str]:
    """What does not add up, a sentence each; none where there is nothing to check."""
    sources: Mapping[str, Any] = composition.get("task_sources", {})
    found: list[str] = []
    for name, source in sources.items():
        found += _scope_faults(name, source)
        found += _concentration_faults(name, source)
    if sources and "overall" in composition:
        found += _scope_faults("overall", composition["overall"])
        found += _sum_faults(sources, composition["overall"])
    if "kit_coverage" in composition:
        found += _coverage_faults(composition)
    return found


def differences(
    composition: Mapping[str, Any], statistics: Mapping[str, Any]
) -> list[str]:
    """Published figures that the computed ones do not print as, a sentence each.

    For a package that is said to be the one of the report. Kits are only compared
    where the list of the benchmark is complete.
    """
    computed = {each["scope"]: each for each in statistics.get("scopes", [])}
    found: list[str] = []
    for name, source in composition.get("task_sources", {}).items():
        mine = computed.get(name)
        if mine is None:
            found.append(f"{name}: published, but no such task is held.")
            continue
        found += [
            f"{name}: {what} is {float(ours):g}, published {theirs:g}."
            for what, ours, theirs, digits in _pairs(mine, source)
            if not could_be_printed(ours, theirs, digits)
        ]
    overall, mine = composition.get("overall", {}), computed.get("overall")
    if mine and overall and mine["repositories"] != overall["repositories"]:
        found.append(
            f"overall: {mine['repositories']} repositories, published "
            f"{overall['repositories']}."
        )
    coverage = composition.get("kit_coverage", {})
    kits = statistics.get("kits", {})
    complete = bool(coverage) and kits.get("list", {}).get("complete")
    if complete and kits["covered"] != coverage["covered"]:
        found.append(
            f"Kits: {kits['covered']} covered, published {coverage['covered']}."
        )
    return found


def _pairs(
    mine: Mapping[str, Any], published: Mapping[str, Any]
) -> Iterator[tuple[str, Fraction, float, int]]:
    """What it is, computed, published, and the decimals that are printed."""
    for name, field in (
        ("inputs", "tasks"),
        ("f_points", "f_points"),
        ("repositories", "repositories"),
    ):
        yield field, Fraction(mine[name]), published[field], 0
    for level, count in published["difficulty"].items():
        ours = mine["difficulty"][level]
        yield f"difficulty {level}", Fraction(ours), count, 0
    length, printed = mine["input_length"], published["input_length_chars"]
    yield "median input length", Fraction(length["median"]), printed["median"], 1
    for name, value in zip(("low", "high"), printed["iqr"], strict=True):
        yield f"{name} quartile of the input length", Fraction(length[name]), value, 1
    for name, field in (
        ("reference_files_median", "reference_files_median"),
        ("reference_lines_median", "reference_loc_median"),
    ):
        yield field, Fraction(mine[name]), published[field], 1
    for name in ("largest_repository", "top3_repositories"):
        share = Fraction(100 * mine[name]["inputs"], mine["inputs"])
        yield f"{name}_percent", share, published[f"{name}_percent"], 1


def could_be_printed(value: Fraction, printed: float, digits: int) -> bool:
    """Whether ``value``, rounded either way at a tie, is printed as ``printed``.

    >>> could_be_printed(Fraction(1000, 32), 31.2, 1)
    True
    """
    distance = abs(value - Fraction(str(printed)))
    return distance <= Fraction(1, 2 * 10**digits)


def _scope_faults(name: str, found: Mapping[str, Any]) -> Iterator[str]:
    inputs = found["tasks"]
    mean = Fraction(found["f_points"], inputs)
    if not could_be_printed(mean, found["mean_f_points"], 2):
        yield f"{name}: {found['f_points']} F-points of {inputs} inputs are not " + (
            f"{found['mean_f_points']} each."
        )
    levels = sum(found["difficulty"].values())
    if levels != inputs:
        yield f"{name}: the difficulties sum up to {levels}, not to {inputs} inputs."
    for level, printed in found.get("difficulty_percent", {}).items():
        share = Fraction(100 * found["difficulty"][level], inputs)
        if not could_be_printed(share, printed, 1):
            yield f"{name}: {printed} % is not the share of {level} inputs."


def _concentration_faults(name: str, found: Mapping[str, Any]) -> Iterator[str]:
    """A share of inputs has to be a share of so many inputs."""
    inputs = found["tasks"]
    for field in ("largest_repository_percent", "top3_repositories_percent"):
        printed = found[field]
        count = round(printed * inputs / 100)
        if not could_be_printed(Fraction(100 * count, inputs), printed, 1):
            yield f"{name}: no number of {inputs} inputs is {printed} % ({field})."


def _sum_faults(
    sources: Mapping[str, Any], overall: Mapping[str, Any]
) -> Iterator[str]:
    for field in ("tasks", "f_points"):
        total = sum(source[field] for source in sources.values())
        if total != overall[field]:
            yield f"overall: the sources have {total} {field}, not {overall[field]}."
    for level, count in overall["difficulty"].items():
        total = sum(source["difficulty"][level] for source in sources.values())
        if total != count:
            yield f"overall: the sources have {total} {level} inputs, not {count}."
    repositories = [source["repositories"] for source in sources.values()]
    if not max(repositories) <= overall["repositories"] <= sum(repositories):
        yield f"overall: {overall['repositories']} repositories are no union."


def _coverage_faults(composition: Mapping[str, Any]) -> Iterator[str]:
    coverage = composition["kit_coverage"]
    listed, covered = coverage["high_frequency_kits"], coverage["covered"]
    counts = coverage["buckets"]
    uncovered = counts.get("uncovered", 0)
    if sum(counts.values()) != listed or listed - uncovered != covered:
        yield f"Kits: the buckets do not sum up to {covered} of {listed}."
    if not could_be_printed(
        Fraction(100 * covered, listed), coverage["covered_percent"], 1
    ):
        yield f"Kits: {covered} of {listed} is not {coverage['covered_percent']} %."
    inputs = composition["overall"]["tasks"]
    for name, printed in coverage["top_ten_percent_of_tasks"].items():
        count = round(printed * inputs / 100)
        if not could_be_printed(Fraction(100 * count, inputs), printed, 1):
            yield f"Kits: no number of {inputs} inputs is {printed} % ({name})."
