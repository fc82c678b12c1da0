"""Untrusted text on pages: nothing hidden, nothing that moves the cursor, capped."""

from __future__ import annotations

import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.plain_text import MAX_BYTES, diff_lines, excerpt, visible
from leaderboard.statement import statement_html


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[1;31mERROR\x1b[0m", "ERROR"),
        ("\x1b]0;a title\x07text", "text"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b[2Kdone\r", "done⟦U+000D⟧"),
        ("a\u202eb\u2066c", "a⟦U+202E⟧b⟦U+2066⟧c"),
        ("zero\u200bwidth", "zero⟦U+200B⟧width"),
        ("tab\tstays", "tab\tstays"),
        ("中文 and é", "中文 and é"),
    ],
)
def test_hidden_characters_are_named_and_escapes_taken_out(raw, shown):
    assert visible(raw) == shown


@given(st.text(max_size=200))
def test_no_hidden_character_survives(text):
    kinds = {unicodedata.category(each) for each in visible(text) if each != "\t"}

    assert not kinds & {"Cc", "Cf", "Zl", "Zp", "Co", "Cs"}


def test_only_the_beginning_of_a_long_text_is_kept():
    lines = excerpt(io.BytesIO(b"line\n" * 2_001))
    columns = excerpt(io.BytesIO(b"x" * 2_001))
    exact = excerpt(io.BytesIO(b"line\n" * 2_000))

    assert (len(lines.lines), lines.lines_cut) == (2_000, True)
    assert (len(columns.lines[0]), columns.columns_cut) == (2_000, True)
    assert (len(exact.lines), exact.cut) == (2_000, False)


def test_a_huge_file_is_not_read_to_its_end():
    class Endless(io.RawIOBase):
        taken = 0

        def read(self, size=-1):
            self.taken += size
            return b"y" * size

    source = Endless()

    assert excerpt(source).cut
    assert source.taken == MAX_BYTES + 1


def test_bytes_that_are_not_text_do_not_break_the_page():
    assert excerpt(io.BytesIO(b"\xff\xfe\x00ok")).lines == ("\ufffd\ufffd⟦U+0000⟧ok",)


def test_an_empty_file_has_no_lines():
    assert excerpt(io.BytesIO(b"")).lines == ()


def test_a_diff_knows_its_lines():
    kinds = [
        kind
        for kind, _line in diff_lines(
            (
                "diff --git a/x b/x",
                "--- a/x",
                "+++ b/x",
                "@@ -1,2 +1,2 @@",
                " same",
                "-old",
                "+new",
                "diff --git a/y b/y",
                "--- a/y",
            )
        )
    ]

    assert kinds == [
        "file",
        "file",
        "file",
        "hunk",
        "context",
        "delete",
        "add",
        "file",
        "file",
    ]


def test_a_statement_keeps_its_blocks_and_escapes_everything():
    html = statement_html(
        "# Title\n\nFirst `a<b` and **bold**\nsame paragraph.\n\n"
        "1. one\n2. two\n   goes on\n\n```\n<code> & more\n```\n<img onerror=x>"
    )

    assert html == (
        "<h3>Title</h3>\n"
        "<p>First <code>a&lt;b</code> and <strong>bold</strong> same paragraph.</p>\n"
        "<ol><li>one</li><li>two goes on</li></ol>\n"
        "<pre><code>&lt;code&gt; &amp; more</code></pre>\n"
        "<p>&lt;img onerror=x&gt;</p>"
    )


@given(st.text(alphabet="<>&\"'`*#- 1.\nab", max_size=120))
def test_no_statement_can_bring_markup_of_its_own(text):
    html = statement_html(text)

    for tag in ("a", "b"):
        assert f"<{tag}" not in html
    assert html.count("<p>") == html.count("</p>")
