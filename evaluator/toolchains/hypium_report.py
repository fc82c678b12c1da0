"""Reading what xdevice leaves behind: reports, logs and screenshots."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from xml.etree import ElementTree

from evaluator.verdicts import FAILED, PASSED, CaseReport, MethodReport

MAX_REPORT_BYTES = 16 * 1024 * 1024
MAX_LOG_BYTES = 4 * 1024 * 1024
MAX_SCREENSHOT_BYTES = 2 * 1024 * 1024
SCREENSHOTS_A_CASE = 4
MOST_SCREENS = 40

# What xdevice writes last; when all are there the report will not change any more.
_TASK_INFO = "task_info.record"
_LAST_FILES = ("report_data.json", "summary_report.xml", _TASK_INFO)
_VERY_LAST = "summary.ini"

_FORBIDDEN_IN_XML = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_KINDS = {
    ("run", "true"): PASSED,
    ("run", "false"): FAILED,
    ("disable", "false"): "Blocked",
    ("skip", "false"): "Ignored",
    ("notrun", "false"): "Ignored",
    ("unavailable", "false"): "Unavailable",
}


class ReportError(Exception):
    """There is no usable report; the message says what is wrong with it."""


def is_complete(folder: Path) -> bool:
    """Whether xdevice has written everything it is going to write."""
    ending = folder / _VERY_LAST
    return (
        ending.is_file()
        and ending.stat().st_size > 0
        and all((folder / name).is_file() for name in _LAST_FILES)
    )


def read_report(folder: Path) -> tuple[CaseReport, ...]:
    """The cases of a report; raises ReportError when there is none or it is torn.

    ``summary_report.xml`` holds the methods, ``report_data.json`` has to agree on the
    cases. A case that never ran (no device, no script) comes out as Unavailable.
    """
    cases = _read_xml(folder / "summary_report.xml")
    told = _read_json(folder / "report_data.json")
    for case in cases:
        said = told.get(case.name, "Unavailable")
        if said.casefold() != case.kind.casefold():
            raise ReportError(
                f"{case.name} is {case.kind} in summary_report.xml and {said} in "
                "report_data.json"
            )
    return cases


def check_record(folder: Path, cases: Iterable[CaseReport]) -> None:
    """Raise ReportError unless xdevice's record of its run fits this very report.

    ``task_info.record`` has to name ``folder`` and to know of every failure.
    """
    failed = _failed_cases(folder)
    for case in cases:
        if case.kind == PASSED and case.name in failed:
            raise ReportError(f"{case.name} is Passed, but failed in {_TASK_INFO}")


def _read_xml(path: Path) -> tuple[CaseReport, ...]:
    data = _FORBIDDEN_IN_XML.sub(b"?", _read(path))
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise ReportError(f"{path.name} declares entities")
    try:
        root = ElementTree.fromstring(data)  # noqa: S314 - no entities, see above
    except ElementTree.ParseError as error:
        raise ReportError(f"{path.name} is torn: {error}") from None
    cases: list[CaseReport] = []
    for suite in root.iter("testsuite"):
        found = [_case(element) for element in suite.iter("testcase")]
        cases += found or [
            CaseReport(
                suite.get("modulename") or suite.get("name") or "",
                "Unavailable",
                suite.get("message", ""),
            )
        ]
    return tuple(cases)


def _case(element: ElementTree.Element) -> CaseReport:
    status, result = element.get("status", ""), element.get("result", "")
    methods = tuple(
        MethodReport(
            name=test.get("name", ""),
            kind=test.get("result_kind", "Missing"),
            message=test.get("message", ""),
            seconds=_seconds(test.get("time")),
        )
        for test in element.iter("test")
    )
    return CaseReport(
        name=element.get("classname") or element.get("name") or "",
        kind=_KINDS.get((status, result), f"{status} {result}".strip()),
        message=element.get("message", ""),
        methods=methods,
    )


def _read_json(path: Path) -> Mapping[str, str]:
    """Each case's result by its name; a case that ran twice contradicts itself."""
    try:
        data = json.loads(_read(path))
        results: dict[str, str] = {}
        for module in data["modules"]:
            for suite in module["suites"]:
                for case in suite["cases"]:
                    name = case["classname"]
                    again = name in results
                    results[name] = "reported twice" if again else str(case["result"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ReportError(f"{path.name} is torn: {error!r}") from None
    return results


def _failed_cases(folder: Path) -> frozenset[str]:
    """The cases that did not pass, from the record of the run that wrote ``folder``."""
    try:
        record = json.loads(_read(folder / _TASK_INFO))
        origin = (record["report_path"], record["session_id"])
        failed = frozenset(map(str, record["unsuccessful_params"]))
        results = [Path(each) for each in record["data_reports"].values()]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ReportError(f"{_TASK_INFO} is torn: {error!r}") from None
    strange = [path for path in results if not path.is_relative_to(folder)]
    if origin != (str(folder), folder.name) or strange:
        raise ReportError(f"{_TASK_INFO} belongs to another run: {origin[0]!r}")
    return failed


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_REPORT_BYTES:
            raise ReportError(f"{path.name} is larger than {MAX_REPORT_BYTES} bytes")
        return path.read_bytes()
    except FileNotFoundError:
        raise ReportError(f"there is no {path.name}") from None


def _seconds(text: str | None) -> float:
    try:
        return max(0.0, float(text or 0))
    except ValueError:
        return 0.0


def collect_files(folder: Path) -> dict[str, bytes]:
    """The parts of a report worth keeping, by the names they are kept under."""
    kept: dict[str, bytes] = {}
    for name in ("report_data.json", "summary_report.xml"):
        if (folder / name).is_file():
            kept[name] = _tail(folder / name, MAX_REPORT_BYTES)
    for log in sorted(folder.glob("log/*/module_run.log")):
        kept[f"{log.parent.name}/module_run.log"] = _tail(log, MAX_LOG_BYTES)
    for case in sorted(folder.glob("details/*")):
        # Names begin with the device and the time: sorted, the last shots come last.
        pictures = sorted(case.glob("*.jpeg"))[-SCREENSHOTS_A_CASE:]
        for number, picture in enumerate(pictures, start=1):
            if picture.stat().st_size <= MAX_SCREENSHOT_BYTES:
                data = picture.read_bytes()
                kept[f"{case.name}/screenshot-{number}.{_suffix(data)}"] = data
    return kept


def screens(folder: Path) -> dict[str, bytes]:
    """Pictures that scripts kept by a name, by the names they are kept under."""
    kept: dict[str, bytes] = {}
    for picture in sorted(folder.glob("*.jpeg"))[:MOST_SCREENS]:
        if picture.stat().st_size <= MAX_SCREENSHOT_BYTES:
            data = picture.read_bytes()
            kept[f"screens/{picture.stem}.{_suffix(data)}"] = data
    return kept


def _suffix(picture: bytes) -> str:
    return "png" if picture.startswith(b"\x89PNG") else "jpeg"


def _tail(path: Path, size: int) -> bytes:
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - size))
        return stream.read()
