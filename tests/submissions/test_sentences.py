"""What the software keeps in English words is told in the language of the reader."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils.translation import override

from leaderboard.curation.words import FAILS, PASSES_ALREADY, kept, proof_told
from leaderboard.sentences import is_known, known_messages, list_told, told
from submissions.sentences.records import RECEIVED, RUN_AGAIN
from tests.leaderboard.test_translations import MESSAGES

ROOT = Path(__file__).parents[2]
# The protocol of uploads in parts speaks to programs only.
FOR_PROGRAMS = {"cli", "resumable", "migrations"}
SOURCES = [
    path
    for path in (ROOT / "submissions").rglob("*.py")
    if not FOR_PROGRAMS & set(path.parts)
]
WORDS_OF_FINDINGS = {"saw", "fix"}


def test_every_form_is_in_the_catalog():
    assert len(known_messages()) > 300
    assert known_messages() - MESSAGES == set()


def written(node: ast.expr) -> Iterator[str]:
    """Texts that ``node`` may give, a 7 in each place; others are skipped."""
    match node:
        case ast.Constant(value=str() as text) if text:
            yield text
        case ast.JoinedStr(values=parts):
            texts = [
                part.value if isinstance(part, ast.Constant) else "7" for part in parts
            ]
            # What is nothing but quoted values has no words.
            if any(char.isalpha() for char in "".join(map(str, texts))):
                yield "".join(map(str, texts))
        case ast.IfExp(body=body, orelse=other):
            yield from (*written(body), *written(other))


def words_of_findings(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            by_name = [each for each in node.keywords if each.arg in WORDS_OF_FINDINGS]
            for keyword in by_name:
                yield from written(keyword.value)
            if isinstance(node.func, ast.Name) and node.func.id == "Finding":
                for each in node.args[2:4]:
                    yield from written(each)


def test_every_finding_has_a_form():
    found = {text for path in SOURCES for text in words_of_findings(path)}

    assert len(found) > 150
    assert {text for text in found if not is_known(text)} == set()


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        (RECEIVED(origin="page"), "通过网页收到"),
        (
            RUN_AGAIN(submission="x", reason="One was ill"),
            "已重新评测为 x：One was ill",
        ),
        ('Add the coding agent, such as "a".', '请补上：编码智能体，例如 "a"。'),
        ("3 trials deleted and started again", "3 次试验被删除后重新开始"),
        ("page", "page"),
        ("Somebody wrote this; and that.", "Somebody wrote this; and that."),
    ],
)
def test_a_kept_sentence_is_told_in_the_language_of_the_reader(text, chinese):
    assert told(text) == text
    with override("zh-hans"):
        assert told(text).strip() == chinese


def test_what_proofs_and_gates_found_is_told_part_by_part():
    text = kept([PASSES_ALREADY(point="F1"), FAILS(point="F2", message="check_failed")])
    gate = (
        "git-path a/.git: belongs to git itself; F1: setup failed: boom; said by a tool"
    )

    assert proof_told(text) == text
    with override("zh-hans"):
        assert proof_told(text) == "F1 已经通过; F2 未通过（行为检查未通过）"
        assert list_told(gate) == [
            (True, "git-path a/.git: 属于 git 自身"),
            (True, "F1: 准备步骤失败：boom"),
            (False, "said by a tool"),
        ]
