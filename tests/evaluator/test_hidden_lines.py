"""What is stored of a check run quotes no line of the hidden check."""

from __future__ import annotations

import html
import json
from pathlib import Path

import pytest

from evaluator.toolchains.hidden_lines import MARK, without_hidden_lines

SECRET = (
    """self.driver.check_component_exist(BY.text('发送 "now"'), expect_exist=True)"""
)
SCRIPT = f"""
class Chat(TestCase):
    methods = [
        "test_typing_opens_the_sheet",
    ]

    def test_typing_opens_the_sheet(self):
        {SECRET}
        x = 1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "chat.py").write_text(SCRIPT, "utf-8")
    return tmp_path


def stored(name: str, text: str, folder: Path) -> str:
    return without_hidden_lines({name: text.encode()}, folder)[name].decode()


@pytest.mark.parametrize(
    ("name", "quoted"),
    [
        ("console.log", SECRET),
        ("console.log", repr(SECRET)),
        ("chat/module_run.log", json.dumps(SECRET)),
        ("summary_report.xml", html.escape(SECRET)),
        ("summary_report.xml", html.escape(SECRET, quote=False)),
        ("report_data.json", json.dumps(SECRET)),
        ("report_data.json", json.dumps(SECRET, ensure_ascii=False)),
    ],
)
def test_a_quoted_line_is_marked_and_the_rest_stays(
    folder: Path, name: str, quoted: str
):
    text = f'File "chat.py", line 8, in test_typing\n    {quoted}\nAssertionError'

    found = stored(name, text, folder)

    assert "check_component_exist" not in found
    assert MARK in found
    assert found.startswith('File "chat.py", line 8, in test_typing\n')
    assert found.endswith("\nAssertionError")


def test_what_a_verdict_is_read_from_stays_as_it_was(folder: Path):
    report = json.dumps(
        {"methods": ["test_typing_opens_the_sheet", "other"], "x": "x = 1"}, indent=4
    )

    assert stored("report_data.json", report, folder) == report


def test_a_report_stays_json_where_a_traceback_was_quoted(folder: Path):
    report = {"message": f"Traceback:\n  {SECRET}\nfalse", "result": "Failed"}

    found = json.loads(stored("report_data.json", json.dumps(report), folder))

    assert found == {"message": f"Traceback:\n  {MARK}\nfalse", "result": "Failed"}
