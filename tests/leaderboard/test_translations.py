"""Two languages, complete: every text of the pages has a Chinese one that fits."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import polib
import pytest
from django.utils.translation import override
from django.utils.translation.template import templatize

from leaderboard.passing.published import load_guests
from leaderboard.sentences import gap
from tests.leaderboard.conftest import PUBLISHED

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "leaderboard" / "locale" / "zh_Hans" / "LC_MESSAGES"
CATALOG = polib.pofile(str(FOLDER / "django.po"))
MESSAGES = {(entry.msgctxt, entry.msgid) for entry in CATALOG}
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
SOURCES = [
    path
    for app in ("leaderboard", "evaluator", "submissions")
    for path in (ROOT / app).rglob("*.py")
    if "migrations" not in path.parts
]
PLACEHOLDER = re.compile(r"%\([a-z_]+\)[sd]|%[sd]|<[^>]+>")


def messages_of_template(path: Path) -> Iterator[tuple[str | None, str]]:
    """What makemessages would find in a template."""
    code = templatize(path.read_text("utf-8"))
    for name, arguments in re.findall(r"\b(n?p?gettext|_)\((.*?)\)\s", code + " "):
        try:
            values = ast.literal_eval(f"({arguments},)")
        except (SyntaxError, ValueError):
            continue
        texts = [value for value in values if isinstance(value, str)]
        if not texts:
            continue
        yield (texts[0], texts[1]) if "p" in name else (None, texts[0])


def messages_of_module(path: Path) -> Iterator[tuple[str | None, str]]:
    """First arguments of ``_(...)`` and ``gettext(...)`` in a module."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in {"_", "gettext", "gettext_lazy"}
            and node.args
            and isinstance(node.args[0], ast.Constant)
        ):
            yield None, node.args[0].value


def translations(entry: polib.POEntry) -> list[str]:
    return list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]


def test_the_catalog_is_complete():
    assert not [entry.msgid for entry in CATALOG if entry.fuzzy or entry.obsolete]
    assert not [e.msgid for e in CATALOG if not all(map(str.strip, translations(e)))]


def test_the_compiled_catalog_is_the_same():
    compiled = polib.mofile(str(FOLDER / "django.mo"))

    assert {(e.msgctxt, e.msgid): translations(e) for e in compiled} == {
        (e.msgctxt, e.msgid): translations(e) for e in CATALOG
    }


@pytest.mark.parametrize(
    "path",
    TEMPLATES,
    ids=lambda path: str(path.relative_to(ROOT / "templates")),
)
def test_every_text_of_a_template_is_in_the_catalog(path):
    assert set(messages_of_template(path)) - MESSAGES == set()


def test_every_text_of_a_module_is_in_the_catalog():
    found = {message for path in SOURCES for message in messages_of_module(path)}

    assert len(found) > 50
    assert found - MESSAGES == set()


def test_the_extraction_sees_templates_at_all():
    found = {message for path in TEMPLATES for message in messages_of_template(path)}

    assert len(found) > 250
    assert ("seconds", "s") in found


def test_placeholders_and_tags_are_kept():
    for entry in CATALOG:
        wanted = set(PLACEHOLDER.findall(entry.msgid_plural or entry.msgid))
        for text in translations(entry):
            assert set(PLACEHOLDER.findall(text)) == wanted, entry.msgid


def test_the_glossary_is_used():
    glossary = {
        "Leaderboard": "排行榜",
        "Overall": "总榜",
        "Snapshot": "快照",
        "Task source": "任务来源",
        "Configuration": "评测配置",
        "Agent": "智能体",
        "Task Completion": "任务完成率",
        "leading group": "领先组",
        "span": "位次区间",
        "Published": "论文发布",
        "Official": "官方评测",
        "Provenance": "来源标识",
        "Device profile": "设备规格",
        "Artifacts": "产物",
        "Methodology": "评测方法",
        "Worker": "评测节点",
    }

    assert {key: CATALOG.find(key).msgstr for key in glossary} == glossary


@pytest.mark.parametrize(
    "path", ["/", "/tasks/", "/benchmark/", "/methodology/", "/snapshots/", "/e/1/"]
)
def test_chinese_pages_have_no_english_text_left(client, published, path):
    html = client.get(f"/zh-hans{path}").content.decode()
    english = client.get(path).content.decode()
    sentence = re.compile(r">\s*([A-Z][a-z]+(?: [a-z]+){2,}[^<]*)<")
    kept = set(sentence.findall(re.sub(r'<(\w+)[^>]* lang="en".*?</\1>', "", html)))

    assert '<html lang="zh-Hans">' in html
    assert sentence.search(english)
    assert not {text for text in kept if not text.startswith("Pura 90")}


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/?as_of=2026-08-20&sort=x&columns=y",
        "/s/openharmony-bench/v1.0/?as_of=2020-01-01",
        "/tasks/",
        "/benchmark/",
        "/about/",
        "/c/1/",
        "/e/1/",
        "/compare/?a=1&b=2",
        "/s/android-bench/2.0/",
        "/embed/openharmony-bench/v1.0/?source=bug-fix",
    ],
)
def test_no_space_stands_between_chinese_sentences(client, published, path):
    load_guests(PUBLISHED)
    answer = client.get(f"/zh-hans{path}")

    assert answer.status_code in {200, 404}
    assert "。" in answer.text
    assert re.findall(r".{12}[。！？] +(?!</)\S.{20}", answer.text) == []


def test_a_space_stands_between_english_sentences():
    with override("zh-hans"):
        assert gap() == ""
    with override("en"):
        assert gap() == " "


def test_the_language_switch_keeps_path_and_query(client, published):
    html = client.get("/?source=bug-fix&sort=tokens").content.decode()
    back = client.get("/zh-hans/?source=bug-fix").content.decode()

    assert 'href="/zh-hans/?source=bug-fix&amp;sort=tokens" hreflang="zh-Hans"' in html
    assert 'href="/?source=bug-fix" hreflang="en"' in back


@pytest.mark.parametrize("code", ["zh", "zh-cn"])
@pytest.mark.parametrize("rest", ["tasks/?q=a", "?sort=tokens", ""])
def test_other_names_of_the_language_lead_to_the_one_address(client, db, code, rest):
    response = client.get(f"/{code}/{rest}")

    assert response.status_code == 302
    assert response["Location"] == f"/zh-hans/{rest}"
